import JSONText

/// A number that a schema compares with.
struct NumberLimit {
  /// The number as the schema writes it.
  var node: JSONNode
  var exact: DecimalView
  /// The number itself when it is whole and has at most 18 digits.
  var small: Int64
  var isSmall: Bool

  init(_ node: JSONNode) {
    self.node = node
    exact = DecimalView(node.raw)
    isSmall = node.isSmallInteger
    small = isSmall ? node.plainInteger : 0
  }
}

/// The values of an `enum`.
struct ValueList {
  /// Where the values lie among the constants.
  var first: UInt32
  var count: UInt32
  /// A bit for each kind that occurs.
  var kinds: UInt8
  /// Slots of a hash table in `lists`; the mask is 0 when the list is short enough to search.
  var slots: UInt32 = 0
  var slotMask: UInt32 = 0
}
