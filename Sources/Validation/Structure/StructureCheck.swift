import Content
import Diagnostics
import JSONSchema
import JSONText

/// Layer 1: can this be read at all? Validates records against the schemas of `formats/schemas`.
///
/// Lenient about ids and defaults, strict about types. One check serves one thread.
public final class StructureCheck {
  private var runs: [RecordKind: SchemaProgram] = [:]
  private let schemas: FleetKitSchemas

  /// Makes a check without compiling: the schema of a kind is compiled for its first record.
  public init() throws { schemas = try FleetKitSchemas() }

  /// Validates a record's value against the schema of its kind.
  /// - Returns: the violations; empty for valid records.
  /// - Throws: `SchemaError` when an embedded schema does not compile, which a test excludes.
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

/// A compiled schema with the memory to run it, for one thread.
public final class SchemaProgram {
  private var run: SchemaRun

  /// The number of violations of one value that are listed, to bound the memory to some 100 MB.
  public static let limit = 100_000

  /// Allocates the memory to run a schema.
  public init(_ schema: Schema) { run = SchemaRun(schema) }

  /// Allocates the memory to run a schema of `formats/schemas`.
  /// - Throws: `SchemaError` if no schema has that name.
  public convenience init(embedded name: String) throws {
    // A test checks that the embedded schemas are valid.
    var options = SchemaOptions()
    options.checksSchema = false
    self.init(try FleetKitSchemas().schema(named: name, options: options))
  }

  /// Returns the violations of a value. A valid value costs time but no memory.
  /// - Parameter limit: the greatest number that is listed; if there are more, the last one reports that.
  public func violations(_ node: JSONNode, limit: Int = SchemaProgram.limit) -> [SchemaViolation] {
    run.violations(node, limit: limit)
  }

  /// Whether a value is valid.
  public func isValid(_ node: JSONNode) -> Bool { run.isValid(node) }
}
