import FleetKit
import Foundation
import TestSupport
import Testing

/// Hand-edited notes are imported into the library and exported as they were typed, as checked with a real git
/// repository.
@Suite(.enabled(if: Shell.has("git"), "git is not installed")) struct VaultEditTests {
  /// A library and its vault, which is under version control.
  private struct Repository {
    let scratch = Scratch()
    var library: String { scratch["anyfleet.sqlite"] }
    var vault: String { scratch["vault"] }

    init(_ name: String = "library-v2.2.0.sqlite") throws {
      _ = try scratch.writable(name, as: "anyfleet.sqlite")
      try Vaults.convert(library, to: vault + "/")
      _ = try git("init", "-q")
      try commit()
    }

    init(bundle: [String]) throws {
      let source = try scratch.write("a.jsonl", Vaults.bundle(bundle))
      try Vaults.add(source, to: library)
      try Vaults.convert(library, to: vault + "/")
      _ = try git("init", "-q")
      try commit()
    }

    func git(_ arguments: String...) throws -> String {
      let answer = try Shell.run(
        "git", arguments,
        environment: [
          "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "GIT_PAGER": "cat",
          "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "A",
          "GIT_COMMITTER_EMAIL": "a@example.org",
        ], folder: vault)
      try #require(answer.status == 0, "git \(arguments): \(answer.errors)")
      return answer.output
    }

    func commit() throws {
      _ = try git("add", "-A")
      _ = try git("commit", "-qm", "x")
    }

    /// Replaces the only occurrence of a string in a note.
    func edit(_ note: String, _ old: String, _ new: String) throws {
      let text = try scratch.text("vault/" + note)
      try #require(text.components(separatedBy: old).count == 2, "'\(old)' must occur once in \(note)")
      _ = try scratch.write("vault/" + note, text.replacing(old, with: new))
    }

    /// Imports the vault and exports the library into the vault again.
    @discardableResult
    func roundTrip() throws -> Tally {
      let tally = try Vaults.add(vault, to: library).tally
      #expect(tally.total.rejected == 0)
      try Vaults.convert(library, to: vault + "/")
      return tally
    }
  }

  static let edits = [
    ("checklists/mob-man-overboard-v3.md", "Shout \"MAN OVERBOARD!\"", "Shout \"MAN OVERBOARD\" loudly"),
    ("checklists/mob-man-overboard-v3.md", "Also cushions — make a trail", "Also cushions, ~~make~~ leave a *trail*"),
    ("checklists/mob-man-overboard-v3.md", "and danbuoy NOW · required", "and danbuoy NOW · required · 2 min"),
    (
      "checklists/mob-man-overboard-v3.md", "Press MOB on plotter · required · #mob #navigation",
      "Press MOB on plotter · optional · #mob #plotter #навигация"
    ),
    ("checklists/mob-man-overboard-v3.md", "## First minute", "## The first minute"),
    ("guides/anchoring-in-the-med.md", "**boring**", "**dull**"),
    ("guides/anchoring-in-the-med.md", "description: How we choose", "description: What we choose"),
    ("guides/anchoring-in-the-med.md", "[anchoring, greece, technique]", "[anchoring, greece, \"two words\"]"),
    ("guides/anchoring-in-the-med.md", "title: Anchoring in the Med", "title: Anchoring in the Mediterranean"),
    ("guides/anchoring-in-the-med.md", "is_pinned: true\n", "is_pinned: true # the first one\n"),
  ]

  @Test(arguments: edits)
  func oneEditIsOneLine(_ note: String, _ old: String, _ new: String) throws {
    let repository = try Repository()
    try repository.edit(note, old, new)
    try repository.commit()
    let tally = try repository.roundTrip()
    let isComment = new.contains("# the first")
    #expect(tally.total.updated == (isComment ? 0 : 1) && tally.total.created == 0)
    #expect(try repository.git("diff") == "")
    #expect(try repository.git("diff", "--numstat", "HEAD~1") == "1\t1\t\(note)\n")
    #expect(try repository.git("status", "--porcelain") == "")
    // The notes stay unchanged.
    #expect(try repository.roundTrip().total.updated == 0)
    #expect(try repository.git("diff", "--numstat") == "")
  }

  @Test func aCardsAnswerIsOneLine() throws {
    let deck = """
      {"kind":"item","id":"\(Notes.id(1))","content_type":"flashcard_deck","title":"Lights",\
      "created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z","content_data":{"cards":[\
      {"id":"\(Notes.id(2))","front":"What does a pilot vessel show?","back":"White over red."},\
      {"id":"\(Notes.id(3))","front":"And a trawler?","back":"Green over white."}]}}
      """
    let repository = try Repository(bundle: [deck])
    try repository.edit("decks/lights.md", "White over red.", "White over red, all round.")
    try repository.commit()
    #expect(try repository.roundTrip().total.updated == 1)
    #expect(try repository.git("diff", "--numstat") == "")
    #expect(try repository.git("diff", "--numstat", "HEAD~1") == "1\t1\tdecks/lights.md\n")
    let records = try Vaults.records(repository.library, repository.scratch)
    #expect(records.contains { $0.contains("\"id\":\"\(Notes.id(2))\",\"front\":\"What does a pilot vessel show?\"") })
  }

  // MARK: Steps that are added and removed

  private static let steps = """
    {"kind":"item","id":"\(Notes.id(1))","content_type":"checklist","title":"Leaving",\
    "created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z","content_data":{"sections":[\
    {"id":"\(Notes.id(10))","title":"Engine","items":[{"id":"\(Notes.id(11))","title":"Sea cock open"},\
    {"id":"\(Notes.id(12))","title":"Oil"}]},\
    {"id":"\(Notes.id(20))","title":"Lines","items":[{"id":"\(Notes.id(21))","title":"Slip lines led"}]}]}}
    """
  private static let charter = """
    {"kind":"charter","id":"\(Notes.id(30))","name":"June","start_date":"2026-06-01T00:00:00.000Z",\
    "end_date":"2026-06-08T00:00:00.000Z"}
    """
  private static let ticks = """
    {"kind":"execution","id":"\(Notes.id(40))","checklist_id":"\(Notes.id(1))","charter_id":"\(Notes.id(30))",\
    "item_states":{"\(Notes.id(12))":{"checked":true,"checkedAt":"2026-01-05T10:11:12Z"}}}
    """

  private static func repository() throws -> Repository {
    try Repository(bundle: [steps, charter, ticks])
  }

  private static func ids(_ repository: Repository) throws -> [String: String] {
    var ids: [String: String] = [:]
    for record in try Vaults.records(repository.library, repository.scratch) {
      for match in record.matches(of: /{"id":"([0-9A-F-]+)","title":"([^"]+)"/) {
        ids[String(match.output.2)] = String(match.output.1)
      }
    }
    return ids
  }

  @Test func aNewStepGetsAnIdAndTheOthersKeepTheirs() throws {
    let repository = try Self.repository()
    let before = try Self.ids(repository)
    let note = "checklists/leaving.md"
    try repository.edit(note, "- [ ] Sea cock open", "- [ ] Fenders ready · 3 min\n- [ ] Sea cock open")
    try repository.commit()
    #expect(try repository.roundTrip().total.updated == 1)
    let difference = try repository.git("diff", "-U0").split(separator: "\n").filter {
      ($0.hasPrefix("+") || $0.hasPrefix("-")) && !$0.hasPrefix("+++") && !$0.hasPrefix("---")
    }
    #expect(difference.count == 2 && difference.first == "-- [ ] Fenders ready · 3 min")
    #expect(difference.last?.wholeMatch(of: /\+- \[ \] Fenders ready · 3 min <!-- id=[0-9A-F-]{36} -->/) != nil)
    let after = try Self.ids(repository)
    #expect(after.count == before.count + 1 && before.allSatisfy { after[$0.key] == $0.value })
    let ticks = try Vaults.records(repository.library, repository.scratch).first { $0.contains("\"execution\"") }
    #expect(ticks?.contains("\"\(Notes.id(12))\":{\"checked\":true") == true, "the tick is that of 'Oil'")
    try repository.commit()
    #expect(try repository.roundTrip().total.updated == 0)
    #expect(try repository.git("status", "--porcelain") == "")
  }

  @Test func stepsThatMoveKeepTheirIds() throws {
    let repository = try Self.repository()
    let before = try Self.ids(repository)
    let note = "checklists/leaving.md"
    let text = try repository.scratch.text("vault/" + note)
    let oil = try #require(text.split(separator: "\n").first { $0.contains("Oil") })
    // Move the step to the top of the other section.
    try repository.edit(note, oil + "\n", "")
    try repository.edit(note, "- [ ] Slip lines led", oil + "\n- [ ] Slip lines led")
    try repository.commit()
    #expect(try repository.roundTrip().total.updated == 1)
    #expect(try repository.git("diff") == "")
    #expect(try Self.ids(repository) == before)
  }

  @Test func aNoteThatIsGoneTakesNothingAway() throws {
    let repository = try Repository()
    try repository.roundTrip()
    let records = try Vaults.records(repository.library, repository.scratch)
    try FileManager.default.removeItem(atPath: repository.vault + "/guides/anchoring-in-the-med.md")
    let answer = try Shell.fleetkit("import", repository.vault, "--into", repository.library)
    #expect(answer.status == 0)
    #expect(answer.errors.contains("IMP0105"), "\(answer.errors.suffix(400))")
    let json = try Shell.fleetkit("import", repository.vault, "--into", repository.library, "--json", "-q")
    #expect(json.output.contains(/"code":"IMP0105"[^}]+"title":"Anchoring in the Med"/))
    #expect(try Vaults.records(repository.library, repository.scratch) == records)
    try Vaults.convert(repository.library, to: repository.vault + "/")
    #expect(try repository.git("status", "--porcelain") == "")
  }
}
