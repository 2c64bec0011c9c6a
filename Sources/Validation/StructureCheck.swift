import CSchemas
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

  /// The maximum number of listed violations for one value. It limits memory to about 100 MB.
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

/// The embedded schemas, ready to be compiled.
public struct FleetKitSchemas {
  private let set: SchemaSet

  /// Parses the embedded schemas.
  /// - Throws: `JSONError` or `SchemaError` if one of them is invalid, which a test rules out.
  public init() throws {
    var set = SchemaSet()
    for name in EmbeddedSchemas.names {
      guard let text = EmbeddedSchemas.text(name) else { continue }
      _ = try set.add(try JSONDocument(parsing: text.span), at: EmbeddedSchemas.base + name + ".schema.json")
    }
    self.set = set
  }

  /// Returns a schema by name, such as `checklist`.
  /// - Throws: `SchemaError` if no schema has that name.
  public func schema(named name: String, options: SchemaOptions = SchemaOptions()) throws -> Schema {
    try set.compile(EmbeddedSchemas.base + name + ".schema.json", options: options)
  }

  /// Returns the schema for records of a kind, in the form that people may write.
  func schema(for kind: RecordKind) throws -> Schema {
    // A test checks that the embedded schemas are valid. Checking them here would slow down every start of the program.
    var options = SchemaOptions()
    options.checksSchema = false
    if kind == .item { return try schema(named: "library-item", options: options) }
    let definition = kind.isKnown ? kind.name : "unknown"
    return try set.compile(EmbeddedSchemas.base + "record.schema.json#/$defs/" + definition, options: options)
  }
}

/// The schemas in `formats/schemas`, which are embedded in the binary byte for byte.
///
/// No files are needed at run time. The bytes remain valid as long as the program runs.
/// - Source: formats/schemas/README.md
public enum EmbeddedSchemas {
  /// The names of all schemas in byte order, such as `library-item` and `canonical/library-item`.
  public static let names: [String] = all.map(\.name)

  /// Returns the text of a schema as UTF-8; nil if no schema has that name.
  /// - Parameter name: the file's path below `formats/schemas` without `.schema.json`.
  public static func text(_ name: String) -> UnsafeBufferPointer<UInt8>? {
    all.first { $0.name == name }?.text
  }

  /// The beginning of every `$id`; the name and `.schema.json` follow.
  public static let base = "https://fleetkit.anyfleet.app/schemas/v1/"

  /// One schema. Its text is constant data in the program, so every thread may read it.
  private struct Entry: @unchecked Sendable {
    let name: String
    let text: UnsafeBufferPointer<UInt8>
  }

  private static let all: [Entry] = (0..<fleetkit_schema_count()).compactMap { index in
    guard let schema = fleetkit_schema_at(index)?.pointee else { return nil }
    return Entry(
      name: String(cString: schema.name), text: UnsafeBufferPointer(start: schema.bytes, count: schema.count))
  }
}

/// The codes of JSON Schema violations, by keyword.
public enum SchemaCodes {
  /// All codes, in order.
  public static let all: [DiagnosticCode] = [
    type, choice, range, multiple, length, pattern, format, required, unknownMember, memberName, memberCount, itemCount,
    unique, contains, extraItem, alternatives, forbidden, never, limit,
  ]

  static let type = code(
    "SCH0101", "schema-type",
    "A value has a type that the schema does not allow.", "write a value of the type that the finding names")
  static let choice = code(
    "SCH0102", "schema-enum", "A value is not one of those that the schema allows.", "write one of the allowed values")
  static let range = code(
    "SCH0201", "schema-range", "A number is too small or too large.", "write a number in the allowed range")
  static let multiple = code(
    "SCH0202", "schema-multiple",
    "A number is not a multiple of the number that the schema names.", "write a multiple of that number")
  static let length = code(
    "SCH0301", "schema-length", "Text is too short or too long.", "write text of the allowed length")
  static let pattern = code(
    "SCH0302", "schema-pattern", "Text does not have the form that the schema requires.", "write text in that form")
  static let format = code(
    "SCH0303", "schema-format", "Text does not match its format.", "write the text in that format")
  static let required = code("SCH0401", "schema-required", "An object lacks a required member.", "add the member")
  static let unknownMember = code(
    "SCH0402", "schema-unknown-member", "An object has a member that the schema does not allow.",
    "correct the member's name, or remove the member")
  static let memberName = code(
    "SCH0403", "schema-member-name", "A member's name is not allowed.", "correct the name")
  private static let memberCount = code(
    "SCH0404", "schema-member-count", "An object has too few or too many members.", "add or remove members")
  static let itemCount = code(
    "SCH0501", "schema-item-count", "An array has too few or too many elements.", "add or remove elements")
  static let unique = code(
    "SCH0502", "schema-unique", "An array contains an element twice.", "remove one of the two elements")
  static let contains = code(
    "SCH0503", "schema-contains", "An array lacks an element that the schema requires, or has too many of them.",
    "add or remove such elements")
  private static let extraItem = code(
    "SCH0504", "schema-extra-item", "An array has an element that the schema does not allow.", "remove the element")
  static let alternatives = code(
    "SCH0601", "schema-alternatives", "A value matches none of the alternatives, or more than one.",
    "write a value that matches exactly one alternative")
  static let forbidden = code(
    "SCH0602", "schema-not", "A value matches a schema that forbids it.", "write a different value")
  static let never = code(
    "SCH0603", "schema-never", "The schema allows no value here.", "remove the value")
  static let limit = code(
    "SCH0901", "schema-limit", "A value could not be checked within the limits of time and depth.",
    "make the value smaller, or the schema simpler")

  private static func code(_ id: String, _ name: String, _ summary: String, _ fix: String) -> DiagnosticCode {
    DiagnosticCode(
      id, name, .error, summary, why: "programs that read this content rely on the schema", fix: fix)
  }

  /// Returns the code for a schema keyword.
  public static func code(ofKeyword keyword: String) -> DiagnosticCode {
    switch keyword {
    case "type": type
    case "enum", "const": choice
    case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum": range
    case "multipleOf": multiple
    case "minLength", "maxLength": length
    case "pattern": pattern
    case "format": format
    case "required", "dependentRequired", "dependencies": required
    case "additionalProperties", "unevaluatedProperties": unknownMember
    case "propertyNames": memberName
    case "minProperties", "maxProperties": memberCount
    case "minItems", "maxItems": itemCount
    case "uniqueItems": unique
    case "contains", "minContains", "maxContains": contains
    case "items", "unevaluatedItems": extraItem
    case "anyOf", "oneOf": alternatives
    case "not": forbidden
    case "limit": limit
    default: never
    }
  }
}
