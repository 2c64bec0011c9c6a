import FleetKit
import Foundation
import SQLiteIO
import TestSupport

/// The test's own model of one item, which does not depend on the library.
struct FaultItem {
  /// The kind of content.
  enum Kind: String, CaseIterable { case practiceGuide, checklist, deck }

  let number: Int
  let kind: Kind
  /// The number of the item from which this one was forked.
  let parent: Int?
  /// The number of changes to its content.
  var revision = 0
  /// The revision that should be public; nil if the item should not be public.
  var published: Int?

  var id: String { Self.id(number) }
  static func id(_ number: Int) -> String {
    "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - String(number).count) + String(number)
  }

  var title: String { "Fog signals \(number)" }
  static func text(_ revision: Int) -> String { "Revision \(revision)." }

  /// Whether other items are forks of this one, so that it is never withdrawn.
  var isParent: Bool { number % 10 == 0 }

  /// Creates item `number`, which is the same in every world: mostly guides and checklists, some decks, some forks.
  init(_ number: Int) {
    self.number = number
    parent = number % 10 == 1 ? number - 1 : nil
    kind = number % 10 < 2 ? .practiceGuide : number % 10 < 4 ? .deck : number % 2 == 0 ? .checklist : .practiceGuide
  }

  /// The item as a line of a bundle.
  var line: String {
    let (type, data) =
      switch kind {
      case .practiceGuide: ("practice_guide", "{\"markdown\":\"# Fog\\n\\n\(Self.text(0))\"}")
      case .checklist:
        ("checklist", "{\"sections\":[{\"title\":\"Fog\",\"items\":[{\"title\":\"\(Self.text(0))\"}]}]}")
      case .deck: ("flashcard_deck", "{\"cards\":[{\"front\":\"Fog\",\"back\":\"\(Self.text(0))\"}]}")
      }
    return """
      {"kind":"item","id":"\(id)","content_type":"\(type)","title":"\(title)","description":"What to do in fog.",\
      "tags":["fog"],"language":"en","content_data":\(data)}

      """
  }

  /// Changes the item's content in the library, as the app would.
  mutating func edit(_ library: SQLiteConnection, _ beside: SQLiteConnection) throws {
    let (old, new) = (Self.text(revision), Self.text(revision + 1))
    switch kind {
    case .practiceGuide:
      _ = try library.rows(
        "UPDATE practice_guides SET markdown = replace(markdown, ?, ?) WHERE id = ?", [old, new, id])
    case .checklist:
      _ = try library.rows("UPDATE checklists SET content = replace(content, ?, ?) WHERE id = ?", [old, new, id])
    case .deck:
      _ = try beside.rows(
        "UPDATE records SET line = CAST(replace(CAST(line AS TEXT), ?, ?) AS BLOB) WHERE kind = 'item' AND id = ?",
        [old, new, id])
    }
    revision += 1
  }
}
