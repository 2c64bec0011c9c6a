import Foundation
import TestSupport
import Testing

/// A code that means "something you wrote did not arrive, or arrived elsewhere" must be a warning or an error wherever
/// it occurs.
///
/// The declared severity of a code does not prove this, because each finding may be reported with a different severity.
/// So for every code there is a small input that makes the command report the code.
@Suite(.enabled(if: ["sqlite3", "zip"].allSatisfy(Shell.has), "the sqlite3 shell or zip is not there"))
struct SeverityTests {
  /// The codes with this meaning.
  static let codes = [
    "BND0104", "BND0111", "CHV0102", "CHV0105", "CHV0110", "FIL0102", "FIL0103", "LIB0110", "MKD0107", "MKD0110",
    "MKD0112", "MKD0119", "MKD0120", "MKD0121", "MKD0122", "MKD0123", "MKD0125", "MRG0102", "OPM0102", "OPM0103",
    "OPM0104", "PRE0104", "PRE0106", "TBL0102", "TBL0105", "TBL0119", "TBL0126", "TBL0127", "TBL0128", "TBL0315",
    "TBL0316", "TBL0402", "TXT0101",
  ]

  /// An input and its expected finding.
  struct Case: Sendable, CustomTestStringConvertible {
    let code: String
    /// The place of the finding as reports print it, such as `notes/a.md:3:1`.
    let place: String
    /// The command and its arguments, separated by blanks.
    let command: String
    /// The contents of files by path.
    let files: [String: String]
    /// Shell commands that run first, in the folder of the files. In them, `fleetkit` is the command under test.
    let before: String

    init(_ code: String, _ place: String, _ command: String, _ files: [String: String], before: String = "") {
      (self.code, self.place, self.command, self.files, self.before) = (code, place, command, files, before)
    }

    var testDescription: String { "\(code) at \(place)" }
  }

  @Test(arguments: cases)
  func isAtLeastAWarning(_ example: Case) throws {
    let scratch = Scratch()
    for (name, text) in example.files {
      let url = URL(fileURLWithPath: scratch[name])
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      _ = try scratch.write(name, text)
    }
    let script = "set -e\nfleetkit() { \"$COMMAND\" \"$@\"; }\n" + example.before
    let before = try Shell.run("sh", ["-c", script], environment: ["COMMAND": Paths.command], folder: scratch.path)
    try #require(before.status == 0, "\(before.errors)")
    let arguments = example.command.split(separator: " ").map(String.init)
    let answer = try Shell.run(Paths.command, arguments + ["--json"], folder: scratch.path)
    // Values that can be used are still used.
    #expect([0, 3].contains(answer.status), "\(answer.errors)")
    let found = answer.findings.filter { $0.code == example.code }
    #expect(found.contains { $0.place == example.place }, "\(answer.findings.map { "\($0.code) \($0.place)" })")
    #expect(found.allSatisfy { ["warning", "error"].contains($0.severity) }, "\(found.map(\.severity))")
  }

  @Test func everyCodeIsProvoked() {
    #expect(Set(Self.cases.map(\.code)) == Set(Self.codes) && Set(Self.codes).count == Self.codes.count)
  }

  static let cases = bundles + libraries + notes + otherApps + tables + workbooks

  private static func convert(_ source: String) -> String { "convert \(source) --to out.jsonl" }

  // MARK: Bundles and folders of files

  private static let header = #"{"kind":"bundle","format":"fleetkit.bundle","version":1}"# + "\n"

  /// Returns a guide as a line of a bundle.
  /// - Parameter members: more members, each followed by a comma.
  private static func guide(_ members: String = "", content: String = #"{"markdown":"x"}"#) -> String {
    #"{\#(members)"content_type":"practice_guide","title":"Splicing","content_data":\#(content)}"# + "\n"
  }

  private static let bundles = [
    Case("BND0104", "a.jsonl:3:1", convert("a.jsonl"), ["a.jsonl": header + guide() + #"{"kind":"weather","id":"w"}"#]),
    // A misspelled member, a member that resembles no other, and a misspelled list.
    Case("BND0111", "a.jsonl:2:2", convert("a.jsonl"), ["a.jsonl": header + guide(#""titel":1,"#)]),
    Case("BND0111", "a.jsonl:2:2", convert("a.jsonl"), ["a.jsonl": header + guide(#""weather":1,"#)]),
    Case("BND0111", "a.json:4:12", convert("a.json"), ["a.json": "{\n\"items\":[\(guide())],\n\"charterz\":[]}\n"]),
    Case("FIL0102", "n/manual.pdf", convert("n"), ["n/Engine.md": "Text\n", "n/manual.pdf": "%PDF-1.4\n"]),
    Case("FIL0102", "n/old.txt", convert("n"), ["n/Engine.md": "Text\n", "n/old.txt": "Call the marina\n"]),
    Case("FIL0102", "n/boat.sqlite", convert("n"), ["n/a.jsonl": guide(), "n/boat.sqlite": "no database\n"]),
    Case("FIL0102", "n/b.csv:1:1", convert("n"), ["n/a.csv": "Step\nOil\n", "n/b.csv": "1,2\n3,4\n"]),
    Case("FIL0103", "n/b.fleetpack", convert("n"), ["n/a.jsonl": guide(), "n/b.fleetpack": "no archive\n"]),
  ]

  // MARK: Libraries

  private static let id = "5A11ED00-0000-4000-8000-000000000001"
  private static let older = guide(#""id":"\#(id)","updated_at":"2026-01-01T00:00:00Z","#)
  private static let newer = guide(
    #""id":"\#(id)","updated_at":"2026-06-01T00:00:00Z","#, content: #"{"markdown":"y"}"#)
  private static let fuel = "---\nid: \(id)\n---\n# Fuel\n\n## Before\n\n- [ ] Close the valve\n- [ ] Air the cabin\n"
  private static let export = "export l.sqlite --to vault/ --overwrite"

  /// Imports the vault and then changes its checklist in the library.
  private static func changed(_ content: String) -> String {
    "fleetkit import vault --into l.sqlite --create\nsqlite3 l.sqlite \"UPDATE checklists SET content = \(content)\"\n"
  }

  private static let libraries = [
    Case(
      "LIB0110", "l.sqlite#checklists/\(id)/content:/0", convert("l.sqlite"), ["vault/Fuel.md": fuel],
      before: changed("substr(content, 1, length(content) - 40)")),
    Case(
      "MRG0102", "a.jsonl:1:1", "import a.jsonl --into l.sqlite", ["a.jsonl": newer, "b.jsonl": older],
      before: "fleetkit convert b.jsonl --to l.sqlite"),
    Case(
      "MRG0102", "b.jsonl:1:1", "import b.jsonl --into l.sqlite", ["a.jsonl": newer, "b.jsonl": older],
      before: "fleetkit convert a.jsonl --to l.sqlite"),
    Case("MKD0112", "a.jsonl:1:1", "convert a.jsonl --to vault/", ["a.jsonl": guide(content: "null")]),
    // Lines of a list cannot hold an icon.
    Case(
      "MKD0119", "vault/Fuel.md:6:4", export, ["vault/Fuel.md": fuel],
      before: changed("json_set(content, '$[0].icon', 'fuelpump')").replacing("$[", with: "\\$[")),
    Case(
      "MKD0119", "vault/Copy.md", export, ["vault/Fuel.md": fuel],
      before: changed("replace(content, 'Air the', 'Air all the')") + "cp vault/Fuel.md vault/Copy.md"),
  ]

  // MARK: Notes

  private static let list = "---\ntype: checklist\n---\n# Engine\n\n"

  private static func note(_ code: String, _ place: String, _ text: String) -> Case {
    Case(code, "a.md:" + place, convert("a.md"), ["a.md": text])
  }

  private static let notes = [
    note("MKD0107", "7:3", list + "- [ ] Oil\n- [x] Water\n"),
    Case("MKD0110", "n/README.md", convert("n"), ["n/Engine.md": "Text\n", "n/README.md": "# Boat\n\nMy notes.\n"]),
    note("MKD0120", "7:3", list + "- [ ] " + String(repeating: "w", count: 401) + "\n  - [ ] Oil\n"),
    note("MKD0121", "7:14", list + "- [ ] Oil\n- [ ] Belt · requird\n"),
    note("MKD0122", "2:7", "---\ntype: chekclist\n---\n- [ ] Oil\n"),
    note("MKD0122", "2:1", "---\ntgas: [a]\n---\nText.\n"),
    note("MKD0123", "2:1", "\n---\ntype: checklist\n---\nText.\n"),
    // A comment, a cell beyond the table's columns, and a row without a step.
    note("MKD0125", "8:1", list + "- [ ] Oil\n\n%% in winter %%\n\n- [ ] Water\n"),
    note("MKD0125", "8:13", list + "| Step | Qty |\n|---|---|\n| Oil | 1 | more |\n"),
    note("MKD0125", "9:1", list + "| Step | Qty |\n|---|---|\n| Oil | 1 |\n| | 2 |\n"),
    Case("TXT0101", "a.txt:5:1", convert("a.txt"), ["a.txt": "Kit\n\n- Oil\n- Belts\n-- \nAnn\n"]),
  ]

  // MARK: Other apps

  /// Returns a case with a row of Chravel's cache that is read on 15 January 2026.
  private static func row(_ code: String, _ type: String, _ data: String, cached: String = "2026-01-14") -> Case {
    let time = Int((try? Date(cached + "T00:00:00Z", strategy: .iso8601).timeIntervalSince1970) ?? 0) * 1000
    let text = #"{"id":"\#(type):A","tripId":"T","entityType":"\#(type)","cachedAt":\#(time),"data":\#(data)}"#
    return Case(
      code, "dump!chravel-offline-sync/cache.json:2:1", convert("dump") + " --now 2026-01-15T12:00:00Z",
      ["dump/chravel-offline-sync/cache.json": "[\n\(text)\n]\n"])
  }

  /// A task assigned to two people, one of whom has completed it.
  private static let task =
    #"{"id":"A","trip_id":"T","creator_id":"U","title":"Papers","is_poll":false,"#
    + #""created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","task_status":["#
    + #"{"task_id":"A","user_id":"U","completed":true},{"task_id":"A","user_id":"V","completed":false}]}"#

  private static let outlines = [
    "a.opml": """
    <opml version="2.0"><head><title>Night watch</title></head><body><outline text="Dark">
    <outline text="Jackstays" _complete="true"/>
    <outline text="Radar" isComment="true"/>
    <outline text="Log" colorlabel="3"/>
    </outline></body></opml>
    """
  ]

  /// A checklist of the predecessor app with a ticked step, and an app setting.
  private static let settings = [
    "a.plist": """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
    <key>Launches</key><integer>42</integer>
    <key>ChecklistStore.v1</key>
    <string>[{"id":"5A11ED00-0000-4000-8000-000000000100","title":"Check-in","type":"reference","sections":[
    {"id":"5A11ED00-0000-4000-8000-000000000110","title":"Deck","subsections":[
    {"id":"5A11ED00-0000-4000-8000-000000000111","title":"Bow","items":[
    {"id":"5A11ED00-0000-4000-8000-000000001001","title":"Anchor","isChecked":true}]}]}]}]</string>
    </dict></plist>
    """
  ]

  private static let otherApps = [
    row("CHV0102", "trip_tasks", task, cached: "2025-12-01"),
    row("CHV0105", "trip_links", #"[{"id":"A","name":"Chandlery"}]"#),
    row("CHV0110", "trip_tasks", task),
    Case("OPM0102", "a.opml:2:1", convert("a.opml"), outlines),
    Case("OPM0103", "a.opml:3:1", convert("a.opml"), outlines),
    Case("OPM0104", "a.opml:4:1", convert("a.opml"), outlines),
    Case("PRE0104", "a.plist!ChecklistStore.v1:4:75", convert("a.plist"), settings),
    Case("PRE0106", "a.plist", convert("a.plist"), settings),
    table("TBL0402", "2:19", "TYPE,CONTENT,PRIORITY,INDENT,RESPONSIBLE,DATE\ntask,Shackle,4,1,,every day\n"),
  ]

  // MARK: Tables

  private static func table(_ code: String, _ place: String, _ text: String) -> Case {
    Case(code, "a.csv:" + place, convert("a.csv"), ["a.csv": text])
  }

  private static let tables = [
    table("TBL0102", "1:12", "front,back,weather\nPort?,Left,wet\n"),
    Case("TBL0119", "n/gear.csv", convert("n"), ["n/Engine.md": "Text\n", "n/gear.csv": "Item,Minutes\nRope,5\n"]),
    table("TBL0126", "1:6", "Step,Quantity\nOil,2\n"),
    table("TBL0126", "3:8", "Step,Minutes,\nOil,2,\nBelt,3,spare\n"),
    table("TBL0127", "3:6", "Step,Time (h)\nOil,1\nBelt,a while\n"),
    table("TBL0128", "4:1", "Item,Qty\nCups,6\nPlates,8\nTotal,14\n"),
  ]

  // MARK: Workbooks

  private static let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
  private static let zipped = "cd book && zip -qr ../a.xlsx ."

  /// Returns the parts of a workbook with a list of steps and one more sheet.
  private static func book(_ rows: String..., type: String = "worksheet", state: String = "visible") -> [String: String]
  {
    let package = "http://schemas.openxmlformats.org/package/2006/relationships"
    let main = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\""
    func relations(_ targets: (type: String, target: String)...) -> String {
      let links = targets.enumerated().map {
        #"<Relationship Id="r\#($0)" Type="\#(office)/\#($1.type)" Target="\#($1.target)"/>"#
      }
      return #"<Relationships xmlns="\#(package)">\#(links.joined())</Relationships>"#
    }
    func sheet(_ rows: [String]) -> String {
      let cells = rows.map { #"<row><c t="inlineStr"><is><t>\#($0)</t></is></c></row>"# }
      return "<worksheet \(main)><sheetData>\(cells.joined())</sheetData></worksheet>"
    }
    return [
      "book/_rels/.rels": relations(("officeDocument", "xl/workbook.xml")),
      "book/xl/workbook.xml":
        #"<workbook \#(main) xmlns:r="\#(office)"><sheets><sheet name="Steps" sheetId="1" r:id="r0"/>"#
        + #"<sheet name="Other" sheetId="2" state="\#(state)" r:id="r1"/></sheets></workbook>"#,
      "book/xl/_rels/workbook.xml.rels": relations(("worksheet", "steps.xml"), (type, "other.xml")),
      "book/xl/steps.xml": sheet(["Step", "Oil"]), "book/xl/other.xml": sheet(rows),
    ]
  }

  private static let workbooks = [
    Case("TBL0105", "a.xlsx!Other:1", convert("a.xlsx"), book("1", "2"), before: zipped),
    Case("TBL0315", "a.xlsx", convert("a.xlsx"), book("Step", "Belt", state: "hidden"), before: zipped),
    Case("TBL0315", "a.xlsx", convert("a.xlsx"), book(type: "chartsheet"), before: zipped),
    Case(
      "TBL0316", "a.xlsx", convert("a.xlsx"), book("Step", "Belt"),
      before: "mkdir book/xl/media && touch book/xl/media/boat.png\n" + zipped),
  ]
}
