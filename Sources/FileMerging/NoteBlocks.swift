import Content
import Diagnostics
import Interchange
import JSONText
import RecordSources

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
