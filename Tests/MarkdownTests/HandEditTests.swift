import Foundation
import TestSupport
import Testing

/// Edits that people make without considering ids and times.
@Suite struct HandEditTests {
  private func note(_ name: String, _ text: String, _ scratch: Scratch) throws {
    let path = scratch["vault/" + name]
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  private func add(_ scratch: Scratch, _ options: String...) throws -> Answer {
    try Shell.run(Paths.command, ["import", scratch["vault"], "--into", scratch["a.sqlite"], "--create"] + options)
  }

  @Test(arguments: ["202505031210", "my-note", "Odd note"])
  func idsThatAreNoUUIDsStay(_ id: String) throws {
    let scratch = Scratch()
    let text = "---\nid: \(id)\ntags: [anchor]\n---\n# Odd\n\nText\n"
    try note("odd.md", text, scratch)
    #expect(try add(scratch).status == 0)
    let answer = try Shell.fleetkit("export", scratch["a.sqlite"], "--to", scratch["vault"], "--overwrite", "--json")
    #expect(
      answer.status == 0 && answer.number("/total/created") == 0 && answer.number("/total/updated") == 0,
      "\(answer.output)")
    #expect(try scratch.text("vault/odd.md") == text)
  }

  @Test func anEditWithAnOldTimeIsNeverPassedOver() throws {
    let scratch = Scratch()
    let text = "---\nid: 0A000000-0000-4000-8000-00000000000A\nupdated: 2026-01-01\n---\n# Fog\n\n"
    try note("fog.md", text + "Sound the horn.\n", scratch)
    #expect(try add(scratch).status == 0)
    // The app changes the item, and the note is unchanged: the app's version is kept.
    let update = """
      UPDATE practice_guides SET markdown = '# Fog' || char(10) || 'Radar on.', updatedAt = '2026-03-01 00:00:00.000';
      UPDATE library_content SET updatedAt = '2026-03-01 00:00:00.000'
      """
    _ = try Shell.run("sqlite3", [scratch["a.sqlite"], update])
    let kept = try add(scratch, "--json")
    let skipped = kept.value("/total/skipped") as? [String: Int] ?? [:]
    #expect(kept.status == 0 && skipped.values.reduce(0, +) == 1 && kept.number("/total/updated") == 0)
    // Both sides changed the item. It is unknown which version is right, so nothing is overwritten.
    try note("fog.md", text + "Sound the horn twice.\n", scratch)
    let conflict = try add(scratch)
    #expect(conflict.status == 3 && conflict.errors.contains("MRG0101"))
    let rejects = scratch["a.sqlite.fleetkit/rejects"]
    let file = try #require(
      try FileManager.default.contentsOfDirectory(atPath: rejects).first {
        !$0.contains("reasons") && !$0.contains("conflicts")
      })
    #expect(try String(contentsOfFile: rejects + "/" + file, encoding: .utf8).contains("horn twice"))
    let pages = try FileManager.default.contentsOfDirectory(atPath: rejects).filter { $0.contains("conflicts") }
    let shown = try String(contentsOfFile: rejects + "/" + (try #require(pages.first)), encoding: .utf8)
    #expect(
      shown.contains("-Sound the horn.") && shown.contains("+Radar on.") && shown.contains("+Sound the horn twice."))
  }

  @Test func aPictureThatMoreNotesUseIsNoConflict() throws {
    let scratch = Scratch()
    try note("a.md", "# A\n\n![[knot.png]]\n", scratch)
    try note("knot.png", "bytes", scratch)
    #expect(try add(scratch).status == 0)
    try note("b.md", "# B\n\n![[knot.png]]\n", scratch)
    try note("knot.png", "other bytes", scratch)
    #expect(try add(scratch).status == 0)
    let again = try add(scratch, "--json")
    #expect(again.number("/total/unchanged") == again.number("/total/read"), "\(again.output)")
  }

  @Test func aStepWhoseLineWasCopiedIsAnotherStep() throws {
    let scratch = Scratch()
    let line = "- [ ] Bilge dry <!-- id=0B000000-0000-4000-8000-00000000000B -->\n"
    try note("c.md", "---\ntype: checklist\n---\n## Below\n\n\(line)\(line)", scratch)
    let answer = try Shell.fleetkit("convert", scratch["vault"], "--to", "-", "--to-format", "jsonl", "-v")
    #expect(answer.status == 0 && answer.errors.contains("c.md:7:25: warning[MKD0114]"))
    #expect(answer.output.matches(of: /"id":"0B000000-0000-4000-8000-00000000000B"/).count == 1)
    #expect(answer.output.matches(of: /"title":"Bilge dry"/).count == 2)
  }
}
