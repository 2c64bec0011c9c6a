/// One compiled subschema: which kinds of value it takes and which instructions it runs for each kind.
///
/// Instructions lie in one flat table, sorted by the kind of value that they look at.
struct SchemaNode {
  /// A bit for each `JSONToken.Kind`; bit 7 is set when whole numbers are taken and others are not.
  var types: UInt8 = SchemaNode.everyType
  /// What needs care while the node runs.
  var flags: Flags = []
  /// The resource that the subschema belongs to.
  var resource: UInt32 = 0
  /// Where the instructions for any kind of value begin.
  var first: UInt32 = 0
  /// Where the instructions for any kind, numbers, strings, arrays and objects end.
  var generalEnd: UInt32 = 0
  var numberEnd: UInt32 = 0
  var stringEnd: UInt32 = 0
  var arrayEnd: UInt32 = 0
  var objectEnd: UInt32 = 0

  static let everyType: UInt8 = 0x7F
  static let wholeNumber: UInt8 = 0x80

  struct Flags: OptionSet {
    let rawValue: UInt8
    /// `unevaluatedProperties` needs to know which members were looked at.
    static let tracksMembers = Flags(rawValue: 1)
    /// `unevaluatedItems` needs to know which elements were looked at.
    static let tracksItems = Flags(rawValue: 2)
    /// The resource has an anchor that a `$dynamicRef` may find.
    static let entersScope = Flags(rawValue: 4)
  }
}
