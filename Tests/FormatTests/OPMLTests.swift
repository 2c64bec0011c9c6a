import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing

/// OPML: reading the outlines of other programs, and our own outlines.
@Suite struct OPMLTests {
  private let scratch = Scratch()

  private struct Read {
    var items: [JSONValue] = []
    var findings: [Diagnostic] = []
  }

  private func read(_ path: String) throws -> Read {
    let context = RunContext(findings: DiagnosticLog(keepPerCode: 100), now: Timestamp(milliseconds: 1_767_607_872_345))
    var read = Read()
    try RecordScan(sources: SourceList([path])).run(context: context) { read.items.append(try $0.document().root) }
    read.findings = context.findings.kept
    return read
  }

  private static func fixture(_ name: String) -> String { Paths.root + "/Tests/Fixtures/opml/\(name).opml" }

  /// Returns a checklist as `section: step step; section: step`.
  private static func outline(_ item: JSONValue) -> [String] {
    (item["content_data"]?["sections"]?.elements ?? []).map { section in
      let steps = section["items"]?.elements.compactMap { $0["title"]?.string } ?? []
      return (section["title"]?.string ?? "") + ": " + steps.joined(separator: " | ")
    }
  }

  @Test func readsWorkflowy() throws {
    let read = try read(Self.fixture("workflowy"))
    #expect(read.items.map { $0["title"]?.string } == ["Spring **commissioning**", "Отдать швартовы"])
    #expect(read.items.map { $0["language"]?.string } == ["en", "ru"])
    #expect(read.items.first?["description"]?.string == "Before the crane comes on 12 April")
    #expect(
      read.items.first.map(Self.outline) == [
        "Hull: Check the anodes | Antifouling, *two coats* & tape",
        "Engine: Impeller: [part list](https://example.org/impeller) | Belt",
        "Spring **commissioning**: Insurance papers on board",
      ])
    let steps = read.items.first?["content_data"]?["sections"]?[0]?["items"]
    #expect(steps?[0]?["itemDescription"]?.string == "Renew below half\nTwo spares in the locker")
    #expect(steps?[1]?["itemDescription"]?.string == "- First coat on Friday\n- Second coat\n  at least 6 h later")
    #expect(read.items.last.map(Self.outline) == ["Отдать швартовы: Двигатель прогрет | Экипаж на местах"])
    #expect(read.findings.map(\.code.id) == ["OPM0102"])
    #expect(read.findings.first?.place.line == 9 && read.findings.first?.place.column == 9)
  }

  @Test func readsDynalist() throws {
    let read = try read(Self.fixture("dynalist"))
    #expect(read.items.count == 1)
    let item = try #require(read.items.first)
    #expect(item["title"]?.string == "Night watch")
    #expect(item["created_at"]?.string == "2026-01-05T10:11:12.000Z")
    #expect(item["updated_at"]?.string == "2026-01-06T07:00:00.000Z")
    #expect(
      Self.outline(item) == [
        "Before dark: Jackstays rigged | Harness on", "Every hour: Position in the log | Barometer",
      ])
    #expect(read.findings.map(\.code.id).sorted() == ["OPM0102", "OPM0103", "OPM0104", "OPM0104"])
    #expect(read.findings.first { $0.code.id == "OPM0103" }?.place.line == 15)
  }

  @Test func readsOmniOutliner() throws {
    let read = try read(Self.fixture("omnioutliner"))
    #expect(read.items.map(Self.outline) == [["Fuel stop: Engine off | Extinguisher at hand | Filler cap closed"]])
    #expect(read.findings.map(\.code.id).sorted() == ["OPM0102", "OPM0104", "OPM0104"])
  }

  /// Values that have no equivalent in a section or a step are reported. Links of items are kept.
  @Test func tasksBelowStepsAreSteps() throws {
    let path = try scratch.write(
      "deep.opml",
      """
      <opml version="2.0"><head><title>Deep</title></head><body><outline text="Leaving"><outline text="Engine">
      <outline text="Oil" _complete="false"><outline text="Dipstick" _complete="true"><outline text="wipe it"/>
      <outline text="Clean" checkbox="true"/></outline><outline text="note"/></outline>
      <outline text="Water"/></outline></outline></body></opml>
      """)
    let item = try #require(try read(path).items.first)
    #expect(Self.outline(item) == ["Engine: Oil | Oil › Dipstick | Oil › Dipstick › Clean | Water"])
    let steps = item["content_data"]?["sections"]?[0]?["items"]?.elements ?? []
    #expect(steps.map { $0["itemDescription"]?.string } == [nil, "  - wipe it", "- note", nil])
  }

  @Test func whatHasNoPlaceIsReported() throws {
    let file = try scratch.write(
      "links.opml",
      """
      <opml version="2.0"><body>
      <outline text="List" url="https://example.org/a"><outline text="S" category="x">
      <outline text="a" created="Mon, 05 Jan 2026 10:11:12 GMT"/></outline></outline></body></opml>
      """)
    let read = try read(file)
    #expect(read.items.first?["description"]?.string == "<https://example.org/a>")
    #expect(read.findings.map(\.code.id) == ["OPM0104", "OPM0104"])
  }

  /// Ids stay the same when a file is read again, and two equal lists become two items.
  @Test func idsFollowFromTitles() throws {
    let two = try scratch.write(
      "two.opml",
      "<opml version=\"2.0\"><body>"
        + String(repeating: "<outline text='A'><outline text='B'><outline text='C'/></outline></outline>", count: 2)
        + "</body></opml>")
    let ids = try read(two).items.compactMap { $0["id"]?.string }
    #expect(Set(ids).count == 2)
    #expect(try read(two).items.compactMap { $0["id"]?.string } == ids)
  }

  /// A finding about a value gives the place of its attribute.
  @Test func valuesHaveTheirPlaces() throws {
    let file = try scratch.write(
      "places.opml",
      """
      <opml version="2.0">
      <body><outline text="Список"><outline text="S">
        <outline text="One" _note="первый"/><outline _note='n' text='Two &amp; three'/>
      </outline></outline></body></opml>
      """)
    var places: [String] = []
    let context = RunContext(now: Timestamp(milliseconds: 0))
    try RecordScan(sources: SourceList([file])).run(context: context) { record in
      for path in [
        "/title", "/content_data/sections/0/title", "/content_data/sections/0/items/0/itemDescription",
        "/content_data/sections/0/items/1/title", "/content_data/sections/0/items/1/isRequired",
      ] {
        let place = record.locate(try #require(JSONPointer(path))).place
        places.append("\(place.line ?? 0):\(place.column ?? 0)-\(place.endColumn ?? 0)")
      }
    }
    #expect(places == ["2:22-28", "2:45-46", "3:30-36", "3:64-79", "3:64-79"])
  }

  @Test(arguments: [
    ("<opml version=\"2.0\"><body><outline text=\"a\"></body></opml>", 5),
    ("<opml version=\"2.0\"><body><outline text=\"a\"/>", 5), ("<html><body/></html>", 2),
    ("<!DOCTYPE opml [<!ENTITY a \"b\">]><opml version=\"2.0\"><body/></opml>", 2),
  ])
  func damagedFilesAreRefused(_ text: String, _ status: Int32) throws {
    let file = try scratch.write("bad.opml", text)
    let answer = try Shell.fleetkit("convert", file, "--to", scratch["out.jsonl"])
    #expect(answer.status == status, "\(answer.errors)")
    #expect(answer.errors.contains("OPM0101") || answer.errors.contains("line 1"))
    #expect(!FileManager.default.fileExists(atPath: scratch["out.jsonl"]))
  }

  /// Every character of an item survives the round trip, except for those that XML does not allow, which are listed.
  @Test func anyTextComesBack() throws {
    let title = "Tab\\t, lines\\n\\r\\n, <b>&amp;\\\" ' ]]> 🧭 שלום"
    let line =
      "{\"content_type\":\"checklist\",\"title\":\"\(title)\",\"description\":\"\",\"tags\":[\"a, b\",\"c\"],"
      + "\"content_data\":{\"sections\":[{\"title\":\"S\",\"icon\":\"anchor\",\"isExpandedByDefault\":false,"
      + "\"items\":[{\"title\":\"\(title)\",\"estimatedMinutes\":-5,\"tags\":[\"x\"],\"odd\":[1,{\"a\":null}]}]}]}}\n"
    let one = try scratch.write("one.jsonl", line)
    let run = try Shell.fleetkit("convert", one, "--to", scratch["two.opml"], "--prove", "-q")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try Shell.fleetkit("convert", scratch["two.opml"], "--to", scratch["three.jsonl"], "-q").status == 0)
    #expect(try Shell.fleetkit("diff", one, scratch["three.jsonl"]).status == 0)
    let control = try scratch.write(
      "c.jsonl", "{\"content_type\":\"checklist\",\"title\":\"a\\u0001b\",\"content_data\":{}}\n")
    #expect(try Shell.fleetkit("convert", control, "--to", scratch["c.opml"], "--no-loss", "-q").status == 4)
  }

  /// Python, as the judge, reads our files and finds every outline with its text.
  @Test func othersReadWhatWeWrite() throws {
    #expect(try Shell.fleetkit("convert", Paths.root + "/samples", "--to", scratch["all.opml"], "-q").status >= 0)
    let script = """
      import sys, xml.etree.ElementTree as e
      root = e.parse(sys.argv[1]).getroot()
      body = root.find('body')
      print(root.attrib['version'], len(body), all('text' in o.attrib for o in body.iter('outline')))
      """
    let answer = try Shell.run("python3", ["-c", script, scratch["all.opml"]])
    #expect(answer.output.hasPrefix("2.0 62 True"), "\(answer.output) \(answer.errors)")
  }
}
