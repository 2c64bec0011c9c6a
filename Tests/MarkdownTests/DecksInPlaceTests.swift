import FleetKit
import Foundation
import TestSupport
import Testing

/// Edited cards are written back to people's own notes, in which only the edited lines change.
@Suite struct DecksInPlaceTests {
  enum Edit: CaseIterable {
    case front, back, lines, delete, insert, append, move
  }

  private typealias Card = [String: Any]

  static let styles = ["questions", "items", "colons", "blocks", "rules", "crlf"]

  private static func note(_ style: String) -> String {
    let lights = ["Anchored", "Aground", "Fishing", "Trawling", "Towing"]
    let cards = lights.map { ("What shows a vessel \($0)?", "Lights of \($0)") }
    switch style {
    case "questions":
      return "# Lights\n\nFlashcards.\n\n" + cards.map { "Q: \($0.0)\nA: \($0.1)\n" }.joined(separator: "\n")
    case "items":
      return "---\ntags: [colregs]\n---\n# Lights\n\n"
        + cards.map { "- **Q:** \($0.0)\n  **A:** \($0.1)\n" }.joined() + "\n<!-- the end -->\n"
    case "colons": return "#flashcards\n\n# Lights\n\n" + cards.map { "\($0.0)::\($0.1)\n" }.joined() + "\n"
    case "blocks": return "#flashcards\n\n" + cards.map { "\($0.0)\n?\n\($0.1)\n" }.joined(separator: "\n")
    case "rules":
      return "# Lights\n\n" + cards.map { "Q: \($0.0)\n\nA: \($0.1)\n" }.joined(separator: "\n---\n\n")
    default: return note("questions").replacing("\n", with: "\r\n")
    }
  }

  private static func apply(_ edit: Edit, to cards: inout [Card]) {
    let new: Card = ["id": UUID().uuidString, "front": "What shows a pilot?", "back": "White over red"]
    switch edit {
    case .front: cards[2]["front"] = "What shows a vessel that fishes?"
    case .back: cards[2]["back"] = "Red over white"
    case .lines: cards[2]["back"] = "Red over white,\nand a cone"
    case .delete: cards.remove(at: 2)
    case .insert: cards.insert(new, at: 2)
    case .append: cards.append(new)
    case .move: cards.insert(cards.remove(at: 3), at: 1)
    }
    for index in cards.indices { cards[index]["sortOrder"] = index }
  }

  @Test(arguments: styles, Edit.allCases) func anEditChangesItsOwnLines(_ style: String, _ edit: Edit) throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["notes"], withIntermediateDirectories: true)
    let text = Self.note(style)
    _ = try scratch.write("notes/Lights deck.md", text)
    try Vaults.convert(scratch["notes"], to: scratch["a.jsonl"])
    var lines = try scratch.text("a.jsonl").split(separator: "\n").map(String.init)
    #expect(lines.count == 2)
    var record = try #require(JSONSerialization.jsonObject(with: Data(lines[1].utf8)) as? [String: Any])
    var document = try #require(record["content_data"] as? [String: Any])
    var cards = try #require(document["cards"] as? [Card])
    #expect(cards.count == 5)
    Self.apply(edit, to: &cards)
    document["cards"] = cards
    record["content_data"] = document
    lines[1] = String(decoding: try JSONSerialization.data(withJSONObject: record), as: UTF8.self)
    _ = try scratch.write("a.jsonl", lines.joined(separator: "\n") + "\n")
    let summary = try Vaults.convert(scratch["a.jsonl"], to: scratch["notes/"], overwrites: true)
    // In a list of one-line cards, a card cannot have a second line.
    if style == "colons", edit == .lines {
      #expect(summary.tally[.item].rejected == 1)
      #expect(summary.context.findings.kept.contains { $0.code == .noteNotWritten && $0.place.line == 7 })
      return #expect(try scratch.text("notes/Lights deck.md") == text)
    }
    #expect(summary.tally[.item].updated == 1, "\(style) \(edit)")
    let now = try scratch.text("notes/Lights deck.md")
    let difference = NotesInPlaceTests.difference(text, now)
    let most = [Edit.front: 2, .back: 2, .lines: 3, .move: 12][edit] ?? 6
    #expect((1...most).contains(difference.count), "\(style) \(edit): \(difference)")
    #expect(!now.contains("id=") && !now.contains("id:"))
    // The note now contains what was written, including ids.
    try Vaults.convert(scratch["notes"], to: scratch["b.jsonl"])
    let read = try #require(
      JSONSerialization.jsonObject(with: Data(try scratch.text("b.jsonl").split(separator: "\n")[1].utf8))
        as? [String: Any])
    let there = try #require((read["content_data"] as? [String: Any])?["cards"] as? [Card])
    func words(_ cards: [Card]) -> [String] {
      cards.map { card in ["id", "front", "back"].map { card[$0] as? String ?? "" }.joined(separator: "|") }
    }
    #expect(words(there) == words(cards))
    let marks = try Vaults.marks(scratch["notes"])
    #expect(try Vaults.convert(scratch["a.jsonl"], to: scratch["notes/"], overwrites: true).tally[.item].unchanged == 1)
    #expect(try Vaults.marks(scratch["notes"]) == marks)
  }

  /// When each card has its own note, an edited answer changes that note. The deletion of a card cannot be expressed.
  @Test func aFolderOfCardsChangesItsNotes() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["notes/cards"], withIntermediateDirectories: true)
    for card in 1...4 {
      _ = try scratch.write("notes/cards/c\(card).md", "---\nx: 1\n---\nAnswer \(card)\r\nof two\r\n")
    }
    try Vaults.convert(scratch["notes"], to: scratch["a.jsonl"])
    let bundle = try scratch.text("a.jsonl")
    let edited = bundle.replacing("\"back\":\"Answer 2", with: "\"back\":\"Another answer")
    #expect(edited != bundle)
    _ = try scratch.write("a.jsonl", edited)
    let before = try Vaults.files(scratch["notes"])
    func notes() throws -> [String: Data] {
      try Vaults.files(scratch["notes"]).filter { !$0.key.hasPrefix(".fleetkit/") }
    }
    #expect(try Vaults.convert(scratch["a.jsonl"], to: scratch["notes/"], overwrites: true).tally[.item].updated == 1)
    let after = try notes()
    #expect(
      after["cards/c2.md"] == Data("---\nx: 1\n---\nAnother answer\r\nof two\r\n".utf8)
        && after.filter { $0.key != "cards/c2.md" } == before.filter { $0.key != "cards/c2.md" })
    #expect(try Vaults.convert(scratch["a.jsonl"], to: scratch["notes/"], overwrites: true).tally[.item].unchanged == 1)
    // The edited deck has two cards instead of four.
    let gone = edited.replacing(#/,\{"id":"[^{}]*"front":"c3"[^{}]*\},\{"id":"[^{}]*"front":"c4"[^{}]*\}/#, with: "")
    #expect(gone != edited)
    _ = try scratch.write("a.jsonl", gone)
    let summary = try Vaults.convert(scratch["a.jsonl"], to: scratch["notes/"], overwrites: true)
    #expect(summary.tally[.item].rejected == 1 && summary.tally[.item].created == 0)
    #expect(try notes() == after)
  }
}
