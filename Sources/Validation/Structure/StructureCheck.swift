import Content
import Diagnostics
import JSONSchema
import JSONText

/// Layer 1: may this be read at all? Holds records against the schemas of `formats/schemas`.
///
/// Lenient about ids and defaults, strict about types. One check serves one thread.
public final class StructureCheck {
  private var runs: [RecordKind: SchemaProgram] = [:]
  private let schemas: FleetKitSchemas

  /// Compiles nothing yet: a kind's schema is compiled when its first record comes.
  public init() throws { schemas = try FleetKitSchemas() }

  /// Holds a record's value against the schema of its kind.
  /// - Returns: what is wrong, empty for sound records.
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

  /// How many violations of one value are listed, for the memory's sake: some 100 MB of them.
  public static let limit = 100_000

  /// Makes room to run a schema.
  public init(_ schema: Schema) { run = SchemaRun(schema) }

  /// Makes room to run a schema of `formats/schemas`.
  /// - Throws: `SchemaError` when there is none of that name.
  public convenience init(embedded name: String) throws {
    // A test checks that the embedded schemas are valid schemas.
    var options = SchemaOptions()
    options.checksSchema = false
    self.init(try FleetKitSchemas().schema(named: name, options: options))
  }

  /// What is wrong with a value; costs nothing but time when nothing is.
  /// - Parameter limit: how many are listed at most; when there are more, the last one says so.
  public func violations(_ node: JSONNode, limit: Int = SchemaProgram.limit) -> [SchemaViolation] {
    run.violations(node, limit: limit)
  }

  /// Whether a value is valid.
  public func isValid(_ node: JSONNode) -> Bool { run.isValid(node) }
}
