import Foundation
import TestSupport
import Testing

@testable import Markdown

@Suite struct NoteStatusTests {
  @Test(arguments: [
    ("synced 0123456789ab", "synced"), ("pending_update 0123456789ab", "pending_update"), ("a b 0123456789ab", "a b"),
    ("synced", nil), ("synced 0123456789a", nil), ("synced 0123456789aB", nil), ("synced  ", nil), ("", nil),
  ])
  func aWordAndAHashAreToldApart(_ value: String, _ status: String?) {
    #expect(NoteStatus.parts(value)?.status == status)
  }

  /// Whatever the status of an item, one edit changes one line of its note, even after a round trip through a library.
  @Test func anEditOfOneStepIsOneLineWhateverTheState() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    #expect(try Shell.fleetkit("export", library, "--to", scratch["vault/"], "-q").status == 0)
    let folder = scratch["vault/checklists"]
    var edited: [String: [Substring]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let text = try scratch.text("vault/checklists/" + name)
      guard let step = text.firstRange(of: "- [ ] ") else { continue }
      var changed = text
      changed.insert(contentsOf: "Now: ", at: step.upperBound)
      _ = try scratch.write("vault/checklists/" + name, changed)
      edited[name] = changed.split(separator: "\n", omittingEmptySubsequences: false)
    }
    #expect(edited.count == 14)
    let states = try edited.keys.filter { try scratch.text("vault/checklists/" + $0).contains("\nsync_status: ") }
    #expect(states.count >= 3, "the library has items in other states than pending")
    #expect(try Shell.fleetkit("import", scratch["vault"], "--into", library, "-q").status == 0)
    let answer = try Shell.fleetkit("export", library, "--to", scratch["vault/"], "--json")
    #expect(
      answer.status == 0 && answer.number("/total/created") == 0 && answer.number("/total/updated") == 0,
      "\(answer.output)")
    for (name, lines) in edited {
      let now = try scratch.text("vault/checklists/" + name).split(separator: "\n", omittingEmptySubsequences: false)
      #expect(now == lines, "\(name)")
    }
    // Edited items are no longer in sync.
    let states2 = try Shell.run(
      "sqlite3", [library, "SELECT count(*) FROM library_content WHERE type = 'checklist' AND syncStatus <> 'pending'"])
    #expect(states2.output == "0\n")
  }
}
