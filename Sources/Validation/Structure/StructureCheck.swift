import Content
import Diagnostics
import JSONSchema
import JSONText

/// Layer 1: whether content can be read. Validates records against the schemas in `formats/schemas`.
///
/// The schemas are lenient about ids and defaults, and strict about types. A check must not be shared between threads.
public final class StructureCheck {
  private var runs: [RecordKind: SchemaProgram] = [:]
  private let schemas: FleetKitSchemas

  /// Makes a check without compiling schemas. The schema for a kind is compiled for the first record of that kind.
  public init() throws { schemas = try FleetKitSchemas() }

  /// Validates a record's value against the schema of its kind.
  /// - Returns: The violations; empty for valid records.
  /// - Throws: `SchemaError` if an embedded schema does not compile, which a test rules out.
  public func violations(of node: JSONNode, kind: RecordKind) throws -> [SchemaViolation] {
    let program: SchemaProgram
    if let known = runs[kind] {
      program = known
    } else {
      program = SchemaProgram(try schemas.schema(for: kind))
      runs[kind] = program
    }
    return program.violations(node)
  }
}

/// A compiled schema, with the memory to run it on one thread.
public final class SchemaProgram {
  private var run: SchemaRun

  /// The maximum number of listed violations for one value. It bounds the memory to about 100 MB.
  public static let limit = 100_000

  /// Allocates the memory to run a schema.
  public init(_ schema: Schema) { run = SchemaRun(schema) }

  /// Allocates the memory to run a schema in `formats/schemas`.
  /// - Throws: `SchemaError` if no schema has that name.
  public convenience init(embedded name: String) throws {
    // A test checks that the embedded schemas are valid.
    var options = SchemaOptions()
    options.checksSchema = false
    self.init(try FleetKitSchemas().schema(named: name, options: options))
  }

  /// Returns the violations of a value. A valid value costs time but no memory.
  /// - Parameter limit: the maximum number of listed violations. If there are more, the last one reports this.
  public func violations(_ node: JSONNode, limit: Int = SchemaProgram.limit) -> [SchemaViolation] {
    run.violations(node, limit: limit)
  }

  /// Whether a value is valid.
  public func isValid(_ node: JSONNode) -> Bool { run.isValid(node) }
}
