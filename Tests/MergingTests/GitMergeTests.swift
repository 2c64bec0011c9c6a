import Foundation
import TestSupport
import Testing

/// git merges two branches with `fleetkit merge` as its merge driver, set up as docs/git.md describes.
@Suite(.enabled(if: Shell.has("git"), Judges.reason)) struct GitMergeTests {
  /// A repository that uses the driver, with one file on two branches.
  private struct Repository {
    let scratch = Scratch()
    let file: String

    init(_ file: String, base: String?, ours: String, theirs: String) throws {
      self.file = file
      try git("init", "--quiet", "--initial-branch=main")
      for setting in [["user.name", "Crew"], ["user.email", "crew@example.org"], ["commit.gpgsign", "false"]] {
        try git(["config"] + setting)
      }
      try setUp()
      if let base { try write(base) }
      try commit("base")
      try git("switch", "--quiet", "--create", "theirs")
      try write(theirs)
      try commit("theirs")
      try git("switch", "--quiet", "main")
      try write(ours)
      try commit("ours")
    }

    /// Runs the setup steps of the page for this repository, with the command under test.
    private func setUp() throws {
      let page = try String(contentsOfFile: Paths.root + "/docs/git.md", encoding: .utf8)
      let attributes = try #require(page.firstMatch(of: /```\n(\*\.md (?s).*?)```/))
      _ = try scratch.write(".gitattributes", String(attributes.output.1))
      let lines = page.split(separator: "\n").filter { $0.hasPrefix("git config --global merge.") }
      #expect(lines.count == 4)
      for line in lines {
        let command = line.replacing("--global ", with: "").replacing(
          "\"fleetkit merge", with: "\"\(Paths.command) merge")
        #expect(try Shell.run("/bin/bash", ["-c", String(command)], folder: scratch.path).status == 0, "\(line)")
      }
    }

    var text: String { (try? scratch.text(file)) ?? "" }

    func merge() throws -> Answer {
      try Shell.run("git", ["merge", "--no-edit", "theirs"], folder: scratch.path)
    }

    /// Whether git considers the file merged.
    func isMerged() throws -> Bool {
      try Shell.run("git", ["ls-files", "--unmerged"], folder: scratch.path).output.isEmpty
    }

    private func write(_ text: String) throws {
      let folder = (scratch[file] as NSString).deletingLastPathComponent
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      _ = try scratch.write(file, text)
    }

    private func commit(_ message: String) throws {
      try git("add", "--all")
      try git("commit", "--quiet", "--message", message)
    }

    private func git(_ arguments: String...) throws { try git(arguments) }

    private func git(_ arguments: [String]) throws {
      let answer = try Shell.run("git", arguments, folder: scratch.path)
      #expect(answer.status == 0, "git \(arguments): \(answer.errors)")
    }
  }

  // MARK: Notes

  private static let note = """
    # Leaving the berth

    ## Below

    - [ ] Seacocks open
    - [ ] Hatches closed
    - [ ] Gas off

    ## On deck

    - [ ] Lines ready to slip

    """

  /// git reports a conflict in neighbouring lines, but here the lines are two steps.
  @Test func mergesNeighbouringStepsOfANote() throws {
    let repository = try Repository(
      "checklists/berth.md", base: Self.note,
      ours: Self.note.replacing("Seacocks open", with: "Seacocks open, strainer clean"),
      theirs: Self.note.replacing("Hatches closed", with: "Hatches dogged"))
    let answer = try repository.merge()
    #expect(answer.status == 0, "\(answer.output)\(answer.errors)")
    #expect(try repository.isMerged())
    #expect(
      repository.text
        == Self.note.replacing("Seacocks open", with: "Seacocks open, strainer clean")
        .replacing("Hatches closed", with: "Hatches dogged"))
  }

  @Test func movesWhatOneMovedAndTheOtherEdited() throws {
    let repository = try Repository(
      "checklists/berth.md", base: Self.note,
      ours: Self.note.replacing("- [ ] Gas off\n", with: "")
        .replacing("- [ ] Seacocks open\n", with: "- [ ] Gas off\n- [ ] Seacocks open\n"),
      theirs: Self.note.replacing("Gas off", with: "Gas off at the bottle"))
    #expect(try repository.merge().status == 0)
    #expect(
      repository.text
        == Self.note.replacing("- [ ] Gas off\n", with: "")
        .replacing("- [ ] Seacocks open\n", with: "- [ ] Gas off at the bottle\n- [ ] Seacocks open\n"))
  }

  @Test func marksWhatIsInConflictInANote() throws {
    let repository = try Repository(
      "checklists/berth.md", base: Self.note,
      ours: Self.note.replacing("Hatches closed", with: "Hatches latched"),
      theirs: Self.note.replacing("Hatches closed", with: "Hatches dogged")
        .replacing("ready to slip", with: "singled up"))
    let answer = try repository.merge()
    #expect(answer.status == 1)
    #expect(try !repository.isMerged())
    #expect(
      repository.text
        == Self.note.replacing(
          "- [ ] Hatches closed\n",
          with: "<<<<<<< ours\n- [ ] Hatches latched\n=======\n- [ ] Hatches dogged\n>>>>>>> theirs\n"
        )
        .replacing("ready to slip", with: "singled up"))
    #expect(answer.errors.contains("checklists/berth.md:6"), "\(answer.errors)")
  }

  @Test func mergesANoteThatBothAdded() throws {
    let same = "# Fog\n\nSound the horn.\n"
    let repository = try Repository("guides/fog.md", base: nil, ours: same, theirs: same + "Radar on.\n")
    let answer = try repository.merge()
    #expect(answer.status == 1, "\(answer.errors)")
    #expect(repository.text.contains("Sound the horn."))
  }

  // MARK: Bundles

  private static func document(_ steps: [(String, String)]) -> String {
    let items = steps.map {
      "          {\n            \"id\": \"\($0)\",\n            \"title\": \"\($1)\"\n          }"
    }
    return """
      {
        "content_type": "checklist",
        "id": "98A0E1A5-4D1F-4C5B-9A33-1C5C5A1F0001",
        "title": "Engine",
        "content_data": {
          "sections": [
            {
              "id": "98A0E1A5-4D1F-4C5B-9A33-1C5C5A1F0002",
              "title": "Before starting",
              "items": [
      \(items.joined(separator: ",\n"))
              ]
            }
          ]
        }
      }

      """
  }

  private static let steps = [
    ("98A0E1A5-4D1F-4C5B-9A33-1C5C5A1F0011", "Oil level"), ("98A0E1A5-4D1F-4C5B-9A33-1C5C5A1F0012", "Coolant"),
  ]

  @Test func mergesAnIndentedRecordAndKeepsItsTyping() throws {
    let repository = try Repository(
      "engine.json", base: Self.document(Self.steps),
      ours: Self.document([(Self.steps[0].0, "Oil level, cold"), Self.steps[1]]),
      theirs: Self.document(Self.steps + [("98A0E1A5-4D1F-4C5B-9A33-1C5C5A1F0013", "Belt")]))
    let answer = try repository.merge()
    #expect(answer.status == 0, "\(answer.output)\(answer.errors)")
    #expect(
      repository.text
        == Self.document([
          (Self.steps[0].0, "Oil level, cold"), Self.steps[1], ("98A0E1A5-4D1F-4C5B-9A33-1C5C5A1F0013", "Belt"),
        ]))
  }

  /// git cannot merge a line that both sides changed, but every line of a bundle is a whole checklist.
  @Test func mergesBothChangesOfOneLineOfABundle() throws {
    let scratch = Scratch()
    func bundle(_ steps: [(String, String)]) throws -> String {
      try? FileManager.default.removeItem(atPath: scratch["out.jsonl"])
      let source = try scratch.write("one.json", Self.document(steps))
      #expect(try Shell.fleetkit("convert", source, "--to", scratch["out.jsonl"]).status == 0)
      return try scratch.text("out.jsonl")
    }
    let ours = [(Self.steps[0].0, "Oil level, cold"), Self.steps[1]]
    let theirs = [Self.steps[0], (Self.steps[1].0, "Coolant level")]
    let repository = try Repository(
      "library.jsonl", base: bundle(Self.steps), ours: bundle(ours), theirs: bundle(theirs))
    let answer = try repository.merge()
    #expect(answer.status == 0, "\(answer.output)\(answer.errors)")
    #expect(repository.text == (try bundle([ours[0], theirs[1]])))
  }

  @Test func keepsOursOfABundleInConflict() throws {
    let ours = Self.document([(Self.steps[0].0, "Oil, cold"), Self.steps[1]])
    let repository = try Repository(
      "engine.json", base: Self.document(Self.steps), ours: ours,
      theirs: Self.document([(Self.steps[0].0, "Oil, warm"), Self.steps[1]]))
    let answer = try repository.merge()
    #expect(answer.status == 1)
    #expect(try !repository.isMerged())
    #expect(repository.text == ours)
    #expect(answer.errors.contains("engine.json:13:"), "\(answer.errors)")
    #expect(answer.errors.contains("\"Oil, cold\""), "\(answer.errors)")
  }

  @Test func takesTheirsAsThePageSays() throws {
    let theirs = Self.document([(Self.steps[0].0, "Oil, warm"), Self.steps[1]])
    let repository = try Repository(
      "engine.json", base: Self.document(Self.steps),
      ours: Self.document([(Self.steps[0].0, "Oil, cold"), Self.steps[1]]), theirs: theirs)
    #expect(try repository.merge().status == 1)
    let page = try String(contentsOfFile: Paths.root + "/docs/git.md", encoding: .utf8)
    let block = try #require(page.firstMatch(of: /```sh\n(git show (?s).*?)```/))
    let commands = block.output.1.replacing("fleetkit merge", with: Paths.command + " merge")
    let answer = try Shell.run("/bin/bash", ["-e", "-c", String(commands)], folder: repository.scratch.path)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(repository.text == theirs)
  }

  /// An unreadable file is never overwritten.
  @Test func leavesWhatItCannotReadToGit() throws {
    let broken = "{\"content_type\": \"checklist\", \"title\": \"Engine\""
    let repository = try Repository(
      "engine.json", base: Self.document(Self.steps), ours: broken,
      theirs: Self.document([(Self.steps[0].0, "Oil, warm"), Self.steps[1]]))
    #expect(try repository.merge().status == 1)
    #expect(repository.text == broken)
    #expect(try !repository.isMerged())
  }
}
