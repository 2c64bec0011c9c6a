import FleetKit
import Foundation
import Interchange
import JSONText
import TestSupport
import Testing

@testable import Todoist

/// Reading and writing Todoist's templates.
@Suite struct TodoistTests {
  private static let header =
    "TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE,DURATION,DURATION_UNIT"

  /// A template as Todoist exports it.
  private static let template = """
    \u{FEFF}TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE,DURATION,DURATION_UNIT
    meta,view_style=list,,,,,,,,,,
    task,Passports @papers,,1,1,Ann (123),,,en,Europe/Athens,,None
    ,,,,,,,,,,,
    section,Anchor,,,,,,,,,,
    task,Check the chain,"Ten metres a mark,
    then paint",4,1,Ann (123),,,en,Europe/Athens,15,minute
    note,Paint is in the lazarette,,,,Ann (123),,2026-03-01,,,,
    note,and so is the brush,,,,Ann (123),,2026-03-01,,,,
    task,Shackle @tools @two-spanners,,2,2,Ann (123),,every day,en,Europe/Athens,,None
    task,Seizing wire,,4,3,Ann (123),Bob (5),,en,Europe/Athens,,None
    task,Windlass,,4,1,Ann (123),,,en,Europe/Athens,1,day
    ,,,,,,,,,,,
    section,Empty,,,,,,,,,,

    """

  private func item(_ text: String, name: String = "Going offshore.csv") throws -> (
    JSONValue, RunContext
  ) {
    let scratch = Scratch()
    let context = Self.context()
    var found: [JSONDocument] = []
    try RecordScan(sources: SourceList([scratch.write(name, text)])).run(context: context) {
      found.append(try $0.document())
    }
    return (try #require(found.first).root, context)
  }

  private static func context() -> RunContext {
    RunContext(findings: DiagnosticLog(keepPerCode: 100), now: Timestamp(milliseconds: 1_767_607_872_345))
  }

  private func steps(_ item: JSONValue) -> [[String]] {
    (item["content_data"]?["sections"]?.elements ?? []).map { section in
      (section["items"]?.elements ?? []).map { $0["title"]?.string ?? "" }
    }
  }

  @Test func aTemplateBecomesAChecklist() throws {
    let (item, context) = try item(Self.template)
    #expect(item["title"]?.string == "Going offshore")
    #expect(item["content_type"]?.string == "checklist")
    let sections = item["content_data"]?["sections"]?.elements ?? []
    #expect(sections.map { $0["title"]?.string } == ["Going offshore", "Anchor", "Empty"])
    #expect(
      steps(item) == [
        ["Passports"],
        [
          "Check the chain", "Check the chain › Shackle", "Check the chain › Shackle › Seizing wire", "Windlass",
        ], [],
      ])
    let passports = try #require(sections.first?["items"]?.elements.first)
    #expect(passports["isRequired"]?.bool == true)
    #expect(passports["tags"]?.elements.map(\.string) == ["papers"])
    let anchor = try #require(sections.dropFirst().first?["items"]?.elements)
    #expect(anchor.map { $0["isRequired"]?.bool } == [false, false, false, false])
    #expect(anchor.map { $0["estimatedMinutes"]?.integer } == [15, nil, nil, 1440])
    #expect(anchor[1]["tags"]?.elements.map(\.string) == ["tools", "two-spanners"])
    #expect(
      anchor[0]["itemDescription"]?.string
        == "Ten metres a mark,\nthen paint\n\nPaint is in the lazarette\n\nand so is the brush")

    // Values that FleetKit cannot hold are reported, each with its cell.
    let left = context.findings.kept.filter { $0.code.id == "TBL0402" }
    #expect(left.map { $0.place.line } == [10, 10, 11])
    #expect(left.map { $0.place.column } == [51, 36, 34])
    #expect(context.findings.worst == .warning)
  }

  @Test func rowsThatAreNoneAreRejectedAlone() throws {
    let scratch = Scratch()
    let rows = [
      "task,One,,4,1,,,,,,,", "Task,Two,,4,1,,,,,,,", "job,Three,,4,1,,,,,,,", "task,Four,,high,1,,,,,,,",
      "note,on four,,,,,,,,,,", "task,Five,,4,x,,,,,,,", "task,Six,,4,1,,,,,,soon,minute", "task,Seven,,4",
      ",Eight,,,,,,,,,,",
      "section,,,,,,,,,,,", "task,Nine,,4,1,,,,,,,",
    ]
    let source = try scratch.write("list.csv", ([Self.header] + rows).joined(separator: "\n") + "\n")
    let context = Self.context()
    let summary = try Conversion(sources: SourceList([source]), target: Target(scratch["out.jsonl"])).run(
      context: context)
    #expect(summary.status == .partial)
    let item = try JSONDocument(parsing: String(scratch.text("out.jsonl").split(separator: "\n")[1])).root
    #expect(steps(item) == [["One", "Two"]])
    let errors = context.findings.kept.filter { $0.severity == .error }.sorted {
      ($0.place.line ?? 0) < ($1.place.line ?? 0)
    }
    #expect(errors.map { $0.place.line } == [4, 5, 7, 8, 9, 10, 11, 12])
    #expect(errors.map { $0.place.column } == [1, 12, 14, 20, 1, 1, 9, 6])
    // The last task has an unknown section.
    #expect(errors.last?.code.id == "TBL0120")
    let rejects = try scratch.text("out.jsonl.rejects.csv").split(separator: "\n").map(String.init)
    #expect(rejects.first == Self.header)
    #expect(Set(rejects.dropFirst()) == Set(rows[2...10].filter { $0 != "" }))
  }

  @Test func whatIsNoTemplateIsATable() throws {
    let scratch = Scratch()
    for (text, format) in [
      (Self.header + "\n", "todoist"), ("TYPE;CONTENT;INDENT\n", "todoist"),
      ("\"TYPE\",\"CONTENT\",\"PRIORITY\"\n", "todoist"),
      ("type,title,document\n", "csv"), ("TYPE,CONTENT\n", "csv"), ("item\n", "csv"),
    ] {
      let source = Source(try scratch.write("list.csv", text))
      #expect(try FormatRegistry.standard.format(of: source).descriptor.name == format)
    }
    let source = try scratch.write("list.csv", "item\nOne\n")
    #expect {
      try RecordScan(sources: SourceList([source], format: .todoist)).run(context: Self.context()) { _ in }
    } throws: {
      ($0 as? RunFailure)?.finding?.code.id == "TBL0401"
    }
  }

  @Test(arguments: ["x", "9", "p1", "0", "-1"])
  func aPriorityThatIsNoneIsFoundInItsCell(_ priority: String) throws {
    let scratch = Scratch()
    _ = try scratch.write(
      "Trip.csv",
      "TYPE,CONTENT,PRIORITY,INDENT\ntask,Hull,\(priority),1\nnote,look twice,,\ntask,Anode,4,2\n")
    let answer = try Shell.fleetkit("import", "Trip.csv", "--into", "l.sqlite", "--create", folder: scratch.path)
    #expect(answer.status == 3)
    let finding = answer.errors.split(separator: "\n").first { $0.hasPrefix("Trip.csv:2:11: error[TBL0403] ") }
    #expect(finding?.contains("PRIORITY") == true && finding?.contains("'\(priority)'") == true, "\(answer.errors)")
    // The note was rejected together with its task, so it is not reported as a note without a task.
    #expect(!answer.errors.contains("TBL0402"))
    let path = String(try #require(answer.errors.split(separator: "\n").last))
    #expect(try String(contentsOfFile: scratch[path], encoding: .utf8).contains("note,look twice"))
    _ = try Shell.fleetkit("export", "l.sqlite", "--to", "all.jsonl", folder: scratch.path)
    let all = try scratch.text("all.jsonl")
    #expect(all.contains("Hull \u{203A} Anode") && !all.contains("\"title\":\"Hull\""))
  }

  @Test func whatATemplateCanSayComesBack() throws {
    let scratch = Scratch()
    let (before, _) = try item(Self.template)
    _ = try scratch.write("one.jsonl", Self.bundle([before.text]))
    let context = Self.context()
    try convert(scratch["one.jsonl"], to: scratch["Going offshore.csv"], context)
    let text = try scratch.text("Going offshore.csv")
    #expect(text.hasPrefix(Self.header + "\ntask,Passports @papers,,1,1,,,,,,,\nsection,Anchor,"))
    #expect(text.contains("\ntask,Shackle @tools @two-spanners,,4,2,"))
    #expect(text.contains("\ntask,Seizing wire,,4,3,"))
    let (after, _) = try item(text)
    #expect(after["title"]?.string == before["title"]?.string)
    #expect(steps(after) == steps(before))
    func members(_ item: JSONValue) -> [String] {
      (item["content_data"]?["sections"]?.elements ?? []).flatMap { $0["items"]?.elements ?? [] }.map { step in
        ["title", "itemDescription", "isRequired", "tags", "estimatedMinutes"].map { step[$0]?.text ?? "-" }
          .joined(separator: "|")
      }
    }
    #expect(members(after) == members(before))
    #expect(context.losses.byReason.count == 1, "only ids and times are lost")
    #expect(Set(context.losses.kept.map(\.field)) == ["/id"])
  }

  @Test func whatATemplateCannotSayIsListed() throws {
    let scratch = Scratch()
    let item = """
      {"kind":"item","id":"11111111-1111-4111-8111-111111111111","content_type":"checklist","title":"A list",\
      "description":"d","tags":["t"],"language":"ru","content_data":{"title":"A list","checklistType":"pre_charter",\
      "sections":[{"title":"S","icon":"anchor","description":"x","items":[\
      {"title":"call @Bob now","isOptional":true,"tags":["two words"]},\
      {"title":"=HYPERLINK(1)"},{"title":"'quoted"}]}]}}
      """
    _ = try scratch.write("one.jsonl", Self.bundle([item]))
    let context = Self.context()
    try convert(scratch["one.jsonl"], to: scratch["other.csv"], context)
    let fields = Set(context.losses.kept.map(\.field))
    #expect(
      fields == [
        "/id", "/title", "/description", "/tags", "/language", "/content_data/checklistType",
        "/content_data/sections/0/icon", "/content_data/sections/0/description",
        "/content_data/sections/0/items/0/title", "/content_data/sections/0/items/0/isOptional",
        "/content_data/sections/0/items/0/tags/0",
      ])
    let text = try scratch.text("other.csv")
    #expect(text.contains("task,call @Bob now @two_words,,4,1") && text.contains("task,'=HYPERLINK(1),,4,1"))
    let (read, _) = try self.item(text)
    #expect(steps(read) == [["call now", "=HYPERLINK(1)", "'quoted"]])
  }

  @Test func oneFileIsOneChecklistAndAFolderHoldsMany() throws {
    let scratch = Scratch()
    let titles = ["Engine", "engine", "A/B: \u{301}", "..", "Engine", "Якорь"]
    let items = titles.enumerated().map { number, title in
      """
      {"kind":"item","id":"11111111-1111-4111-8111-11111111111\(number)","content_type":"checklist",\
      "title":"\(title)","content_data":{"title":"\(title)","sections":[{"title":"","items":[{"title":"x"}]}]}}
      """
    }
    let deck = """
      {"kind":"item","id":"22222222-1111-4111-8111-111111111111","content_type":"flashcard_deck","title":"Deck",\
      "content_data":{"title":"Deck","cards":[{"front":"a","back":"b"}]}}
      """
    _ = try scratch.write("all.jsonl", Self.bundle(items + [deck]))
    #expect {
      try convert(scratch["all.jsonl"], to: scratch["all.csv"], Self.context())
    } throws: {
      ($0 as? RunFailure)?.status == .refused
    }
    #expect(scratch.names == ["all.jsonl"])
    let context = Self.context()
    try convert(scratch["all.jsonl"], to: scratch["todoist"] + "/", context)
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch["todoist"]).sorted()
    #expect(names.count == 6 && names.allSatisfy { $0.hasSuffix(".csv") && !$0.hasPrefix(".") })
    #expect(names.contains("Engine.csv") && names.contains("engine 2.csv") && names.contains("Engine 3.csv"))
    #expect(names.contains("Якорь.csv"))
    #expect(context.losses.kept.contains { $0.id == "22222222-1111-4111-8111-111111111111" && $0.field.isEmpty })
    #expect(scratch.names == ["all.jsonl", "todoist"])
    // A folder that contains files is never written to.
    #expect {
      try convert(scratch["all.jsonl"], to: scratch["todoist"] + "/", Self.context())
    } throws: {
      ($0 as? RunFailure)?.status == .refused
    }
  }

  @Test(arguments: [
    ("Buy milk @shop", "Buy milk", ["shop"]), ("@a @b both", "both", ["a", "b"]), ("mid @x word", "mid word", ["x"]),
    ("mail a@b.example", "mail a@b.example", []), ("@only", "@only", []), ("at @ noon", "at @ noon", []),
    ("a  b", "a  b", []), ("x @ж, y", "x , y", ["ж"]), ("", "", []), ("@a@b c", "c", ["a", "b"]),
  ])
  func labelsAreFound(_ content: String, _ title: String, _ labels: [String]) {
    #expect(TaskTitle(content) == TaskTitle(title: title, labels: labels))
  }

  private static func bundle(_ items: [String]) -> String {
    "{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1}\n" + items.joined(separator: "\n") + "\n"
  }

  private func convert(_ source: String, to target: String, _ context: RunContext) throws {
    var conversion = Conversion(sources: try SourceList([source]), target: Target(target))
    conversion.targetFormat = .todoist
    _ = try conversion.run(context: context)
  }
}
