import Content
import JSONText

/// Texts and tags.
extension MergeRun {
  /// Merges texts that both sides changed: line by line where there is more than one.
  func mergeText(_ trio: MergeTrio, _ place: MergePlace, into out: inout ByteBuffer) -> MergeTrio.Merged {
    guard let base = trio.base, let ours = trio.ours, let theirs = trio.theirs, base.kind == .string,
      ours.kind == .string, theirs.kind == .string, Self.hasLines(base) || Self.hasLines(ours) && Self.hasLines(theirs)
    else { return choose(place, trio) }
    // Who empties a text says something about all of its lines.
    guard !MergeTrio.isBlank(ours), !MergeTrio.isBlank(theirs) else { return choose(place, trio) }
    let merge = TextMerge(base: base.textBytes, ours: ours.textBytes, theirs: theirs.textBytes)
    effort += merge.effort
    var takesTheirs = false
    if !merge.conflicts.isEmpty {
      switch settle(place, trio, note: MergeWords.lines(merge.conflicts)) {
      case .undecided: return .ours
      case .ours: break
      case .theirs: takesTheirs = true
      }
    }
    merge.text(takingTheirs: takesTheirs).withUnsafeBufferPointer { out.appendJSONString($0) }
    return .written
  }

  /// Whether a text has more than one line: in a canonical line an ending is written `\n`.
  private static func hasLines(_ text: JSONNode) -> Bool {
    text.token.flags.contains(.escaped) && text.textBytes.contains(0x0A)
  }

  /// Merges tags that both sides changed: ours without those that theirs took away, and those that theirs added behind
  /// what they stand behind there. Tags never conflict.
  /// - Returns: whether they are tags.
  func mergeTags(_ trio: MergeTrio, into out: inout ByteBuffer) -> Bool {
    var numbers: [RawText: Int] = [:]
    var values: [JSONNode] = []
    func list(_ node: JSONNode?) -> [Int]? {
      guard let node, !node.isNull else { return [] }
      guard node.kind == .array else { return nil }
      var list: [Int] = []
      var seen = Set<Int>()
      var isSound = true
      node.forEachElement { tag in
        effort += 1
        guard tag.kind == .string else {
          isSound = false
          return
        }
        let number = numbers[RawText(tag)] ?? values.count
        if number == values.count {
          numbers[RawText(tag)] = number
          values.append(tag)
        }
        if seen.insert(number).inserted { list.append(number) }
      }
      return isSound ? list : nil
    }
    guard let ours = list(trio.ours), let theirs = list(trio.theirs) else { return false }
    let base = list(trio.base) ?? []
    let (old, mine, other) = (Set(base), Set(ours), Set(theirs))
    let stays = { (tag: Int) in mine.contains(tag) && other.contains(tag) || !old.contains(tag) }
    var order = OrderMerge()
    let merged = order.merge(base: base, ours: ours.filter(stays), theirs: theirs.filter(stays)) { .ours }
    effort += order.effort
    out.append(UInt8(ascii: "["))
    for (index, tag) in merged.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      out.append(values[tag].raw)
    }
    out.append(UInt8(ascii: "]"))
    return true
  }
}
