import Diagnostics

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
    "SCH0301", "schema-length", "A text is too short or too long.", "write a text of the allowed length")
  static let pattern = code(
    "SCH0302", "schema-pattern", "A text does not have the form that the schema requires.", "write text in that form")
  static let format = code(
    "SCH0303", "schema-format", "A text does not match its format.", "write the text in that format")
  static let required = code("SCH0401", "schema-required", "An object lacks a required member.", "add the member")
  static let unknownMember = code(
    "SCH0402", "schema-unknown-member", "An object has a member that the schema does not allow.",
    "correct the member's name, or remove the member")
  static let memberName = code(
    "SCH0403", "schema-member-name", "A member's name is not allowed.", "correct the name")
  static let memberCount = code(
    "SCH0404", "schema-member-count", "An object has too few or too many members.", "add or remove members")
  static let itemCount = code(
    "SCH0501", "schema-item-count", "An array has too few or too many elements.", "add or remove elements")
  static let unique = code(
    "SCH0502", "schema-unique", "An array contains an element twice.", "remove one of the two elements")
  static let contains = code(
    "SCH0503", "schema-contains", "An array lacks an element that the schema requires, or has too many of them.",
    "add or remove such elements")
  static let extraItem = code(
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
