import Foundation
import TestSupport
import Testing

/// `fleetkit merge` with files as arguments.
@Suite struct FileMergeTests {
  private let scratch = Scratch()

  private static let note = """
    ---
    title: Engine
    tags: [engine]
    season: 2025
    ---

    # Engine

    Cold engine only.

    ## Before starting

    - [ ] Oil level · 2 min
    - [ ] Coolant

      Up to the mark.

    - [ ] Belt

    ## After starting

    - [ ] Water out of the exhaust · required

    """

  private func merge(
    _ base: String, _ ours: String, _ theirs: String, as ending: String = "md", _ options: String...
  ) throws -> (answer: Answer, text: String) {
    let files = try [("base", base), ("ours", ours), ("theirs", theirs)].map {
      try scratch.write("\($0.0).\(ending)", $0.1)
    }
    try? FileManager.default.removeItem(atPath: scratch["out.\(ending)"])
    let answer = try Shell.run(
      Paths.command, ["merge"] + files + ["--to", scratch["out.\(ending)"]] + options)
    return (answer, (try? scratch.text("out.\(ending)")) ?? "")
  }

  // MARK: Notes keep their typing

  @Test(arguments: [
    ("titles of neighbours", ["Oil level": "Oil level, cold"], ["Coolant": "Coolant, cold"]),
    ("two words of one line", ["Oil level": "Oil level, cold"], ["2 min": "3 min"]),
    ("a description and its step", ["- [ ] Coolant": "- [ ] Coolant level"], ["Up to the mark": "Between the marks"]),
    ("front matter that nobody knows", ["season: 2025": "season: 2026"], ["tags: [engine]": "tags: [engine, diesel]"]),
    ("front matter and body", ["title: Engine": "title: Engine checks"], ["- [ ] Belt": "- [ ] Belt and pulleys"]),
    ("a section and its first step", ["## Before starting": "## Before you start"], ["Oil level": "Oil"]),
    ("a paragraph and a heading", ["Cold engine only.": "Cold engine only!"], ["## After": "## Right after"]),
  ])
  func mergesAsAPersonWould(_ what: String, ours: [String: String], theirs: [String: String]) throws {
    func edited(_ edits: [String: String], _ text: String = Self.note) -> String {
      edits.reduce(text) { $0.replacing($1.key, with: $1.value) }
    }
    let (answer, text) = try merge(Self.note, edited(ours), edited(theirs))
    #expect(answer.status == 0, "\(what): \(answer.errors)")
    #expect(text == edited(theirs, edited(ours)), "\(what)")
  }

  /// Content that FleetKit does not read is never lost without a message.
  @Test func whatNobodyReadsIsAConflictToo() throws {
    let (answer, text) = try merge(
      Self.note, Self.note.replacing("season: 2025", with: "season: 2026 # spring"),
      Self.note.replacing("season: 2025", with: "season: 2027").replacing("Belt", with: "Belt wear"), as: "md",
      "--markers")
    #expect(answer.status == 3)
    #expect(answer.errors.contains("ours.md:4:1: \"Engine\""), "\(answer.errors)")
    #expect(
      text
        == Self.note.replacing("Belt", with: "Belt wear").replacing(
          "season: 2025\n",
          with: "<<<<<<< ours\nseason: 2026 # spring\n=======\nseason: 2027\n>>>>>>> theirs\n"))
  }

  @Test func bothAddAtTheSamePlace() throws {
    let (answer, text) = try merge(
      Self.note, Self.note.replacing("- [ ] Belt\n", with: "- [ ] Belt\n- [ ] Strainer\n"),
      Self.note.replacing("- [ ] Belt\n", with: "- [ ] Belt\n- [ ] Fuel\n"))
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(text == Self.note.replacing("- [ ] Belt\n", with: "- [ ] Belt\n- [ ] Strainer\n- [ ] Fuel\n"))
  }

  @Test func aStepMovesToAnotherSectionAndIsEdited() throws {
    let step = "- [ ] Coolant\n\n  Up to the mark.\n\n"
    let moved = Self.note.replacing(step, with: "")
      .replacing("- [ ] Water out of the exhaust", with: step + "- [ ] Water out of the exhaust")
    let (answer, text) = try merge(Self.note, moved, Self.note.replacing("Up to the mark.", with: "Between the marks."))
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(text == moved.replacing("Up to the mark.", with: "Between the marks."))
  }

  @Test func windowsLineEndsStay() throws {
    func long(_ text: String) -> String { text.replacing("\n", with: "\r\n") }
    let (answer, text) = try merge(
      long(Self.note), long(Self.note.replacing("Oil level", with: "Oil")),
      long(Self.note.replacing("- [ ] Coolant", with: "- [ ] Coolant level")), "--json")
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(
      text.utf8.elementsEqual(
        long(Self.note.replacing("Oil level", with: "Oil").replacing("- [ ] Coolant", with: "- [ ] Coolant level")).utf8
      ))
    #expect(answer.output.contains("\"keeps_typing\":true"))
  }

  @Test func aGuideMergesByParagraphs() throws {
    let guide = "# Fog\n\nSlow down.\n\nSound the horn.\n\nRadar on.\n"
    let (answer, text) = try merge(
      guide, guide.replacing("Slow down.", with: "Slow down. Listen."),
      guide.replacing("Radar on.", with: "Radar and AIS on."))
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(text == "# Fog\n\nSlow down. Listen.\n\nSound the horn.\n\nRadar and AIS on.\n")
  }

  // MARK: Conflicts

  private var conflicting: (String, String, String) {
    (
      Self.note, Self.note.replacing("Belt", with: "Belt tension"),
      Self.note.replacing("Belt", with: "Belt wear").replacing("Coolant", with: "Coolant level")
    )
  }

  @Test func keepsOursAndSaysWhereTheConflictIs() throws {
    let (base, ours, theirs) = conflicting
    let (answer, text) = try merge(base, ours, theirs)
    #expect(answer.status == 3)
    #expect(text == ours.replacing("Coolant", with: "Coolant level"))
    let line = try #require(answer.errors.split(separator: "\n").first { $0.contains("ours.md:18:7: \"Engine\"") })
    #expect(line.contains("\"Before starting\"") && line.contains("\"Belt tension\""))
    #expect(answer.output.isEmpty)
  }

  @Test(arguments: ["ours", "theirs"])
  func aSideIsTaken(_ side: String) throws {
    let (base, ours, theirs) = conflicting
    let (answer, text) = try merge(base, ours, theirs, as: "md", "--" + side)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(text == (side == "theirs" ? theirs : ours.replacing("Coolant", with: "Coolant level")))
  }

  @Test func conflictsAreWrittenDown() throws {
    let (base, ours, theirs) = conflicting
    let (answer, _) = try merge(base, ours, theirs, as: "md", "--conflicts", scratch["conflicts.md"], "--json")
    #expect(answer.status == 3)
    let page = try scratch.text("conflicts.md")
    #expect(page.contains("\"Belt tension\"") && page.contains("    Belt wear"))
    #expect(answer.output.contains("\"conflict_count\":1") && answer.output.contains("\"theirs\":\"Belt wear\""))
    #expect(try merge(base, base, theirs, as: "md", "--conflicts", scratch["none.md"]).answer.status == 0)
    #expect(!scratch.names.contains("none.md"))
  }

  @Test func deletedHereAndEditedThereIsMarked() throws {
    let (answer, text) = try merge(
      Self.note, Self.note.replacing("- [ ] Belt\n", with: ""), Self.note.replacing("Belt", with: "Belt wear"),
      as: "md",
      "--markers")
    #expect(answer.status == 3, "\(answer.errors)")
    #expect(
      text == Self.note.replacing("- [ ] Belt\n", with: "<<<<<<< ours\n=======\n- [ ] Belt wear\n>>>>>>> theirs\n"))
  }

  // MARK: Bundles

  private func bundle(_ titles: [Int: String]) -> String {
    let lines = titles.sorted { $0.key < $1.key }.map {
      "{\"kind\":\"item\",\"id\":\"98A0E1A5-4D1F-4C5B-9A33-1C5C5A1F000\($0.key)\",\"content_type\":\"practice_guide\","
        + "\"title\":\"\($0.value)\",\"content_data\":{\"markdown\":\"x\"}}"
    }
    return lines.joined(separator: "\n") + "\n"
  }

  @Test func recordsComeAndGo() throws {
    let (answer, text) = try merge(
      bundle([1: "Fog", 2: "Mooring", 3: "Heaving to"]), bundle([1: "Fog", 2: "Mooring", 4: "Reefing"]),
      bundle([1: "Fog signals", 3: "Heaving to", 5: "Towing"]), as: "jsonl", "--json")
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(text == bundle([1: "Fog signals", 4: "Reefing", 5: "Towing"]))
    #expect(answer.output.contains("\"from_theirs\":1") && answer.output.contains("\"deleted\":2"))
    #expect(answer.output.contains("\"added_by_ours\":1") && answer.output.contains("\"added_by_theirs\":1"))
  }

  @Test func aRecordThatOneDeletedAndTheOtherEditedIsAConflict() throws {
    let base = bundle([1: "Fog", 2: "Mooring"])
    let (answer, text) = try merge(base, bundle([1: "Fog"]), bundle([1: "Fog", 2: "Mooring buoys"]), as: "jsonl")
    #expect(answer.status == 3)
    #expect(text == bundle([1: "Fog"]))
    #expect(answer.errors.contains("theirs.jsonl:2:1: \"Mooring buoys\""), "\(answer.errors)")
    let other = try merge(base, bundle([1: "Fog"]), bundle([1: "Fog", 2: "Mooring buoys"]), as: "jsonl", "--theirs")
    #expect(other.text == bundle([1: "Fog", 2: "Mooring buoys"]))
  }

  @Test func withoutABaseWhatBothHaveDifferentlyIsAConflict() throws {
    let (answer, text) = try merge("", bundle([1: "Fog", 2: "Mooring"]), bundle([1: "Fog", 3: "Towing"]), as: "jsonl")
    #expect(answer.status == 0, "\(answer.errors)")
    for title in ["Fog", "Mooring", "Towing"] { #expect(text.contains("\"title\":\"\(title)\"")) }
    let other = try merge("", bundle([1: "Fog"]), bundle([1: "Fog signals"]), as: "jsonl")
    #expect(other.answer.status == 3)
    #expect(other.text == bundle([1: "Fog"]))
  }

  /// Content that does not fit into memory is merged on disk and written in FleetKit's own notation.
  @Test func largeBundlesAreMergedOnDisk() throws {
    let text = (0..<12_000).map { "Line \($0) of the guide, with some words to fill it.\\n" }.joined()
    func large(_ edit: (Int, String) -> (title: String, text: String)) -> String {
      (0..<16).map { index in
        let (title, text) = edit(index, text)
        return "{\"kind\":\"item\",\"id\":\"98A0E1A5-4D1F-4C5B-9A33-1C5C5A1F00\(10 + index)\","
          + "\"content_type\":\"practice_guide\",\"title\":\"\(title)\",\"content_data\":{\"markdown\":\"\(text)\"}}\n"
      }.joined()
    }
    let base = large { ("Guide \($0)", $1) }
    #expect(base.utf8.count > 8 << 20)
    let (answer, merged) = try merge(
      base, large { ($0 == 3 ? "Ours" : "Guide \($0)", $1) },
      large { ("Guide \($0)", $0 == 3 ? $1.replacing("Line 700 ", with: "Line seven hundred ") : $1) }, as: "jsonl",
      "--json")
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(answer.output.contains("\"same\":15") && answer.output.contains("\"merged\":1"))
    #expect(answer.output.contains("\"keeps_typing\":false"))
    let lines = merged.split(separator: "\n").filter { $0.contains("\"title\":\"Ours\"") }
    #expect(lines.count == 1 && lines[0].contains("Line seven hundred "))
    #expect(merged.split(separator: "\n").count == 17)
  }

  @Test func librariesAndVaultsMergeIntoNewOnes() throws {
    let library = try scratch.writable("library-v1.4.0.sqlite")
    #expect(try Shell.fleetkit("convert", library, "--to", scratch["vault/"], "-q").status == 0)
    for (source, target) in [(library, scratch["merged.sqlite"]), (scratch["vault"], scratch["merged/"])] {
      let answer = try Shell.fleetkit("merge", source, source, source, "--to", target)
      #expect(answer.status == 0, "\(answer.errors)")
      #expect(try Shell.fleetkit("diff", source, target).status == 0)
      #expect(try Shell.fleetkit("merge", source, source, source, "--to", target).status == 4)
    }
  }

  // MARK: Refusals

  @Test func nothingIsWrittenWhenAVersionCannotBeRead() throws {
    let good = bundle([1: "Fog"])
    let broken = good + "{\"kind\":\"item\",\"title\":7}\n"
    for (base, ours, theirs) in [(broken, good, good), (good, broken, good), (good, good, broken)] {
      let (answer, text) = try merge(base, ours, theirs, as: "jsonl")
      #expect(answer.status == 2)
      #expect(text.isEmpty)
    }
    let twice = try merge(good, good + good, good, as: "jsonl")
    #expect(twice.answer.status == 2, "\(twice.answer.errors)")
    #expect(twice.answer.errors.contains("98A0E1A5-4D1F-4C5B-9A33-1C5C5A1F0001"), "\(twice.answer.errors)")
    #expect(try Shell.fleetkit("merge", "none.md", "none.md", "none.md", "--to", scratch["x.md"]).status == 2)
  }

  @Test func wordsThatExcludeEachOtherAreRefused() throws {
    let good = bundle([1: "Fog"])
    #expect(try merge(good, good, good, as: "jsonl", "--markers").answer.status == 64)
    #expect(try merge(good, good, good, as: "jsonl", "--ours", "--theirs").answer.status == 64)
  }

  @Test func oursMayBeTheTarget() throws {
    let (base, _, theirs) = conflicting
    _ = try scratch.write("base.md", base)
    let ours = try scratch.write("mine.md", base.replacing("Oil level", with: "Oil"))
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: ours)
    _ = try scratch.write("theirs.md", theirs)
    let answer = try Shell.fleetkit("merge", "base.md", "mine.md", "theirs.md", "--to", "mine.md", folder: scratch.path)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(try scratch.text("mine.md") == theirs.replacing("Oil level", with: "Oil"))
    let mode = try FileManager.default.attributesOfItem(atPath: ours)[.posixPermissions] as? Int
    #expect(mode == 0o640)
  }
}
