import FleetKit
import Foundation
import Interchange
import JSONText
import TestSupport
import Testing

@testable import Markdown

@Suite struct VaultWriterTests {
  static let libraries = [
    "library-v1.0.0.sqlite", "library-v1.4.0.sqlite", "library-v1.6.0-buggy-queue.sqlite", "library-v1.9.0.sqlite",
    "library-v2.2.0.sqlite", "library-v2.2.0-upgraded-from-v1.4.0.sqlite",
  ]

  @Test(arguments: libraries)
  func libraryToVaultAndBack(_ name: String) throws {
    let scratch = Scratch()
    let library = Paths.libraries + "/" + name
    let summary = try Vaults.convert(library, to: scratch["vault/"])
    #expect(summary.tally.balances && summary.context.losses.total == 0)
    #expect(
      try Vaults.records(scratch["vault"], scratch, originals: true)
        == Vaults.records(library, scratch, originals: true))
    // No note has to be kept whole, because all of them were written by hand in an ordinary notation.
    #expect(summary.notes == summary.tally[.item].created)
    #expect(!FileManager.default.fileExists(atPath: scratch["vault/.fleetkit/staging"]))
  }

  @Test(arguments: ["library-v2.2.0.sqlite", "library-v1.4.0.sqlite"])
  func aSecondExportTouchesNothing(_ name: String) throws {
    let scratch = Scratch()
    try Vaults.convert(Paths.libraries + "/" + name, to: scratch["vault"], format: "markdown")
    let before = try Vaults.marks(scratch["vault"])
    let summary = try Vaults.convert(Paths.libraries + "/" + name, to: scratch["vault/"])
    let total = summary.tally.total
    #expect(total.unchanged == total.read && total.read > 20 && summary.tally.balances)
    #expect(try Vaults.marks(scratch["vault"]) == before)
    #expect(scratch.names == ["vault"])
  }

  @Test func oneStepIsOneLine() throws {
    let scratch = Scratch()
    let bundle = scratch["a.jsonl"]
    try Vaults.convert(Paths.libraries + "/library-v2.2.0.sqlite", to: bundle)
    try Vaults.convert(bundle, to: scratch["vault/"])
    let before = try Vaults.files(scratch["vault"])
    let text = try scratch.text("a.jsonl")
    #expect(text.contains("\"title\":\"Gearbox oil\""))
    _ = try scratch.write("a.jsonl", text.replacing("\"title\":\"Gearbox oil\"", with: "\"title\":\"Gear oil\""))
    let summary = try Vaults.convert(bundle, to: scratch["vault/"])
    #expect(summary.tally[.item].updated == 1 && summary.tally.total.created == 0)
    let after = try Vaults.files(scratch["vault"])
    let changed = after.filter { before[$0.key] != $0.value }
    #expect(changed.count == 1 && before.count == after.count)
    func lines(_ data: Data?) -> [Substring] { String(decoding: data ?? Data(), as: UTF8.self).split(separator: "\n") }
    let difference = lines(changed.first?.value).difference(from: lines(changed.first.flatMap { before[$0.key] }))
    #expect(difference.insertions.count == 1 && difference.removals.count == 1)
  }

  @Test func notesThatPeopleWroteComeBackByteForByte() throws {
    let scratch = Scratch()
    let notes = [
      "Guides/Knots.md":
        "---\n# mine\ntags: knots, rope   # two\nid: \(Notes.id(1))\nmood: 🙂\ncreated: 2024-01-02T03:04:05Z\n"
        + "updated: 2024-01-02\ntype: guide\nlanguage: en\n---\n\n# Knots\n\nText\n",
      "Списки/Отход.md":
        "\u{FEFF}---\r\nid: \(Notes.id(2))\r\ncreated: 2024-01-02\r\nupdated: 2024-01-02\r\nlanguage: ru\r\n"
        + "type: checklist\r\n---\r\n# Отход\r\n\r\n* [ ] Концы\r\n* [x] Кранцы #борт\r\n",
    ]
    for (path, text) in notes { try Self.put(text, scratch["mine/" + path]) }
    try Vaults.convert(scratch["mine"], to: scratch["a.jsonl"])
    let summary = try Vaults.convert(scratch["a.jsonl"], to: scratch["vault/"])
    #expect(summary.notes == 2)
    let files = try Vaults.files(scratch["vault"])
    for (path, text) in notes { #expect(files[path] == Data(text.utf8), "\(path)") }
    #expect(try Vaults.records(scratch["vault"], scratch) == Vaults.records(scratch["a.jsonl"], scratch))
  }

  @Test func notesWithoutIdsStayAsTheyAreAndGetThemFromALibrary() throws {
    let scratch = Scratch()
    let text = "# Heaving to\n\nBack the jib.\n"
    try Self.put(text, scratch["mine/Sea/Heaving to.md"])
    try Vaults.convert(scratch["mine"], to: scratch["a.jsonl"])
    let summary = try Vaults.convert(scratch["a.jsonl"], to: scratch["mine/"], overwrites: true)
    #expect(summary.tally[.item].unchanged == 1)
    #expect(try scratch.text("mine/Sea/Heaving to.md") == text)
    // A copy of the vault also has the same notes.
    try Vaults.convert(scratch["a.jsonl"], to: scratch["copy/"])
    #expect(try scratch.text("copy/Sea/Heaving to.md") == text)
    // A library identifies every item by its id, so in another vault the note must contain the id.
    let library = scratch["a.sqlite"]
    try Vaults.add(scratch["mine"], to: library)
    try Vaults.convert(library, to: scratch["other/"])
    #expect(try Vaults.convert(library, to: scratch["mine/"]).tally[.item].unchanged == 1)
    let note = try scratch.text("other/Sea/Heaving to.md")
    #expect(note.wholeMatch(of: /---\nid: [0-9A-F-]{36}\n---\n# Heaving to\n\nBack the jib.\n/) != nil)
    #expect(try Vaults.add(scratch["other"], to: library).tally.total.unchanged == 1)
  }

  // MARK: Names

  @Test func itemsKeepTheirFilesAndShareNoName() throws {
    let scratch = Scratch()
    let bundle = try scratch.write("a.jsonl", Vaults.bundle([Notes.guide(1, title: "Leaving", body: "a")]))
    try Vaults.convert(bundle, to: scratch["vault/"])
    #expect(try Self.notes(scratch) == ["guides/leaving.md"])
    _ = try scratch.write(
      "a.jsonl",
      Vaults.bundle([
        Notes.guide(1, title: "Departing", body: "a"), Notes.guide(2, title: "Leaving", body: "b"),
        Notes.guide(3, title: "Mooring", body: "c"), Notes.guide(4, title: "Mooring!", body: "d"),
      ]))
    try Self.put("my own", scratch["vault/guides/mine.md"])
    let summary = try Vaults.convert(bundle, to: scratch["vault/"])
    #expect(summary.tally[.item].updated == 1 && summary.tally[.item].created == 3)
    #expect(try scratch.text("vault/guides/leaving.md").contains("title: Departing"))
    // The ids of test items differ only at the end.
    #expect(
      try Self.notes(scratch).count == 5 && Self.notes(scratch).contains("guides/leaving-0a000000.md")
        && Self.notes(scratch).contains("guides/mooring-0a000000.md"))
    #expect(try scratch.text("vault/guides/mine.md") == "my own")
    #expect(summary.context.findings.counts[.leftAlone] == 1)
    #expect(try Vaults.convert(bundle, to: scratch["vault/"]).tally[.item].unchanged == 4)
  }

  @Test(arguments: [
    "../evil.md", "/etc/evil.md", "a/../../evil.md", ".git/hooks/x.md", "a//b.md", "a/.hidden.md", "./x.md", "x.txt",
    "",
    "a\u{0}.md", "a\nb.md", "C:\\x.md", "node_modules/x.md", "a/ b.md", "a./b.md", "x.fleetkit/a.md", "a/\u{202E}b.md",
    String(repeating: "a", count: 300) + ".md", String(repeating: "a/", count: 600) + "b.md", "~/x.md ", "a/b.md/",
    // In each name, a single Swift character contains the slash or the dot together with its neighbour.
    "\u{0D4E}/../x.md", "\u{0D4E}/.git/x.md", ".\u{301}git/x.md", "a/ \u{301}b.md",
  ])
  func hostilePathsAreNotUsed(_ path: String) throws {
    #expect(VaultPath.safe(path) == nil)
    let scratch = Scratch()
    var quoted = ByteBuffer()
    quoted.appendJSONString(path)
    let extras = "{\"markdown\":{\"path\":\(String(decoding: quoted.bytes, as: UTF8.self))}}"
    let bundle = try scratch.write("a.jsonl", Vaults.bundle([Notes.guide(title: "Tame", body: "x", extras: extras)]))
    try Vaults.convert(bundle, to: scratch["vault/"])
    #expect(try Self.notes(scratch) == ["guides/tame.md"])
    #expect(scratch.names == ["a.jsonl", "vault"])
  }

  @Test func pathsThatTwoItemsWantAreOnes() throws {
    let scratch = Scratch()
    func guide(_ number: Int, _ path: String) -> String {
      Notes.guide(number, title: "G\(number)", body: "x", extras: "{\"markdown\":{\"path\":\"\(path)\"}}")
    }
    let lines = [guide(1, "A/x.md"), guide(2, "a/X.md"), guide(3, "A/x.md/y.md"), guide(4, "A"), guide(5, "Шкот/é.md")]
    try Vaults.convert(try scratch.write("a.jsonl", Vaults.bundle(lines)), to: scratch["vault/"])
    #expect(try Self.notes(scratch) == ["A/x.md", "guides/g2.md", "guides/g3.md", "guides/g4.md", "Шкот/é.md"])
  }

  // MARK: Other people's folders

  @Test func foldersOfOthersAreRefused() throws {
    let scratch = Scratch()
    let bundle = try scratch.write("a.jsonl", Vaults.bundle([Notes.guide(body: "x")]))
    try Self.put("mine", scratch["folder/notes.txt"])
    #expect(status { try Vaults.convert(bundle, to: scratch["folder"]) } == .refused)
    #expect(try Vaults.files(scratch["folder"]).keys.sorted() == ["notes.txt"])
    try Vaults.convert(bundle, to: scratch["folder"], overwrites: true)
    #expect(try scratch.text("folder/notes.txt") == "mine")
    // From now on, the folder is a vault.
    try Vaults.convert(bundle, to: scratch["folder"])
    #expect(status { try Vaults.convert(bundle, to: scratch["a.jsonl"] + "/") } == .refused)
    #expect(status { try Vaults.convert(bundle, to: scratch["no/such/"]) } == .failed)
    // Hidden files do not prevent the export and are not changed.
    try Self.put("x", scratch["repository/.git/config"])
    try Vaults.convert(bundle, to: scratch["repository"])
    #expect(try scratch.text("repository/.git/config") == "x")
  }

  @Test(arguments: [
    ("---\nid: A1\n---\n", "A1"), ("+++\ntitle = 'x'\nid = \"A1\"\n+++\n", "A1"), ("---\r\nid: 'A1' \r\n---\r\n", "A1"),
    ("---\ntitle: x\n...\nid: A1\n---\n", nil), ("+++\n[a]\nid = 'A1'\n+++\n", nil), ("...\nid: A1\n---\n", nil),
    ("---\n+++\nid = 'A1'\n---\n", nil), ("+++\nidle = 'A1'\n+++\n", nil), ("---\nids: A1\n---\n", nil),
    ("---\n\"id\" : A1 # mine\n---\n", "A1"), ("---\n{id: A1, type: guide}\n---\n", "A1"),
    ("---\nid: >-\n  A1\n---\n", "A1"),
    ("---\na:\n  id: A1\n---\n", nil), ("---\na: b: c\nid: A1\n---\n", "A1"), ("\u{FEFF}---\nid: 71\n---\n", "71"),
    ("---\nid:\n---\n", nil), ("---\nid: A1\n", nil),
  ])
  func aScanFindsTheIDThatANoteSays(_ note: String, _ id: String?) {
    let found = VaultScan.id(in: Array((note + String(repeating: "text\n", count: 20)).utf8))
    #expect((found ?? nil) == id)
  }

  @Test func itemsOfNotesInTOMLKeepTheirFiles() throws {
    let scratch = Scratch()
    try Self.put("+++\nid = \"\(Notes.id(7))\"\ntitle = \"A\"\n+++\nText.\n", scratch["vault/a.md"])
    try Vaults.convert(scratch["vault"], to: scratch["a.jsonl"])
    try FileManager.default.moveItem(atPath: scratch["vault/a.md"], toPath: scratch["vault/moved.md"])
    try Vaults.convert(scratch["a.jsonl"], to: scratch["vault/"], overwrites: true)
    #expect(try Self.notes(scratch) == ["moved.md"])
  }

  @Test func notesOfAnotherVaultAtTheSamePathsAreNotReplaced() throws {
    let scratch = Scratch()
    for name in ["mine", "others"] {
      try Self.put("# \(name)\n\nText of \(name).\n", scratch["\(name)/guides/reefing.md"])
      for card in ["a", "b", "c"] { try Self.put("Back of \(name).\n", scratch["\(name)/flashcards/knots/\(card).md"]) }
    }
    let before = try Vaults.files(scratch["others"])
    #expect(before.count == 4)
    try Vaults.convert(scratch["mine"], to: scratch["mine.jsonl"])
    try Vaults.convert(scratch["mine.jsonl"], to: scratch["others/"], overwrites: true)
    let after = try Vaults.files(scratch["others"])
    for (path, bytes) in before { #expect(after[path] == bytes, "\(path)") }
    // One more file each for the guide and the deck, the bundle, and a file for content that the notes cannot hold.
    #expect(after.count == before.count + 4)
    // In their own vault the notes are unchanged, and an edited note is kept.
    try Self.put("Another back.\n", scratch["mine/flashcards/knots/a.md"])
    let summary = try Vaults.convert(scratch["mine.jsonl"], to: scratch["mine/"], overwrites: true)
    #expect(summary.tally[.item].rejected == 1 && summary.tally[.item].unchanged == 1)
    #expect(try scratch.text("mine/flashcards/knots/a.md") == "Another back.\n")
    #expect(try Self.notes(scratch, "mine").count == 4)
  }

  @Test func cardsWithOnePathAreNotWrittenOverEachOther() throws {
    let scratch = Scratch()
    for card in ["a", "b", "c"] { try Self.put("Back of \(card).\n", scratch["in/flashcards/knots/\(card).md"]) }
    try Vaults.convert(scratch["in"], to: scratch["in.jsonl"])
    let text = try scratch.text("in.jsonl").replacing("knots/b.md", with: "knots/a.md")
    _ = try scratch.write("in.jsonl", text)
    try Vaults.convert(scratch["in.jsonl"], to: scratch["vault/"])
    #expect(try Self.notes(scratch) == ["decks/knots.md"])
    for card in ["a", "b", "c"] { #expect(try scratch.text("vault/decks/knots.md").contains("Back of \(card).")) }
  }

  @Test func linksAreNeverWrittenThrough() throws {
    let scratch = Scratch()
    let bundle = try scratch.write("a.jsonl", Vaults.bundle([Notes.guide(body: "x")]))
    let files = FileManager.default
    try files.createDirectory(atPath: scratch["outside"], withIntermediateDirectories: true)
    try Self.put("outside", scratch["outside/target.md"])
    try files.createDirectory(atPath: scratch["one"], withIntermediateDirectories: true)
    try files.createSymbolicLink(atPath: scratch["one/guides"], withDestinationPath: scratch["outside"])
    #expect(status { try Vaults.convert(bundle, to: scratch["one"], overwrites: true) } == .refused)
    #expect(try files.contentsOfDirectory(atPath: scratch["one"]) == ["guides"])
    try files.createDirectory(atPath: scratch["two/guides"], withIntermediateDirectories: true)
    try files.createSymbolicLink(
      atPath: scratch["two/guides/splicing.md"], withDestinationPath: scratch["outside/target.md"])
    try Vaults.convert(bundle, to: scratch["two"], overwrites: true)
    #expect(
      try files.contentsOfDirectory(atPath: scratch["two/guides"]).sorted() == ["splicing-0a000000.md", "splicing.md"])
    try files.createDirectory(atPath: scratch["three"], withIntermediateDirectories: true)
    try files.createSymbolicLink(atPath: scratch["three/.fleetkit"], withDestinationPath: scratch["outside"])
    #expect(status { try Vaults.convert(bundle, to: scratch["three"], overwrites: true) } == .refused)
    #expect(try Vaults.files(scratch["outside"]) == ["target.md": Data("outside".utf8)])
  }

  @Test func rehearsalsAndFailuresLeaveNothing() throws {
    let scratch = Scratch()
    let bundle = try scratch.write("a.jsonl", Vaults.bundle([Notes.guide(body: "x"), Vaults.charter]))
    try Vaults.convert(bundle, to: scratch["vault/"], dryRun: true)
    #expect(scratch.names == ["a.jsonl"])
    try Vaults.convert(bundle, to: scratch["vault/"])
    let before = try Vaults.marks(scratch["vault"])
    _ = try scratch.write("a.jsonl", Vaults.bundle([Notes.guide(body: "y"), Notes.guide(2, title: "New", body: "z")]))
    let summary = try Vaults.convert(bundle, to: scratch["vault/"], dryRun: true)
    #expect(summary.tally[.item].updated == 1 && summary.tally[.item].created == 1)
    #expect(try Vaults.marks(scratch["vault"]) == before)
    // A source that fails halfway.
    _ = try scratch.write("b.json", "[" + Notes.guide(body: "y") + ",")
    #expect(status { try Vaults.convert(scratch["b.json"], to: scratch["vault/"]) } == .failed)
    #expect(try Vaults.marks(scratch["vault"]) == before)
  }

  // MARK: Content that Markdown cannot hold

  @Test func recordsThatAreNoNotesStayInTheBundle() throws {
    let scratch = Scratch()
    let empty = Notes.guide(body: "x").replacing(/"content_data":\{.*?\}/, with: "\"content_data\":null")
    let bundle = try scratch.write("a.jsonl", Vaults.bundle([Vaults.charter, empty]))
    let summary = try Vaults.convert(bundle, to: scratch["vault/"])
    #expect(summary.notes == 0)
    #expect(summary.context.findings.counts[.keptWhole] == 1)
    #expect(try Vaults.records(scratch["vault"], scratch) == Vaults.records(bundle, scratch))
    // The charter is kept although the next run does not contain it. The guide gets a body and moves into a note.
    _ = try scratch.write("a.jsonl", Vaults.bundle([Notes.guide(body: "x")]))
    let second = try Vaults.convert(bundle, to: scratch["vault/"])
    #expect(second.tally[.item].updated == 1)
    #expect(second.context.findings.counts[.leftAlone] == 1)
    let kept = try scratch.text("vault/.fleetkit/library.jsonl")
    #expect(kept.contains("June") && !kept.contains("Splicing"))
    #expect(try Self.notes(scratch) == ["guides/splicing.md"])
    // A note that can no longer express the guide is kept, and the guide is rejected.
    let before = try Vaults.records(scratch["vault"], scratch)
    _ = try scratch.write("a.jsonl", Vaults.bundle([Vaults.charter, empty]))
    let third = try Vaults.convert(bundle, to: scratch["vault/"])
    #expect(third.tally[.item].rejected == 1 && third.status == .partial)
    #expect(third.context.findings.counts[.noteNotWritten] == 1)
    #expect(try Self.notes(scratch) == ["guides/splicing.md"])
    #expect(try Vaults.records(scratch["vault"], scratch) == before)
  }

  /// Front matter that is not valid YAML is not changed.
  @Test func aNoteThatCannotSayAChangeStays() throws {
    let scratch = Scratch()
    let text = "---\nid: \(Notes.id(7))\ntitle: A: b\n---\nText.\n"
    try Self.put(text, scratch["vault/a.md"])
    try Vaults.convert(scratch["vault"], to: scratch["a.jsonl"])
    let changed = try scratch.text("a.jsonl").replacing("\"tags\":[]", with: "\"tags\":[\"new\"]")
    _ = try scratch.write("a.jsonl", changed)
    let summary = try Vaults.convert(scratch["a.jsonl"], to: scratch["vault/"], overwrites: true)
    #expect(summary.tally[.item].rejected == 1 && summary.tally.balances)
    #expect(summary.context.findings.kept.map(\.place.file) == [scratch["vault/a.md"]])
    #expect(try Self.notes(scratch) == ["a.md"] && scratch.text("vault/a.md") == text)
  }

  @Test func itemsWithOneIdAreBothKept() throws {
    let scratch = Scratch()
    let bundle = try scratch.write("a.jsonl", Vaults.bundle([Notes.guide(body: "x"), Notes.guide(body: "y")]))
    let summary = try Vaults.convert(bundle, to: scratch["vault/"])
    #expect(summary.notes == 1 && summary.tally.balances)
    #expect(try Vaults.records(scratch["vault"], scratch) == Vaults.records(bundle, scratch))
  }

  // MARK: One note

  @Test func oneItemIsOneNote() throws {
    let scratch = Scratch()
    let one = try scratch.write("one.jsonl", Vaults.bundle([Notes.guide(body: "x")]))
    try Vaults.convert(one, to: scratch["guide.md"])
    #expect(try scratch.text("guide.md").hasSuffix("---\nx"))
    #expect(status { try Vaults.convert(one, to: scratch["guide.md"]) } == .refused)
    let two = try scratch.write("two.jsonl", Vaults.bundle([Notes.guide(body: "x"), Notes.guide(2, body: "y")]))
    #expect(status { try Vaults.convert(two, to: scratch["two.md"]) } == .refused)
    let none = try scratch.write("none.jsonl", Vaults.bundle([Vaults.charter]))
    #expect(status { try Vaults.convert(none, to: scratch["none.md"]) } == .refused)
    #expect(scratch.names == ["guide.md", "none.jsonl", "one.jsonl", "two.jsonl"])
  }

  // MARK: Kills

  @Test func aKilledExportLeavesWholeFiles() throws {
    let scratch = Scratch()
    func lines(_ text: String) -> String {
      Vaults.bundle((1...400).map { Notes.guide($0, title: "Guide \($0)", body: String(repeating: text, count: 500)) })
    }
    try Vaults.convert(try scratch.write("old.jsonl", lines("old ")), to: scratch["vault/"])
    let old = try Vaults.files(scratch["vault"])
    let bundle = try scratch.write("new.jsonl", lines("new "))
    try Vaults.convert(bundle, to: scratch["fresh/"])
    let new = try Vaults.files(scratch["fresh"])
    for round in 1...8 {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: Paths.command)
      process.arguments = ["convert", bundle, "--to", scratch["vault/"], "-q"]
      try process.run()
      usleep(UInt32(round) * 40_000)
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      for (name, bytes) in try Vaults.files(scratch["vault"]) where !name.hasPrefix(".fleetkit/staging") {
        #expect(bytes == old[name] || bytes == new[name], "\(name)")
      }
    }
    try Vaults.convert(bundle, to: scratch["vault/"])
    #expect(try Vaults.files(scratch["vault"]) == new)
  }

  // MARK: Helpers

  private static func put(_ text: String, _ path: String) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  private static func notes(_ scratch: Scratch, _ folder: String = "vault") throws -> [String] {
    try Vaults.files(scratch[folder]).keys.filter { !$0.hasPrefix(".") }.sorted()
  }

  private func status(_ body: () throws -> some Any) -> Interchange.ExitStatus? {
    do {
      _ = try body()
      return nil
    } catch {
      return (error as? RunFailure)?.status
    }
  }
}
