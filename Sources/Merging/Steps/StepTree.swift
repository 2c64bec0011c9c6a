import Content
import Foundation
import JSONText

/// The sections and steps of a checklist, or the cards of a deck, as an import compares them.
///
/// Cards stand in one section that has no name. Valid as long as the nodes are.
struct StepTree {
  /// A section of a checklist.
  struct Section {
    /// Nil for the one that cards stand in.
    let node: JSONNode?
    /// Its id and title as they are written, between their quotes.
    let id: RawText
    let title: RawText
    /// Its steps among all steps.
    var steps: Range<Int>
  }

  /// A step, or a card.
  struct Step {
    let node: JSONNode
    let id: RawText
    let title: RawText
    /// What tells it apart beside the title: a step's description, a card's back.
    let details: RawText
    /// The section that it stands in.
    let section: Int
  }

  private(set) var sections: [Section] = []
  private(set) var steps: [Step] = []
  /// Whether it is a checklist.
  let hasSections: Bool

  /// Takes the document of an item; nil when it has neither sections nor cards.
  init?(document: JSONNode?) {
    if let list = document?.member("sections"), list.kind == .array {
      hasSections = true
      list.forEachElement { section in
        let start = steps.count
        let index = sections.count
        section.member("items")?.forEachElement { step in
          steps.append(
            Step(
              node: step, id: RawText(step.member("id")), title: RawText(step.member("title")),
              details: RawText(step.member("itemDescription")), section: index))
        }
        sections.append(
          Section(
            node: section, id: RawText(section.member("id")), title: RawText(section.member("title")),
            steps: start..<steps.count))
      }
    } else if let list = document?.member("cards"), list.kind == .array {
      hasSections = false
      list.forEachElement { card in
        steps.append(
          Step(
            node: card, id: RawText(card.member("id")), title: RawText(card.member("front")),
            details: RawText(card.member("back")), section: 0))
      }
      sections = [Section(node: nil, id: RawText(nil), title: RawText(nil), steps: 0..<steps.count)]
    } else {
      return nil
    }
  }
}

/// The text of a JSON string as it is written, compared and hashed by its bytes. Valid as long as its node is.
struct RawText: Hashable {
  let bytes: UnsafeBufferPointer<UInt8>

  /// Takes a string; anything else is empty.
  init(_ node: JSONNode?) {
    bytes =
      node.flatMap { $0.kind == .string ? $0.inner : nil } ?? UnsafeBufferPointer(start: nil, count: 0)
  }

  var isEmpty: Bool { bytes.isEmpty }

  static func == (left: RawText, right: RawText) -> Bool {
    guard left.bytes.count == right.bytes.count else { return false }
    guard let mine = left.bytes.baseAddress, let theirs = right.bytes.baseAddress else { return true }
    return memcmp(mine, theirs, left.bytes.count) == 0
  }

  func hash(into hasher: inout Hasher) { hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }

  /// The text; escapes stay as they are written.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Whether it is an id that was made from a name (UUID version 5), as those are that a source did not give.
  var isDerivedID: Bool { bytes.count == 36 && bytes[14] == UInt8(ascii: "5") }
}
