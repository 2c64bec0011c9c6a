import FleetKit
import Foundation
import TestSupport
import Testing

/// Notes that people wrote are restored byte for byte through every format.
@Suite struct VaultCopyTests {
  private static let sample = Paths.root + "/samples/vault"
  /// Notes that are written in UTF-8 although they were read in other encodings, as formats/markdown.md documents.
  private static let recoded: [String: String.Encoding] = [
    "руководства/Радиосвязь.md": .utf16, "чек-листы/Газ на борту.md": .windowsCP1251,
  ]

  /// Returns the notes of a folder by composed name, without files about the folder.
  private static func notes(_ folder: String) throws -> [String: String] {
    var notes: [String: String] = [:]
    for (name, data) in try Vaults.files(folder) where name.hasSuffix(".md") {
      let path = name.precomposedStringWithCanonicalMapping
      if path == "README.md" { continue }
      let isOurs = String(data: data, encoding: .utf8) != nil
      // Foundation removes a byte order mark when it decodes UTF-8.
      notes[path] =
        isOurs ? String(decoding: data, as: UTF8.self) : String(data: data, encoding: recoded[path] ?? .utf8)
    }
    return notes
  }

  private static func bytes(_ text: String?) -> [UInt8] { Array((text ?? "nothing").utf8) }

  @Test(arguments: ["vault", "jsonl", "json"])
  func theSampleIsCopied(_ way: String) throws {
    let scratch = Scratch()
    if way == "vault" {
      try Vaults.convert(Self.sample, to: scratch["copy/"])
    } else {
      try Vaults.convert(Self.sample, to: scratch["a." + way])
      try Vaults.convert(scratch["a." + way], to: scratch["copy/"])
    }
    let before = try Self.notes(Self.sample)
    let after = try Self.notes(scratch["copy"])
    #expect(Set(after.keys) == Set(before.keys) && before.count == 28)
    for (path, text) in before { #expect(Self.bytes(after[path]) == Self.bytes(text), "\(path)") }
  }

  /// In a library, every item needs an id. One line is added to each note without an id, and nothing else changes.
  @Test func throughALibraryNotesGetTheirIds() throws {
    let scratch = Scratch()
    try Vaults.add(Self.sample, to: scratch["a.sqlite"])
    try Vaults.convert(scratch["a.sqlite"], to: scratch["copy/"])
    let before = try Self.notes(Self.sample)
    let after = try Self.notes(scratch["copy"])
    #expect(Set(after.keys) == Set(before.keys))
    for (path, text) in before {
      let written = try #require(after[path], "\(path)")
      #expect(Self.isWithID(written, text, isCard: path.hasPrefix("flashcards/")), "\(path): \(written)")
    }
    // Images keep their paths.
    let images = try Vaults.files(Self.sample).filter { !$0.key.hasSuffix(".md") && !$0.key.hasPrefix(".") }
    let copies = try Vaults.files(scratch["copy"])
    #expect(images.count == 4 && images.allSatisfy { copies[$0.key] == $0.value })
    // In its own vault, a note does not need the id line.
    let own = scratch["own"]
    try FileManager.default.copyItem(atPath: Self.sample, toPath: own)
    try Vaults.add(own, to: scratch["own.sqlite"])
    try Vaults.convert(scratch["own.sqlite"], to: own + "/", overwrites: true)
    let kept = try Self.notes(own)
    for (path, text) in before { #expect(Self.bytes(kept[path]) == Self.bytes(text), "\(path)") }
  }

  /// Whether a note is the original with an additional id line, or with front matter that contains only this line.
  private static func isWithID(_ text: String, _ original: String, isCard: Bool = false) -> Bool {
    // The comparison uses scalars, because Swift treats CRLF as one character.
    let mark: [Unicode.Scalar] = original.hasPrefix("\u{FEFF}") ? ["\u{FEFF}"] : []
    let note = Array(text.unicodeScalars)
    let old = Array(original.unicodeScalars)
    // The cards of a folder have the id of the folder.
    if note == old { return original.contains(/(?m)^id:/) || isCard }
    let name = original.hasPrefix("+++") ? "id = \"" : "id: "
    guard let start = note.indices.first(where: { note[$0...].starts(with: name.unicodeScalars) }) else {
      return false
    }
    var end = start + name.count + 36
    if end < note.count, note[end] == "\"" { end += 1 }
    while end < note.count, note[end] == "\r" || note[end] == "\n" { end += 1 }
    // Remove only one line ending, because the text after it may begin with blank lines.
    let plain = end - 1
    for end in [end, plain] where Array(note[..<start] + note[end...]) == old { return true }
    let fence = (note[..<start], note[end...])
    return ["---\n", "---\r\n"].map { Array($0.unicodeScalars) }.contains { line in
      Array(fence.0) == mark + line && fence.1.starts(with: line) && mark + Array(fence.1.dropFirst(line.count)) == old
    }
  }

  private static let hard: [String: String] = [
    "CRLF.md":
      "---\r\n# how we go about\r\nmood: calm   # always\r\ntags: [b, a]\r\ntitle: About\r\n---\r\n\r\nText\r\n",
    "BOM.md": "\u{FEFF}---\ntitle: Mark\nz: 1\na: {x: [1, 2]}\n---\nText",
    "BOM2.md": "\u{FEFF}Text without front matter\n",
    "CR.md": "---\rtitle: Old Mac\rboat: Alma\r---\rOne\rTwo\r",
    "Keys.md": "---\naliases:\n  - one\n  - two\n\n# a comment between\ntitle: 'Single'\ncssclass: wide\n---\n",
    "Empty.md": "", "Rule.md": "---\n\nA rule above, text below.\n\n---\n",
    "Toml.md": "+++\ntitle = \"TOML\"\n+++\nText\n",
    "Lists/Packing.md": "# Packing\r\n\r\n* Passport\r\n* [x] Oilskins #clothes\r\n\r\n1. Boots\r\n2) Hat\r\n",
    "Lists/Mixed.md": "---\ntype: checklist\nowner: me\n---\nBefore\n\n## A\n☐ one\n☐ two\n\n____ three\n",
    "Cards/Deck.md": "---\ntype: deck\nsource: book\n---\nQ: one?\nA: yes\n\nQ: two?\nA: no <!-- mine -->\n",
    "Dots.md": "---  \ntitle: Dots\n...\nText\n", "Toml2.md": "+++\r\ndraft = true\r\n+++\r\n\r\nText\r\n",
    "Loose.md": "---\ncreated: next summer\ndate: 2026-13-45\ntitle: Loose\n---\nText\n",
    "Broken.md": "---\ntitle: a: b\nother: \"x\n---\nText\n",
  ]

  @Test(arguments: [false, true])
  func hardNotesComeBack(_ throughLibrary: Bool) throws {
    let scratch = Scratch()
    for (path, text) in Self.hard {
      let url = URL(fileURLWithPath: scratch["mine/" + path])
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
    if throughLibrary {
      let summary = try Vaults.add(scratch["mine"], to: scratch["a.sqlite"])
      #expect(summary.tally[.item].created == Self.hard.count)
      try Vaults.convert(scratch["a.sqlite"], to: scratch["copy/"])
    } else {
      try Vaults.convert(scratch["mine"], to: scratch["copy/"])
    }
    let after = try Vaults.files(scratch["copy"])
    for (path, text) in Self.hard {
      let written = String(decoding: try #require(after[path], "\(path)"), as: UTF8.self)
      let isSame = throughLibrary ? Self.isWithID(written, text) : Self.bytes(written) == Self.bytes(text)
      #expect(isSame, "\(path): \(written.debugDescription)")
    }
    // When they are read again, the notes are the same items.
    let again = try Vaults.convert(scratch["copy"], to: scratch["again.jsonl"])
    #expect(again.tally[.item].created == Self.hard.count)
  }
}
