import Content
import Diagnostics
import FleetKit
import TestSupport
import Testing
import Validation

/// The rules for ids, checklists, decks, charters and executions, beyond the examples on their pages.
@Suite struct ListRuleTests {
  private static let codes = RuleSet.codes.map(\.id).filter {
    $0.hasPrefix("LNT01") || $0.hasPrefix("LNT02") || $0.hasPrefix("LNT07") || $0.hasPrefix("LNT08")
  }

  // MARK: Trust

  @Test(arguments: ["curated-checklists.jsonl", "crew-handbook.json"])
  func curatedContentHasNothingToSay(_ name: String) throws {
    let run = try RuleRun(paths: [Paths.root + "/samples/" + name], rules: Self.codes)
    #expect(run.shapes == [], "\(run.messages)")
  }

  @Test func aRealLibraryHasOnlyTheFindingsThatItsOwnerWouldAdmit() throws {
    let run = try RuleRun(paths: [Paths.libraries + "/library-v2.2.0.sqlite"], rules: Self.codes)
    #expect(
      run.shapes == [
        // A checklist that was written to contain every oddity.
        "LNT0201 /3/items/1/isOptional", "LNT0202 /0/items", "LNT0205 /2/items/1/title",
        "LNT0207 /2/items/1/estimatedMinutes", "LNT0207 /3/items/0/estimatedMinutes",
        "LNT0208 /2/items/0/estimatedMinutes", "LNT0208 /2/items/2/estimatedMinutes", "LNT0213 /3/items/2/title",
        // Emergency checklists with an optional step, and a draft without sections between them.
        "LNT0203 /3/items/2/isOptional", "LNT0218 ", "LNT0203 /2/items/4/isOptional", "LNT0203 /1/items/5/isOptional",
      ])
  }

  @Test func codesAreUniqueAcrossRulesAndReaders() {
    let all = FindingCodes.all
    #expect(Set(all.map(\.id)).count == all.count)
    #expect(Set(RuleSet.codes.map(\.name)).count == RuleSet.codes.count)
  }

  // MARK: Ids

  @Test func sharedIDsAreFoundAcrossFilesAndTheFirstPlaceIsNamed() throws {
    let record = #"{"kind":"item","id":"\#(Made.id(1))","content_type":"practice_guide","title":"A","content_data":{}}"#
    let header = #"{"kind":"bundle","format":"fleetkit.bundle","version":1,"min_reader":1}"#
    let run = try RuleRun(
      [header + "\n\n" + record + "\n", "[" + record + "]", header + "\n" + record],
      as: ["a.jsonl", "b.json", "c.jsonl"], rules: ["LNT0101"])
    #expect(run.shapes == ["LNT0101 /id", "LNT0101 /id"])
    #expect(run.messages.allSatisfy { $0.hasSuffix("a.jsonl:3") }, "\(run.messages)")
    #expect(run.entries.map { $0.finding.place.line } == [1, 2])
  }

  @Test func sharedIDsAreFoundAcrossLibraries() throws {
    let library = Paths.libraries + "/library-v2.2.0.sqlite"
    let run = try RuleRun(paths: [library, Paths.libraries + "/library-v2.0.0.sqlite"], rules: ["LNT0101"])
    #expect(run.entries.count == 24 + 7 + 7)
    #expect(run.messages.contains { $0.contains("\(library)#library_content/") })
    #expect(run.messages.contains { $0.contains("\(library)#checklistExecutionStates/") })
  }

  @Test(arguments: [3, 48, 49, 300])
  func repeatsAreFoundInShortAndLongLists(_ count: Int) throws {
    var steps = (0..<count).map { #"{"id":"\#(Made.id($0))","title":"Step \#($0)"}"# }
    steps.append(#"{"id":"\#(Made.id(1))","title":"step, 1"}"#)
    steps.append(#"{"id":"\#(Made.id(count))","title":"STEP 2!"}"#)
    let run = try RuleRun([Made.checklist(steps)], rules: ["LNT0102", "LNT0204"])
    #expect(
      run.shapes == [
        "LNT0102 /content_data/sections/0/items/\(count)/id",
        "LNT0204 /content_data/sections/0/items/\(count)/title",
        "LNT0204 /content_data/sections/0/items/\(count + 1)/title",
      ])
  }

  // MARK: Minutes

  @Test(
    arguments: [
      // title, minutes of both steps, whether the title and the minutes disagree
      ("10-minute check", 5, false), ("10-minute check", 7, true), ("Check: 10 min", 7, true),
      ("10 min check", 5, false),
      ("Check – 10 min", 7, true), ("Уборка (15 минут)", 10, true), ("Уборка, 15 мин.", 7, false),
      ("Проверка за 15 минут", 30, true), ("За 15 минут до выхода", 30, false), ("Первые 10 минут", 60, false),
      ("2-hour hand-over", 60, false), ("2 hours of cleaning", 90, true), ("Приёмка: 2 часа", 90, true),
      ("Every 20 min", 90, false), ("10–15 min", 90, false), ("1.5 h", 90, false), ("10:30 min", 90, false),
      ("Less than < 5 min", 90, false), ("46 ft minimum", 90, false), ("10 miles", 90, false),
      ("3 h on, 6 h off", 90, false),
      ("Kontrolle (10 Minuten)", 30, true), ("30 min ago", 90, false), ("60 min of rigging", 1, true),
      ("99999999999999999999 min", 5, true), ("0 min", 5, false), ("5 мин", 30, true), ("5 минералок", 30, false),
    ])
  func statedTimesAreUnderstoodOrLeftAlone(_ title: String, _ minutes: Int, _ isFound: Bool) throws {
    let steps = ["a", "b"].map { #"{"title":"\#($0)","estimatedMinutes":\#(minutes)}"# }
    let run = try RuleRun([Made.checklist(steps, title: title)], rules: ["LNT0206"])
    #expect(run.shapes == (isFound ? ["LNT0206 /title"] : []), "\(run.messages)")
  }

  @Test func minutesOfAnySizeAreAddedWithoutOverflow() throws {
    let steps = (0..<50).map { #"{"title":"s\#($0)","estimatedMinutes":9223372036854775807}"# }
    let run = try RuleRun([Made.checklist(steps, title: "5 min")], rules: ["LNT0206", "LNT0207", "LNT0208"])
    #expect(run.shapes.count == 51 && run.shapes[0] == "LNT0206 /title")
  }

  // MARK: Limits and edits

  @Test func limitsAreTheUsers() throws {
    var limits = RuleLimits()
    limits.glanceCharacters = 5
    limits.checklistMinutes = 3
    limits.sectionSteps = 1
    let steps = [#"{"title":"Ремень","estimatedMinutes":4}"#, #"{"title":"Масло","estimatedMinutes":3}"#]
    let run = try RuleRun([Made.checklist(steps)], rules: ["LNT0205", "LNT0208", "LNT0210"], limits: limits)
    #expect(
      run.shapes == [
        "LNT0205 /content_data/sections/0/items/0/title", "LNT0208 /content_data/sections/0/items/0/estimatedMinutes",
        "LNT0210 /content_data/sections/0/items",
      ])
  }

  @Test func aTitleThatTheSectionHasTooIsReportedOnce() throws {
    let text = """
      {"content_type":"checklist","title":"Engine  check","content_data":{"sections":[
        {"title":"Engine  check","items":[{"title":"Oil"}]},{"title":"Oil  level","items":[{"title":"Oil"}]}]}}
      """
    let run = try RuleRun([text], rules: ["LNT0213"])
    #expect(run.shapes == ["LNT0213 /title", "LNT0213 /content_data/sections/1/title"])
  }

  @Test func theAddressOfALinkIsNotReadAtAGlance() throws {
    let address = "https://example.org/" + String(repeating: "a", count: 150)
    let words = String(repeating: "б", count: 110)
    let steps = [
      "[\(words)](\(address))", "![\(words)](\(address)) and eleven", "[[\(address)|\(words)]]", words + "[\(words)",
    ]
    .map { "{\"title\":\"\($0)\"}" }
    let run = try RuleRun([Made.checklist(steps)], rules: ["LNT0205"])
    #expect(
      run.shapes == [
        "LNT0205 /content_data/sections/0/items/1/title", "LNT0205 /content_data/sections/0/items/3/title",
      ])
  }

  @Test func thereIsAnEditWhereThereIsOneRightAnswer() throws {
    let steps = [
      #"{"title":"1. Oil  level","itemDescription":"1.Oil level"}"#, #"{"title":"2. \u00A0Ремни \n"}"#,
    ]
    let text = Made.checklist(steps, title: "\\tEngine", more: #""checklistType":"Check-In","#)
    let run = try RuleRun([text], rules: ["LNT0212", "LNT0213", "LNT0214", "LNT0216"])
    #expect(
      run.edits == [
        .text("Oil  level"), .text("\u{A0}Ремни \n"), .text("Engine"), .text("1. Oil level"), .text("2. \u{A0}Ремни"),
        .text("check_in"), .remove,
      ])
    let details = try RuleRun([Made.checklist([#"{"title":"Oil","itemDescription":" oil. "}"#])], rules: ["LNT0216"])
    #expect(details.edits == [.remove])
    for word in ["emergncy", "emergencyy", "saftey", "dayly"] {
      let run = try RuleRun([Made.checklist([], more: "\"checklistType\":\"\(word)\",")], rules: ["LNT0214"])
      #expect(run.edits == [nil] && run.messages[0].quoted.count == 2, "\(word): \(run.messages)")
    }
    for word in ["", "regatta", "check", "S"] {
      let run = try RuleRun([Made.checklist([], more: "\"checklistType\":\"\(word)\",")], rules: ["LNT0214"])
      #expect(run.edits == [nil] && run.messages[0].quoted.count < 2, "\(word): \(run.messages)")
    }
  }

  // MARK: References between files

  @Test func referencesThatCameBeforeTheirTargetsAreNoFindings() throws {
    let text = """
      [{"kind":"execution","checklist_id":"\(Made.id(1))","charter_id":"\(Made.id(2))","item_states":{
         "\(Made.id(5))":{"checked":true},"\(Made.id(6))":{"checked":false}}},
       {"kind":"charter","id":"\(Made.id(2))","name":"Ionian"},
       {"id":"\(Made.id(1))","content_type":"checklist","title":"Engine","content_data":{"sections":[
         {"title":"Cold","items":[{"id":"\(Made.id(5))","title":"Oil"}]}]}}]
      """
    let run = try RuleRun([text], rules: ["LNT0803", "LNT0804"])
    #expect(run.shapes == ["LNT0804 /item_states"])
    #expect(run.messages.map(\.numbers) == [[1, 2]])
  }

  @Test func ticksOfAChecklistThatIsThereTwiceAreNobodysBusiness() throws {
    let checklist = #"{"id":"\#(Made.id(1))","content_type":"checklist","title":"E","content_data":{"sections":[]}}"#
    let text = """
      [\(checklist),\(checklist),{"kind":"execution","checklist_id":"\(Made.id(1))","charter_id":"\(Made.id(2))",
        "item_states":{"\(Made.id(5))":{"checked":true}}}]
      """
    #expect(try RuleRun([text], rules: ["LNT0804"]).shapes == [])
  }

  @Test func manyLostReferencesAreAllCounted() throws {
    let count = 10_020
    var lines = [#"{"kind":"bundle","format":"fleetkit.bundle","version":1,"min_reader":1}"#]
    for number in 0..<count {
      lines.append(
        #"{"kind":"execution","id":"\#(Made.id(number))","checklist_id":"\#(Made.id(1 << 30))","charter_id":"\#(Made.id(7))"}"#
      )
    }
    lines.append(#"{"kind":"item","id":"\#(Made.id(1))","content_type":"checklist","title":"Engine"}"#)
    let run = try RuleRun([lines.joined(separator: "\n")], as: ["many.jsonl"], rules: ["LNT0803"])
    #expect(run.entries.count == count)
    #expect(run.entries.map { $0.finding.place.line } == Array(2...(count + 1)))
    #expect(run.messages.last == "the execution belongs to the checklist \(Made.id(1 << 30)), which does not exist")
  }

  @Test func largeExecutionsAreHeldAgainstLargeChecklists() throws {
    let steps = (0..<200).map { #"{"id":"\#(Made.id($0))","title":"s\#($0)"}"# }
    let ticks = (100..<300).map { #""\#(Made.id($0))":{"checked":true}"# }
    let checklist = Made.checklist(steps).replacing(
      "{\"content_type\"", with: "{\"id\":\"\(Made.id(900))\",\"content_type\"")
    let text = """
      [\(checklist),{"kind":"execution","checklist_id":"\(Made.id(900))","charter_id":"\(Made.id(2))",
        "item_states":{\(ticks.joined(separator: ","))}}]
      """
    let run = try RuleRun([text], rules: ["LNT0804"])
    #expect(run.shapes == ["LNT0804 /item_states/\(Made.id(200))"])
    #expect(run.messages.map(\.numbers) == [[100, 200]])
  }
}
