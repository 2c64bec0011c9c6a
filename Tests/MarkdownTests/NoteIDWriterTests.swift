import Foundation
import TestSupport
import Testing

@testable import Markdown

@Suite struct NoteIDWriterTests {
  private let id = "0A000000-0000-4000-8000-00000000000A"

  @Test(arguments: [
    ("Text.\n", "---\nid: ID\n---\nText.\n"), ("", "---\nid: ID\n---\n"),
    ("Text.\r\nMore.\r\n", "---\r\nid: ID\r\n---\r\nText.\r\nMore.\r\n"),
    ("---\ntitle: a # b\n---\nBody", "---\nid: ID\ntitle: a # b\n---\nBody"),
    ("---\nz: 1\na: 2\n---\n", "---\nz: 1\na: 2\nid: ID\n---\n"),
    ("\u{FEFF}---\r\na: 1\r\n---\r\nx\r\n", "\u{FEFF}---\r\na: 1\r\nid: ID\r\n---\r\nx\r\n"),
    ("---\nA rule begins this note.\n---\n", "---\nid: ID\n---\n---\nA rule begins this note.\n---\n"),
  ])
  func oneLineIsAddedAndNothingElse(_ before: String, _ after: String) throws {
    let scratch = Scratch()
    let file = try scratch.write("note.md", before)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
    #expect(try NoteIDWriter.write(id, into: file) == .written)
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data(after.replacing("ID", with: id).utf8))
    #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o640)
    #expect(try NoteIDWriter.write("another", into: file) == .hasID)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).filter { $0.hasPrefix(".") } == [])
  }

  @Test func notesThatCannotTakeAnIDStayAsTheyAre() throws {
    let scratch = Scratch()
    for (name, bytes) in [
      ("yaml.md", Array("---\ntitle: Foo: bar\n---\nx".utf8)),
      ("flow.md", Array("---\n{title: a}\n---\nx".utf8)),
      ("old.md", [0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2, 0x20, 0xEC, 0xE8, 0xF0]),
      ("binary.md", [0, 1, 2, 3, 4, 5, 0, 0]),
    ] as [(String, [UInt8])] {
      let file = scratch.path + "/" + name
      try Data(bytes).write(to: URL(fileURLWithPath: file))
      guard case .left = try NoteIDWriter.write(id, into: file) else {
        Issue.record("\(name) was changed")
        continue
      }
      #expect(try Array(Data(contentsOf: URL(fileURLWithPath: file))) == bytes)
    }
  }

  @Test func linksThatLeadOutOfTheVaultAreNotWrittenThrough() throws {
    let scratch = Scratch()
    let files = FileManager.default
    try files.createDirectory(atPath: scratch["vault/.obsidian"], withIntermediateDirectories: true)
    try files.createDirectory(atPath: scratch["vault/guides"], withIntermediateDirectories: true)
    _ = try scratch.write("secret.md", "mine\n")
    _ = try scratch.write("vault/settings", "x = 1\n")
    _ = try scratch.write("vault/real.md", "Text.\n")
    for (link, target) in [("out", "../../secret.md"), ("settings", "../settings"), ("in", "../real.md")] {
      try files.createSymbolicLink(atPath: scratch["vault/guides/\(link).md"], withDestinationPath: target)
    }
    for link in ["out", "settings"] {
      guard case .left = try NoteIDWriter.write(id, into: scratch["vault/guides/\(link).md"]) else {
        Issue.record("written through \(link).md")
        continue
      }
    }
    #expect(try scratch.text("secret.md") == "mine\n")
    #expect(try scratch.text("vault/settings") == "x = 1\n")
    // A symbolic link inside the vault remains a link.
    #expect(try NoteIDWriter.write(id, into: scratch["vault/guides/in.md"]) == .written)
    #expect(try scratch.text("vault/real.md").hasPrefix("---\nid: "))
    #expect(try files.destinationOfSymbolicLink(atPath: scratch["vault/guides/in.md"]) == "../real.md")
  }

  @Test func theCommandPutsTheLibrarysIDsIntoNotes() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["vault"], withIntermediateDirectories: true)
    _ = try scratch.write("vault/reefing.md", "# Reefing\n\nReef early.\n")
    let arguments = ["import", scratch["vault"], "--into", scratch["new.sqlite"], "--create"]
    let dry = try Shell.run(Paths.command, arguments + ["--write-ids", "--dry-run"])
    #expect(dry.status == 0)
    #expect(try scratch.text("vault/reefing.md") == "# Reefing\n\nReef early.\n")
    let answer = try Shell.run(Paths.command, arguments + ["--write-ids", "--json"])
    #expect(answer.status == 0 && answer.number("/total/created") == 1, "\(answer.output)")
    let list = try Shell.fleetkit("list", scratch["new.sqlite"], "--json").output
    let text = try scratch.text("vault/reefing.md")
    let written = try #require(text.firstMatch(of: /id: ([0-9A-F-]{36})/)?.output.1)
    #expect(list.contains(written))
    // Wherever the note is moved, it is the same item.
    try FileManager.default.moveItem(atPath: scratch["vault"], toPath: scratch["elsewhere"])
    let again = try Shell.fleetkit("import", scratch["elsewhere"], "--into", scratch["new.sqlite"], "--json")
    #expect(again.status == 0)
    #expect(again.number("/total/read") == 1 && again.number("/total/unchanged") == 1, "\(again.output)")
  }
}
