import Content
import JSONText

extension Candidate {
  /// Whether the library has everything already that the source says.
  var isSame: Bool { same(source, existing) }

  private func same(_ mine: MemberSlots, _ theirs: MemberSlots) -> Bool {
    for index in mine.rules.indices {
      switch mine.rules[index] {
      case .publication where restoresPublishing:
        if !samePublication(mine, theirs, index) { return false }
      case .publication, .status, .statistics, .id, .extras: continue
      case .time where isFromFile(mine.shape.members[index]): continue
      case .time, .optional:
        if let value = mine[index], !Self.equal(value, theirs[index]) { return false }
      case .ticks where unitesTicks:
        if let ticks = mine[index], !TickUnion.contains(theirs[index], ticks) { return false }
      case .reference:
        if !equalReference(mine[index], theirs[index]) { return false }
      case .document:
        guard mine[index] != nil, let document else { continue }
        if theirs[index] == nil || document.existing.node == nil || !same(document.source, document.existing) {
          return false
        }
      case .sections, .content, .ticks:
        if !Self.equal(mine[index], theirs[index]) { return false }
      }
    }
    return true
  }

  /// Whether both sides say the same of a record's publication; to say nothing is to say what the app assumes.
  private func samePublication(_ mine: MemberSlots, _ theirs: MemberSlots, _ index: Int) -> Bool {
    if Self.equal(mine[index], theirs[index]) { return true }
    let member = mine.shape.members[index]
    return [mine[index], theirs[index]].allSatisfy { $0.map { Self.isDefault($0, member) } ?? true }
  }

  /// Whether a time of the source is not that of what it says: its file's, or that of the export that it comes from.
  func isFromFile(_ member: ShapeMember) -> Bool {
    if hasTimesOfExport, existing.node != nil { return true }
    guard isCreatedFromFile || isUpdatedFromFile else { return false }
    return member.nameText.hasPrefix("created") ? isCreatedFromFile : isUpdatedFromFile
  }

  static func equal(_ left: JSONNode?, _ right: JSONNode?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return RawJSON.equal(left, right)
  }

  private func equalReference(_ left: JSONNode?, _ right: JSONNode?) -> Bool {
    if moved.isEmpty { return Self.equal(left, right) }
    guard let id = left?.string, let new = moved[id] else { return Self.equal(left, right) }
    return right?.string == new
  }
}
