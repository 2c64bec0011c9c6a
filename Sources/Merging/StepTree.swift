import Content
import Foundation
import JSONText

/// The sections and steps of a checklist, or the cards of a deck, in the form that an import compares.
///
/// Cards are in one section without a name. The tree is valid as long as the nodes.
struct StepTree {
  /// A section of a checklist.
  struct Section {
    /// The section's node; nil for the section of cards.
    let node: JSONNode?
    /// The section's id and title in their written form, without quotes.
    let id: RawString
    let title: RawString
    /// The range of the section's steps in the list of all steps.
    var steps: Range<Int>
  }

  /// A step, or a card.
  struct Step {
    let node: JSONNode
    let id: RawString
    let title: RawString
    /// The value that distinguishes a step in addition to its title: a step's description, or a card's back.
    let details: RawString
    /// The index of the step's section.
    let section: Int
  }

  private(set) var sections: [Section] = []
  private(set) var steps: [Step] = []
  /// Whether the item is a checklist.
  let hasSections: Bool

  /// Makes the tree of an item's document; nil if it has neither sections nor cards.
  init?(document: JSONNode?) {
    if let list = document?.member("sections"), list.kind == .array {
      hasSections = true
      list.forEachElement { section in
        let start = steps.count
        let index = sections.count
        section.member("items")?.forEachElement { step in
          steps.append(
            Step(
              node: step, id: RawString(step.member("id")), title: RawString(step.member("title")),
              details: RawString(step.member("itemDescription")), section: index))
        }
        sections.append(
          Section(
            node: section, id: RawString(section.member("id")), title: RawString(section.member("title")),
            steps: start..<steps.count))
      }
    } else if let list = document?.member("cards"), list.kind == .array {
      hasSections = false
      list.forEachElement { card in
        steps.append(
          Step(
            node: card, id: RawString(card.member("id")), title: RawString(card.member("front")),
            details: RawString(card.member("back")), section: 0))
      }
      sections = [Section(node: nil, id: RawString(nil), title: RawString(nil), steps: 0..<steps.count)]
    } else {
      return nil
    }
  }
}

/// The written form of a JSON string, compared and hashed by its bytes. It is valid as long as its node.
struct RawString: Hashable {
  let bytes: UnsafeBufferPointer<UInt8>

  /// Makes the written form of a string. For any other node, the result is empty.
  init(_ node: JSONNode?) {
    bytes =
      node.flatMap { $0.kind == .string ? $0.inner : nil } ?? UnsafeBufferPointer(start: nil, count: 0)
  }

  var isEmpty: Bool { bytes.isEmpty }

  static func == (left: RawString, right: RawString) -> Bool {
    guard left.bytes.count == right.bytes.count else { return false }
    guard let mine = left.bytes.baseAddress, let theirs = right.bytes.baseAddress else { return true }
    return memcmp(mine, theirs, left.bytes.count) == 0
  }

  func hash(into hasher: inout Hasher) { hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }

  /// The text with its escapes.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Whether the string is an id derived from a name (UUID version 5), as given to elements whose source has no ids.
  var isDerivedID: Bool { bytes.count == 36 && bytes[14] == UInt8(ascii: "5") }
}
