import JSONText

/// One value in three versions; nil where it is not there.
struct MergeTrio {
  var base: JSONNode?
  var ours: JSONNode?
  var theirs: JSONNode?
  /// Whether the base is known; if not, that it has no value says nothing.
  var knowsBase: Bool

  /// What came of one value.
  enum Merged {
    /// It is ours, or not there as with us.
    case ours
    case theirs
    /// It was written.
    case written
  }

  /// The side that is taken where at most one of them changed the value; nil where both did.
  func settled(_ same: (JSONNode?, JSONNode?) -> Bool) -> Merged? {
    if same(ours, theirs) { return .ours }
    guard knowsBase else {
      if MergeTrio.isMissing(ours) { return .theirs }
      return MergeTrio.isMissing(theirs) ? .ours : nil
    }
    if same(base, theirs) { return .ours }
    return same(base, ours) ? .theirs : nil
  }

  /// Whether a value is not there, or null.
  static func isMissing(_ value: JSONNode?) -> Bool { value?.isNull ?? true }

  /// Whether two values are the same; null is as good as nothing.
  static func same(_ left: JSONNode?, _ right: JSONNode?) -> Bool {
    guard let left, let right, !left.isNull, !right.isNull else { return isMissing(left) && isMissing(right) }
    return RawJSON.equal(left, right)
  }

  /// The same for texts, where the empty one is as good as nothing.
  static func sameText(_ left: JSONNode?, _ right: JSONNode?) -> Bool {
    if same(left, right) { return true }
    return isBlank(left) && isBlank(right)
  }

  static func isBlank(_ value: JSONNode?) -> Bool { isMissing(value) || RawJSON.isBlank(value) }

  /// All three if ours and theirs are objects; a base that is none is not there.
  var objects: MergeTrio? {
    guard ours?.kind == .object, theirs?.kind == .object else { return nil }
    return MergeTrio(base: base?.kind == .object ? base : nil, ours: ours, theirs: theirs, knowsBase: knowsBase)
  }
}
