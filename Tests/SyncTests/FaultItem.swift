import FleetKit
import Foundation
import SQLiteIO
import TestSupport

/// The test's own model of one item, independent of the library.
struct FaultItem {
  /// Its subject.
  enum Kind: String, CaseIterable { case practiceGuide, checklist, deck }

  let number: Int
  let kind: Kind
  /// The item that it is a copy of.
  let parent: Int?
  /// How often its content was changed.
  var revision = 0
  /// The revision that others are to see; nil when they are to see none.
  var published: Int?

  var id: String { Self.id(number) }
  static func id(_ number: Int) -> String {
    "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - String(number).count) + String(number)
  }

  var title: String { "Fog signals \(number)" }
  static func text(_ revision: Int) -> String { "Revision \(revision)." }

  /// Whether others have copies of it: it is never withdrawn.
  var isParent: Bool { number % 10 == 0 }

  /// Item `number` of every world: mostly guides and checklists, some decks, some copies.
  init(_ number: Int) {
    self.number = number
    parent = number % 10 == 1 ? number - 1 : nil
    kind = number % 10 < 2 ? .practiceGuide : number % 10 < 4 ? .deck : number % 2 == 0 ? .checklist : .practiceGuide
  }

  /// Its line of a bundle.
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

  /// Changes its content in the library, as an app would.
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
