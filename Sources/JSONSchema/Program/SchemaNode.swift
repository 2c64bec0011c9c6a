/// A compiled subschema: the kinds of value that it allows, and the instructions that it runs for each kind.
///
/// The instructions are in one flat table, sorted by the kind of value that they check.
struct SchemaNode {
  /// A bit for each `JSONToken.Kind`; bit 7 is set if only whole numbers are allowed.
  var types: UInt8 = SchemaNode.everyType
  /// Properties that need special treatment while the node runs.
  var flags: Flags = []
  /// The resource to which the subschema belongs.
  var resource: UInt32 = 0
  /// The start of the instructions for any kind of value.
  var first: UInt32 = 0
  /// The ends of the instructions for any kind, numbers, strings, arrays and objects.
  var generalEnd: UInt32 = 0
  var numberEnd: UInt32 = 0
  var stringEnd: UInt32 = 0
  var arrayEnd: UInt32 = 0
  var objectEnd: UInt32 = 0

  static let everyType: UInt8 = 0x7F
  static let wholeNumber: UInt8 = 0x80

  struct Flags: OptionSet {
    let rawValue: UInt8
    /// The evaluated members are tracked for `unevaluatedProperties`.
    static let tracksMembers = Flags(rawValue: 1)
    /// The evaluated elements are tracked for `unevaluatedItems`.
    static let tracksItems = Flags(rawValue: 2)
    /// The resource has an anchor that a `$dynamicRef` may find.
    static let entersScope = Flags(rawValue: 4)
  }
}
