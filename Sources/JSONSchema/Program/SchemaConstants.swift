import JSONText

/// A number with which a schema compares values.
struct NumberLimit {
  /// The number as written in the schema.
  var node: JSONNode
  var exact: DecimalView
  /// The number's value, if it is whole and has at most 18 digits.
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
  /// The start of the values in the constants.
  var first: UInt32
  var count: UInt32
  /// A bit for each kind of value that occurs.
  var kinds: UInt8
  /// The slots of a hash table in `lists`. The mask is 0 if the list is short enough to search.
  var slots: UInt32 = 0
  var slotMask: UInt32 = 0
}
