import ArchiveIO
import FleetKit
import Foundation
import TestSupport
import Testing

/// Findings in packs name lines and columns of the files inside the packs.
@Suite struct PackPlaceTests {
  /// Returns the findings of `validate --json` as `file:line:column CODE`.
  private func findings(_ path: String, _ more: String..., status: Int32 = 1) throws -> [String] {
    let answer = try Shell.run(Paths.command, ["validate", path, "--json"] + more)
    #expect(answer.status == status, "\(answer.output)\(answer.errors)")
    return try answer.output.split(separator: "\n").compactMap { line in
      let root = try JSONDocument(parsing: String(line)).root
      guard let code = root["code"]?.string, let file = root["file"]?.string else { return nil }
      let name = file.split(separator: "/").drop { !$0.hasPrefix("first") }.joined(separator: "/")
      return "\(name):\(root["line"]?.integer ?? 0):\(root["column"]?.integer ?? 0) \(code)"
    }
  }

  @Test(arguments: ArchiveKind.allCases)
  func valuesOfItems(_ kind: ArchiveKind) throws {
    let scratch = Scratch()
    var pack = HandPack()
    pack.add(
      "checklists/berth.json", HandPack.checklist(minutes: "\"five\""), id: HandPack.checklistID, type: "checklist",
      title: "Leaving the berth")
    pack.add(
      "guides/anchoring.md", HandPack.guide(body: "Let out the the chain."), id: HandPack.guideID,
      type: "practice_guide", title: "Anchoring")
    let other = "1E0E8A0C-4A0F-4B52-9E43-5E2C7E0D1F02"
    pack.add(
      "guides/broken.md", HandPack.guide(id: other).replacing("language: en", with: "language: [en"), id: other,
      type: "practice_guide", title: "Anchoring")
    let path = try pack.write(scratch[HandPack.name(kind)], kind)
    let found = try findings(path)
    let name = HandPack.name(kind)
    #expect(found.contains("\(name)/data/checklists/berth.json:13:59 SCH0101"), "\(found)")
    #expect(found.contains("\(name)/data/guides/anchoring.md:11:9 LNT0414"), "\(found)")
    #expect(found.contains("\(name)/data/guides/broken.md:7:8 MKD0101"), "\(found)")
    // The text report shows the line, which could not be read from an archive afterwards.
    let text = try Shell.fleetkit("validate", path)
    #expect(text.output.contains("│         {\"title\": \"Start the engine\", \"estimatedMinutes\": \"five\"}"))
    #expect(text.output.contains("│ Let out the the chain."))
  }

  @Test(arguments: ArchiveKind.allCases)
  func packJSON(_ kind: ArchiveKind) throws {
    let scratch = Scratch()
    let pack = HandPack.small
    let info = pack.info.replacing("\"languages\": [\"en\"]", with: "\"languages\": \"en\"")
    let path = try pack.write(scratch[HandPack.name(kind)], kind, info: info)
    let found = try findings(path)
    #expect(found == ["\(HandPack.name(kind))/data/pack.json:10:16 SCH0101"])
    let refused = try Shell.fleetkit("convert", path, "--to", scratch["out.jsonl"])
    #expect(refused.status == 2 && refused.errors.contains("data/pack.json:10:16"), "\(refused.errors)")
    #expect(!scratch.names.contains("out.jsonl"))
  }

  @Test func whatTheIndexSaysOtherwise() throws {
    let scratch = Scratch()
    var pack = HandPack()
    pack.add(
      "checklists/berth.json", HandPack.checklist(), id: HandPack.checklistID, type: "checklist", title: "Another title"
    )
    pack.files.append(("guides/anchoring.md", HandPack.guide()))
    pack.files.append(("notes.txt", "Nobody reads this."))
    let path = try pack.write(scratch["first.fleetpack"], .fleetpack)
    let found = try findings(path)
    #expect(
      found == [
        "first.fleetpack/data/notes.txt:0:0 PCK0305", "first.fleetpack/data/pack.json:12:90 PCK0303",
        "first.fleetpack/data/guides/anchoring.md:1:1 PCK0304",
      ], "\(found)")
  }

  @Test func filesThatTheIndexNamesAndThePackDoesNotHave() throws {
    let scratch = Scratch()
    var pack = HandPack.small
    pack.add("decks/gone.json", "{}", id: "1E0E8A0C-4A0F-4B52-9E43-5E2C7E0D1F09", type: "flashcard_deck", title: "Gone")
    pack.files.removeLast()
    pack.files[0].text = HandPack.checklist(step: "Start the motor")
    let path = try pack.write(scratch["first.fleetpack"], .fleetpack)
    let found = try findings(path)
    #expect(
      found.map { String($0.suffix(7)) } == ["PCK0302", "PCK0301"]
        && found.allSatisfy { $0.hasPrefix("first.fleetpack/data/pack.json:") }, "\(found)")
    for verb in [
      ["convert", path, "--to", scratch["out.jsonl"]], ["import", path, "--into", scratch["l.sqlite"], "--create"],
    ] {
      let answer = try Shell.run(Paths.command, verb)
      #expect(answer.status == 5, "\(answer.errors)")
    }
    #expect(scratch.names == ["first.fleetpack"])
  }

  @Test func everyReportNamesThePlace() throws {
    let scratch = Scratch()
    var pack = HandPack()
    pack.add(
      "checklists/berth.json", HandPack.checklist(minutes: "\"five\""), id: HandPack.checklistID, type: "checklist",
      title: "Leaving the berth")
    _ = try pack.write(scratch["first.fleetpack"], .fleetpack)
    for report in ["text", "jsonl", "sarif", "junit", "github"] {
      let answer = try Shell.fleetkit(
        "validate", "first.fleetpack", "--report", report, folder: scratch.path)
      #expect(answer.status == 1 && answer.output.contains("first.fleetpack/data/checklists/berth.json"), "\(report)")
    }
  }

  @Test func nothingInAPackIsFixedInPlace() throws {
    let scratch = Scratch()
    var pack = HandPack()
    pack.add(
      "checklists/berth.json", HandPack.checklist("Leaving the berth "), id: HandPack.checklistID, type: "checklist",
      title: "Leaving the berth ")
    for kind in [ArchiveKind.fleetpack, .folder] {
      let path = try pack.write(scratch[HandPack.name(kind)], kind)
      let answer = try Shell.fleetkit("validate", path, "--fix")
      #expect(answer.errors.contains("berth.json"), "\(answer.errors)")
      #expect(try Shell.fleetkit("list", path, "--tag", "*").status == 0)
    }
  }
}
