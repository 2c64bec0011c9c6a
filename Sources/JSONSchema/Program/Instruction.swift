/// The operation of one keyword, or of a group of keywords that are checked together.
enum Operation: UInt8 {
  // Any kind of value
  case never, constant, enumeration, reference, dynamicReference, allOf, anyOf, oneOf, not, conditional
  // Numbers
  case minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf
  // Strings
  case minLength, maxLength, pattern, format
  // Arrays
  case minItems, maxItems, uniqueItems, items, contains, unevaluatedItems
  // Objects
  case minProperties, maxProperties, members, dependentRequired, dependentSchemas, unevaluatedProperties
}

/// One step of a compiled schema. The meaning of `a` and `b` depends on the operation:
///
/// - a limit: the index of the number, or the count, in `a`;
/// - one subschema: its node in `a`; several subschemas: their start in `lists` in `a` and their number in `b`;
/// - `conditional`: three nodes in `lists` from `a` (if, then, else);
/// - `items`: the node for the remaining elements, then `b` nodes for the prefix, in `lists` from `a`;
/// - `contains`: the node, the smallest count and the largest count, in `lists` from `a`;
/// - `dependentRequired`: `b` times (name, count, names …) in `lists` from `a`;
/// - `dependentSchemas`: `b` times (name, node) in `lists` from `a`;
/// - `dynamicReference`: the row of the anchor table in `a`, and in `b` the node to use if no anchor is in scope.
struct Instruction {
  var operation: Operation
  var a: UInt32 = 0
  var b: UInt32 = 0
  /// The index of the keyword's place, which is used only for reports.
  var place: UInt32 = 0

  /// The value that means no subschema.
  static let none = UInt32.max
}
