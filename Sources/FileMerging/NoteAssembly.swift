import Content
import Diagnostics
import Interchange
import JSONText
import RecordSources

/// Assembles a merged note from lines of both sides, step by step. Unlike a line-by-line merge, this handles moved
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

/// The lines of a note, grouped by the section, step or card that they contain.
struct NoteBlocks {
  /// The lines of one section's heading and text, or of one step.
  struct Block {
    let lines: [ArraySlice<UInt8>]
    /// The number of empty lines after the block.
    let gap: Int
    /// The kind of the next block.
    let next: Kind
  }

  enum Kind: Hashable {
    case section, step, end
  }

  /// The lines before the first block.
  let head: [ArraySlice<UInt8>]
  private(set) var blocks: [Block] = []
  /// The block of each section and step, by id.
  private(set) var byID: [String: Int] = [:]
  /// The JSON of each section, step and card, by id.
  private(set) var values: [String: JSONValue] = [:]

  /// Splits a note into blocks. Fails if two blocks begin on the same line.
  /// - Parameters:
  ///   - line: the note's record, with the ids of the blocks.
  ///   - start: returns the line, counted from 1, on which the value at a pointer begins.
  init?(_ text: [UInt8], _ line: [UInt8], start: (JSONPointer) -> Int?) {
    guard let root = try? JSONDocument(parsing: line).root else { return nil }
    let lines = TextCandidates.lines(text)
    var found: [(line: Int, id: String, kind: Kind)] = []
    for element in Self.elements(root) {
      guard let id = element.value["id"]?.string,
        let pointer = JSONPointer(element.pointer + (element.isCard ? "/front" : "/title")),
        let number = start(pointer), number >= 1, number <= lines.count, number > found.last?.line ?? 0,
        byID[id] == nil
      else { return nil }
      byID[id] = found.count
      values[id] = element.value
      found.append((number, id, element.kind))
    }
    guard let first = found.first else { return nil }
    head = Array(lines[..<(first.line - 1)])
    for (index, block) in found.enumerated() {
      let end = index + 1 < found.count ? found[index + 1].line - 1 : lines.count
      var own = lines[(block.line - 1)..<end]
      var gap = 0
      while let last = own.last, own.count > 1, last.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) {
        own.removeLast()
        gap += 1
      }
      blocks.append(Block(lines: Array(own), gap: gap, next: index + 1 < found.count ? found[index + 1].kind : .end))
    }
  }

  /// Returns the most frequent number of empty lines between two blocks.
  func gap(_ kinds: [String: Kind], _ from: Kind, _ to: Kind) -> Int? {
    var counts: [Int: Int] = [:]
    for (id, index) in byID where kinds[id] == from && blocks[index].next == to {
      counts[blocks[index].gap, default: 0] += 1
    }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }

  /// A section, a step or a card of a record.
  struct Element {
    let pointer: String
    let value: JSONValue
    let kind: Kind
    let isCard: Bool
  }

  /// Returns sections and steps, or cards, in their order.
  static func elements(_ root: JSONValue) -> [Element] {
    var found: [Element] = []
    let document = root["content_data"]
    for (index, section) in (document?["sections"]?.elements ?? []).enumerated() {
      let pointer = "/content_data/sections/\(index)"
      found.append(Element(pointer: pointer, value: section, kind: .section, isCard: false))
      for (number, step) in (section["items"]?.elements ?? []).enumerated() {
        found.append(Element(pointer: "\(pointer)/items/\(number)", value: step, kind: .step, isCard: false))
      }
    }
    for (index, card) in (document?["cards"]?.elements ?? []).enumerated() {
      found.append(Element(pointer: "/content_data/cards/\(index)", value: card, kind: .step, isCard: true))
    }
    return found
  }
}
