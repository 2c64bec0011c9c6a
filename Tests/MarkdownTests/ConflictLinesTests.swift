import Foundation
import TestSupport
import Testing

@testable import Markdown

/// Notes with git's conflict markers are refused with the place of the first marker. Similar text is accepted.
@Suite struct ConflictLinesTests {
  private static let marked = "<<<<<<< ours\n- [ ] a\n=======\n- [ ] b\n>>>>>>> theirs\n"

  private func first(_ text: String) -> String? {
    Array(text.utf8).withUnsafeBufferPointer { all in
      ConflictLines.first(in: all.span).map { String(decoding: all[$0], as: UTF8.self) }
    }
  }

  @Test(arguments: [
    marked, "# A\n\n" + marked + "\n" + marked, marked.replacing("\n", with: "\r\n"),
    "<<<<<<< HEAD\na\n||||||| 1234567\nb\n=======\nc\n>>>>>>> x", "```\ncode\n```\n" + marked,
    "---\ntitle: A\n" + marked + "---\n", "<<<<<<< a\n```\n=======\n~~~\n>>>>>>> b\n",
    "<<<<<<< a\nb\n<<<<<<< c\n=======\n>>>>>>> d\n",
  ])
  func conflictsAreFound(_ text: String) {
    #expect(first(text)?.hasPrefix("<<<<<<< ") ?? false)
    #expect(first(text)?.hasSuffix("\r") == false)
  }

  @Test(arguments: [
    "", "Title\n=======\n\ntext\n", "<<<<<<< a\n=======\n", "<<<<<<< a\n>>>>>>> b\n=======\n",
    "=======\n<<<<<<< a\n>>>>>>> b\n", "<<<<<<<a\n=======\n>>>>>>> b\n", "<<<<<<< a\n========\n>>>>>>> b\n",
    "```\n" + marked + "```\n", "~~~~ text\n~~~\n" + marked + "~~~~\n", "a <<<<<<< b\n=======\n>>>>>>> c\n",
    " <<<<<<< a\n=======\n>>>>>>> c\n", "<<<<<<< a\n=======\n>>>>>>>\n", "a < b\n<",
  ])
  func whatLooksLikeThemIsContent(_ text: String) { #expect(first(text) == nil) }

  @Test func markedNotesAreRefused() throws {
    let scratch = Scratch()
    let text = "---\ntype: checklist\n---\n# Berth\n\n" + Self.marked
    let note = try scratch.write("berth.md", text)
    let checked = try Shell.fleetkit("validate", note)
    #expect(checked.status == 1 && (checked.output + checked.errors).contains("berth.md:6:1: error[MKD0115]"))
    let converted = try Shell.fleetkit("convert", note, "--to", scratch["a.jsonl"])
    #expect(converted.status == 3 && converted.errors.contains("berth.md:6:1: error[MKD0115]"))
    #expect(try scratch.text("a.jsonl").contains("Berth") == false)
    // The whole note is kept.
    let rejects = try scratch.text("a.jsonl.rejects.jsonl")
    #expect(rejects.contains(Data(text.utf8).base64EncodedString()))
    let added = try Shell.fleetkit("import", note, "--into", scratch["a.sqlite"], "--create")
    #expect(added.status == 3 && added.errors.contains("MKD0115"))
  }

  @Test func aMarkedNoteLeavesTheItemAsItIs() throws {
    let scratch = Scratch()
    let text = "---\ntype: checklist\nid: \(Notes.id(1))\n---\n# Berth\n\n- [ ] a\n"
    try Notes.put("# Other\n\nText\n", scratch["vault/other.md"])
    try Notes.put(text, scratch["vault/berth.md"])
    let add = { try Shell.fleetkit("import", scratch["vault"], "--into", scratch["a.sqlite"], "--create") }
    #expect(try add().status == 0)
    let before = try Vaults.records(scratch["a.sqlite"], scratch)
    try Notes.put(text.replacing("- [ ] a\n", with: Self.marked), scratch["vault/berth.md"])
    #expect(try add().status == 3)
    #expect(try Vaults.records(scratch["a.sqlite"], scratch) == before && before.count == 2)
    try Notes.put(text, scratch["vault/berth.md"])
    #expect(try add().status == 0)
  }

  @Test func aDeckLosesNoCardToThem() throws {
    let scratch = Scratch()
    for name in ["Bowline", "Clove hitch", "Reef knot"] {
      try Notes.put("What \(name) is for\n", scratch["vault/cards/\(name).md"])
    }
    let add = { try Shell.fleetkit("import", scratch["vault"], "--into", scratch["a.sqlite"], "--create") }
    #expect(try add().status == 0)
    let before = try Vaults.records(scratch["a.sqlite"], scratch)
    #expect(before.count == 1 && before.first?.contains("Clove hitch") ?? false)
    try Notes.put("<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n", scratch["vault/cards/Clove hitch.md"])
    let answer = try add()
    #expect(answer.status == 3 && answer.errors.contains("cards/Clove hitch.md:1:1: error[MKD0115]"))
    #expect(try Vaults.records(scratch["a.sqlite"], scratch) == before)
  }
}
