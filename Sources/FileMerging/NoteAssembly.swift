import Content
import Diagnostics
import Interchange
import JSONText
import RecordSources

/// Assembles a merged note from the lines of both sides, step by step. Unlike a line-by-line merge, this handles moved
/// steps.
struct NoteAssembly {
  let base: NoteBlocks?
  let ours: NoteBlocks
  let theirs: NoteBlocks
  /// Whether conflicts use the other side's lines.
  let takesTheirs: Bool

  /// Returns the text; nil if lines for a part of the record are missing.
  /// - Parameter line: the merged record, with the ids of the blocks.
  func text(of line: [UInt8]) -> [UInt8]? {
    guard let root = try? JSONDocument(parsing: line).root else { return nil }
    let elements = NoteBlocks.elements(root)
    let kinds = Dictionary(
      elements.compactMap { element in element.value["id"]?.string.map { ($0, element.kind) } },
      uniquingKeysWith: { first, _ in first })
    var lines = weave(base?.head ?? [], ours.head, theirs.head).lines
    for (index, element) in elements.enumerated() {
      guard let id = element.value["id"]?.string, let (block, own) = block(id, element) else { return nil }
      lines += block
      let next = index + 1 < elements.count ? elements[index + 1].kind : NoteBlocks.Kind.end
      let usual = own.next == next ? own.gap : nil
      let gap =
        usual ?? ours.gap(kinds, element.kind, next) ?? theirs.gap(kinds, element.kind, next)
        ?? ours.gap(kinds, .step, next) ?? (next == .step ? 0 : 1)
      lines += Array(repeating: Self.blank(block), count: gap)
    }
    return Array(lines.joined(separator: [0x0A]))
  }

  /// Returns an empty line with the same line end as the other lines.
  private static func blank(_ block: [ArraySlice<UInt8>]) -> ArraySlice<UInt8> {
    block.last?.last == 0x0D ? [0x0D] : []
  }

  private func block(_ id: String, _ element: NoteBlocks.Element) -> ([ArraySlice<UInt8>], NoteBlocks.Block)? {
    let mine = ours.byID[id].map { ours.blocks[$0] }
    let other = theirs.byID[id].map { theirs.blocks[$0] }
    guard let mine, let other else {
      guard let only = mine ?? other else { return nil }
      return (only.lines, only)
    }
    let old = base.flatMap { base in base.byID[id].map { base.blocks[$0].lines } } ?? []
    let (lines, isClean) = weave(old, mine.lines, other.lines)
    if !isClean {
      if matches(ours.values[id], element) { return (mine.lines, mine) }
      if matches(theirs.values[id], element) { return (other.lines, other) }
    }
    return (lines, takesTheirs ? other : mine)
  }

  /// Whether a section or step of one side equals the merged one. The steps of a section are compared separately.
  private func matches(_ value: JSONValue?, _ element: NoteBlocks.Element) -> Bool {
    guard let value else { return false }
    func members(_ value: JSONValue) -> [(String, JSONValue)] {
      value.members.map { ($0.name, $0.value) }
        .filter { $0.0 != "id" && $0.0 != "sortOrder" && $0.0 != "items" && !$0.1.isNull }
    }
    let (left, right) = (members(value), members(element.value))
    return left.count == right.count
      && left.allSatisfy { name, value in right.contains { $0.0.utf8.elementsEqual(name.utf8) && $0.1.means(value) } }
  }

  private func weave(
    _ base: [ArraySlice<UInt8>], _ ours: [ArraySlice<UInt8>], _ theirs: [ArraySlice<UInt8>]
  ) -> (lines: [ArraySlice<UInt8>], isClean: Bool) {
    if ours == theirs { return (ours, true) }
    var lines: [ArraySlice<UInt8>] = []
    var isClean = true
    for piece in Diff3(base: base, ours: ours, theirs: theirs, touching: .merges).pieces {
      switch TextCandidates.wordByWord(piece) {
      case .units(let units): lines += units
      case .conflict(_, let mine, let other):
        lines += takesTheirs ? other : mine
        isClean = false
      }
    }
    return (lines, isClean)
  }
}
