import FleetKit
import Foundation
import TestSupport
import Testing

@Suite struct BundleTests {
  private static let header = "{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1,\"min_reader\":1}\n"
  private static let id = "3A473796-4407-4338-B2DC-132362E6088A"

  @Test func peopleMayWriteLess() throws {
    let scratch = Scratch()
    let path = try scratch.write(
      "mine.json",
      """
      {"content_type":"checklist","title":"Before we go","tags":["safety"],
       "content_data":{"sections":[{"title":"Deck","items":[{"title":"Lines"},{"title":"Lines"},{"title":"Fenders","isRequired":true}]}]}}
      """)
    let record = try #require(try Run.records(path).first)
    #expect(
      record["visibility"]?.string == "private" && record["language"]?.string == "en"
        && record["created_at"]?.isNull == true)
    let data = try #require(record["content_data"])
    #expect(data["id"]?.string == record["id"]?.string && data["title"]?.string == "Before we go")
    #expect(data["tags"]?.elements.compactMap(\.string) == ["safety"] && data["syncStatus"]?.string == "pending")
    let items = data["sections"]?.elements.first?["items"]?.elements ?? []
    #expect(items.map { $0["sortOrder"]?.integer } == [0, 1, 2] && items[2]["isRequired"]?.bool == true)
    #expect(Set(items.compactMap { $0["id"]?.string }).count == 3)
    // A step inserted at the top does not change the ids of other steps.
    let longer = try scratch.write(
      "mine.json",
      try scratch.text("mine.json").replacing(
        "[{\"title\":\"Lines\"}", with: "[{\"title\":\"New\"},{\"title\":\"Lines\"}"))
    let after = try #require(
      try Run.records(longer).first?["content_data"]?["sections"]?.elements.first?["items"]?.elements)
    #expect(after.dropFirst().map { $0["id"]?.string } == items.map { $0["id"]?.string })
    // The bundle also becomes a library that the app can open.
    let summary = try Run.convert(path, to: scratch["new.sqlite"])
    #expect(summary.tally[.item].created == 1)
    #expect(try Run.findings(scratch["new.sqlite"]).isEmpty)
    #expect(try Run.records(scratch["new.sqlite"]).first?["created_at"]?.string == "2026-01-05T10:11:12.345Z")
  }

  @Test(arguments: [
    "{\"items\":[{\"content_type\":\"guide\",\"title\":\"A guide\",\"content_data\":{\"markdown\":\"# A\"}}],\"version\":1,\"format\":\"fleetkit.bundle\"}",
    "[{\"content_type\":\"practice_guide\",\"title\":\"A guide\",\"content_data\":{\"markdown\":\"# A\"}}]",
    "{\"title\":\"A guide\",\"content_type\":\"practice_guide\",\"content_data\":{\"markdown\":\"# A\"}}",
    "\u{FEFF}{\r\n\"widgets\": [1, {\"a\": 2}],\r\n\"items\":[\r\n{\"content_type\":\"practice_guide\",\"title\":\"A guide\",\"content_data\":{\"markdown\":\"# A\"}}\r\n]}\r\n",
  ])
  func documentsOfEveryShape(_ text: String) throws {
    let scratch = Scratch()
    let records = try Run.records(try scratch.write("a.json", text)).filter { $0["kind"]?.string == "item" }
    #expect(records.count == 1 && records.first?["content_type"]?.string == "practice_guide")
    #expect(records.first?["content_data"]?["markdown"]?.string == "# A")
  }

  /// A chunk of short records becomes several batches. The last line has no line ending.
  @Test(arguments: ["jsonl", "json"])
  func manyShortRecordsKeepTheirPlaces(_ format: String) throws {
    let scratch = Scratch()
    var lines = (0..<9000).map {
      "{\"content_type\":\"practice_guide\",\"title\":\"\($0)\",\"content_data\":{\"markdown\":\"a\"}}"
    }
    lines[4095] = "0"
    lines[8500] = "1"
    let text =
      format == "json" ? "[" + lines.joined(separator: ",\n") + "]" : Self.header + lines.joined(separator: "\n")
    let path = try scratch.write("a." + format, text)
    let context = Run.context()
    let summary = try Run.convert(path, to: scratch["b.jsonl"], context: context)
    #expect(summary.tally[.item].created == 8998 && summary.tally[.item].rejected == 2)
    let first = format == "json" ? 1 : 2
    #expect(context.findings.kept.compactMap(\.place.line) == [first + 4095, first + 8500])
    #expect(try scratch.text("b.jsonl").contains("\"title\":\"8999\""))
  }

  /// A value that takes two bytes of text takes sixteen in memory, and short steps grow tenfold when all members are
  /// written.
  @Test(arguments: ["values", "steps"])
  func largeRecordsAreRejected(_ what: String) throws {
    let scratch = Scratch()
    let members =
      what == "values"
      ? #""tags":["# + String(repeating: "0,", count: 1_200_000) + "0]"
      : #""content_data":{"sections":[{"title":"S","items":["#
        + String(repeating: #"{"title":"a"},"#, count: 200_000) + #"{"title":"a"}]}]}"#
    let path = try scratch.write(
      "a.jsonl",
      Self.header + "{\"content_type\":\"checklist\",\"title\":\"Large\",\(members)}\n"
        + "{\"content_type\":\"checklist\",\"title\":\"Small\"}\n")
    let context = Run.context()
    let summary = try Run.convert(path, to: scratch["b.jsonl"], context: context)
    #expect(summary.tally[.item].created == 1 && summary.tally[.item].rejected == 1)
    let found = context.findings.kept
    try #require(found.count == 1)
    #expect(found[0].code == .recordTooLarge && found[0].place.line == 2)
  }

  @Test func aRecordGivesTenThousandReasonsAtMost() throws {
    let scratch = Scratch()
    let cards = String(repeating: "{},", count: 12_000)
    let path = try scratch.write(
      "a.json", #"[{"content_type":"flashcard_deck","title":"T","content_data":{"cards":["# + cards + "{}]}}]")
    let context = Run.context()
    #expect(try Run.convert(path, to: scratch["b.jsonl"], context: context).tally[.item].rejected == 1)
    #expect(context.findings.counts[.requiredMember] == 10_000)
  }

  /// However many notes precede it, the error that rejects the record is reported.
  @Test func anErrorBehindThousandsOfNotesIsTheReason() throws {
    let scratch = Scratch()
    let cards = String(repeating: #"{"front":"a","back":"b","x":1},"#, count: 12_000)
    let path = try scratch.write(
      "a.json", #"[{"content_type":"flashcard_deck","title":"T","content_data":{"cards":["# + cards + "{}]}}]")
    let context = Run.context()
    #expect(try Run.convert(path, to: scratch["b.jsonl"], context: context).tally[.item].rejected == 1)
    #expect(context.findings.counts[.unknownBundleMember] == 10_000)
    #expect(context.findings.counts[.requiredMember] == 2)
  }

  /// A null member differs from a missing member. White space does not change either.
  @Test func nullIsKeptAndAbsenceInherits() throws {
    let scratch = Scratch()
    let record =
      "{\"kind\":\"item\",\"content_type\":\"practice_guide\",\"title\":\"T\",\"description\":\"D\",\"content_data\":"
    let path = try scratch.write(
      "a.jsonl",
      Self.header + record + "{\"description\":null,\"title\":null}}\n" + record + "{}}\n" + record + "null}\n"
        + "{\"kind\":\"item\",\"content_type\":\"checklist\",\"title\":\"Nothing in it yet\"}\n")
    let documents = try Run.records(path).map { $0["content_data"] }
    #expect(documents[0]?["description"]?.isNull == true && documents[0]?["title"]?.string == "T")
    #expect(documents[1]?["description"]?.string == "D" && documents[2]?.isNull == true)
    #expect(documents[3]?["sections"]?.elements.isEmpty == true)
    try Run.convert(path, to: scratch["b.jsonl"])
    _ = try scratch.write("c.jsonl", try scratch.text("b.jsonl").replacing("{\"kind\"", with: "{ \"kind\""))
    try Run.convert(scratch["c.jsonl"], to: scratch["d.jsonl"])
    #expect(try scratch.text("b.jsonl") == scratch.text("d.jsonl"))
  }

  /// A misspelled member hides its content, so it must be reported.
  @Test(arguments: [
    ("{\"title\":\"T\",\"content_type\":\"checklist\",\"content_data\":{\"section\":[]}}", "sections"),
    ("{\"title\":\"T\",\"content_type\":\"checklist\",\"content\":{}}", "content_data"),
    ("{\"title\":\"T\",\"content_type\":\"guide\",\"content_data\":{\"text\":\"x\"}}", "markdown"),
    (
      "{\"title\":\"T\",\"content_type\":\"checklist\",\"content_data\":{\"sections\":[{\"title\":\"S\",\"itmes\":[]}]}}",
      "items"
    ),
    ("{\"item\":[{\"title\":\"T\",\"content_type\":\"checklist\"}]}", "items"),
    ("{\"kind\":\"itme\",\"title\":\"T\"}", "item"),
  ])
  func misspelledNamesAreGuessed(_ text: String, _ meant: String) throws {
    let scratch = Scratch()
    let path = try scratch.write(text.contains("itme\"") && text.contains("kind") ? "a.jsonl" : "a.json", text)
    let context = Run.context()
    _ = try Run.records(path, context: context)
    let found = context.findings.kept.filter { $0.severity == .warning }.map(\.message)
    #expect(found.count == 1 && found[0].contains(meant), "\(context.findings.kept.map(\.message))")
  }

  @Test func nothingUnknownIsLost() throws {
    let scratch = Scratch()
    let path = try scratch.write(
      "a.jsonl",
      Self.header
        + """
        {"kind":"item","id":"\(Self.id)","content_type":"checklist","title":"T","mood":"good","n":1.50,"content_data":{"sections":[{"title":"S","colour":"red","items":[{"title":"I","photo":{"x":[1e2,"\\u00e9"]}}]}],"author":"me"}}
        {"kind":"weather","wind":12.0,"id":7}
        {"kind":"foreign","system":"logbook","type":"entry","raw":{"a":null}}
        {"kind":"attachment","id":"\(Self.id)","sha256":"00"}
        """)
    try Run.convert(path, to: scratch["b.json"])
    try Run.convert(scratch["b.json"], to: scratch["c.jsonl"])
    let records = try Run.records(scratch["c.jsonl"])
    let item = try #require(records.first { $0["kind"]?.string == "item" })
    #expect(
      item["mood"]?.string == "good" && item["n"]?.text == "1.50" && item["content_data"]?["author"]?.string == "me")
    let photo = item.at(try #require(JSONPointer("/content_data/sections/0/items/0/photo/x")))
    #expect(photo?.text == "[1e2,\"é\"]")
    #expect(records.contains { $0.text == "{\"kind\":\"weather\",\"id\":7,\"wind\":12.0}" })
    #expect(records.contains { $0["kind"]?.string == "foreign" && $0["raw"]?.text == "{\"a\":null}" })
    #expect(records.contains { $0["kind"]?.string == "attachment" && $0["sha256"]?.string == "00" })
    // A library cannot hold these values, so the losses are reported.
    let summary = try Run.convert(path, to: scratch["d.sqlite"])
    #expect(
      summary.tally.total.skipped.values.reduce(0, +) == 3 && summary.context.losses.total == 6,
      "\(summary.context.losses.kept)")
    #expect(throws: RunFailure.self) {
      try Run.convert(path, to: scratch["e.sqlite"], context: Run.context(noLoss: true))
    }
  }

  @Test func unknownMembersOfADocumentComeBack() throws {
    let scratch = Scratch()
    let path = try scratch.write(
      "a.json", "{\"items\":[],\"widgets\":[1,{\"b\":2}],\"note\":\"x\",\"others\":[{\"kind\":\"weather\",\"id\":1}]}")
    try Run.convert(path, to: scratch["b.jsonl"])
    try Run.convert(scratch["b.jsonl"], to: scratch["c.json"])
    let root = try JSONDocument(parsing: scratch.text("c.json")).root
    #expect(root["widgets"]?.text == "[1,{\"b\":2}]" && root["note"]?.string == "x")
    #expect(root["others"]?.elements.first?["kind"]?.string == "weather" && root["items"]?.elements.isEmpty == true)
  }

  /// A document whose header names its kind is recognized as a document, regardless of its line breaks and its file
  /// name.
  @Test(arguments: ["a.json", "a.jsonl", "-"], ["", "\n", "\n  "])
  func aDocumentWithAKindIsADocument(_ name: String, _ space: String) throws {
    let scratch = Scratch()
    let head = "\"kind\":\"bundle\",\(space)\"format\":\"fleetkit.bundle\",\"version\":1,\(space)"
    let item = #"{"content_type":"practice_guide","title":"Splicing","content_data":{"markdown":"x"}}"#
    let text = "{\(space)\(head)\"items\":[\(space)\(item)]}\n"
    let answer =
      name == "-"
      ? try Shell.fleetkit(
        "convert", "-", "--from-format", "jsonl", "--to", scratch["o.jsonl"], "--json", input: text)
      : try Shell.fleetkit("convert", scratch.write(name, text), "--to", scratch["o.jsonl"], "--json")
    #expect(answer.status == 0 && answer.number("/kinds/item/created") == 1, "\(answer.output)")
    #expect(answer.findings.allSatisfy { $0.severity == "note" }, "\(answer.findings)")
    // Reading the file with another command gives the same result.
    if name != "-" {
      #expect(try Shell.fleetkit("list", scratch[name], "--json").output.contains("Splicing"))
    }
  }

  @Test func manyFindingsInOneRecordKeepTheirPlaces() throws {
    let scratch = Scratch()
    let items = (0..<10_000).map { "{\"id\":\"step-\($0)\",\"title\":\"Шаг\"}" }.joined(separator: ",")
    let line =
      "{\"kind\":\"item\",\"content_type\":\"checklist\",\"title\":\"T\",\"content_data\":{\"sections\":[{\"title\":\"S\",\"items\":[\(items)]}]}}"
    let path = try scratch.write("a.jsonl", Self.header + line + "\n")
    let context = Run.context()
    _ = try Run.records(path, context: context)
    let found = context.findings.kept
    #expect(found.count == 10_000 && found.allSatisfy { $0.code == .idReplaced && $0.place.line == 2 })
    let last = line.range(of: "\"step-9999\"").map {
      line.unicodeScalars.distance(from: line.startIndex, to: $0.lowerBound) + 1
    }
    #expect(found.last?.place.column == last)
  }

  /// Records that only look like members of a document are kept as records, and so are members whose names are already
  /// used.
  @Test func oddMembersStayRecords() throws {
    let scratch = Scratch()
    let path = try scratch.write(
      "a.jsonl",
      Self.header
        + """
        {"kind":"member","id":"x"}
        {"kind":"member","id":7,"value":1}
        {"kind":"member"}
        {"kind":"member","id":"items","value":1}
        {"kind":"member","id":"mood","value":"calm"}
        {"kind":"member","id":"mood","value":"rough"}
        """)
    try Run.convert(path, to: scratch["b.json"])
    let root = try JSONDocument(parsing: scratch.text("b.json")).root
    #expect(
      root["others"]?.elements.count == 3 && root["items~2"]?.integer == 1 && root["items"]?.elements.isEmpty == true)
    #expect(root["mood"]?.string == "calm" && root["mood~2"]?.string == "rough")
    try Run.convert(scratch["b.json"], to: scratch["c.jsonl"])
    try Run.convert(scratch["c.jsonl"], to: scratch["d.json"])
    #expect(try scratch.text("b.json") == scratch.text("d.json"))
  }

  /// Checks places: each finding points at the marker «.
  @Test(arguments: [
    ("{\"kind\":\"item\",\"content_type\":\"checklist\",\"title\":«5}", "BND0101"),
    ("{\"kind\":\"item\",\"content_type\":«\"video\",\"title\":\"T\"}", "BND0103"),
    ("«{\"kind\":\"item\",\"content_type\":\"checklist\"}", "BND0102"),
    ("{\"kind\":\"item\",\"content_type\":\"checklist\",\"title\":\"T\",\"tags\":[\"ж\",«1]}", "BND0101"),
    ("{\"kind\":\"item\",\"content_type\":\"checklist\",\"title\":\"T\",\"created_at\":«\"November 16\"}", "BND0105"),
    (
      "{\"kind\":\"item\",\"content_type\":\"checklist\",\"title\":\"T\",\"content_data\":{\"sections\":[{\"title\":\"S\",\"items\":[{\"title\":\"I\",\"isRequired\":«1}]}]}}",
      "BND0101"
    ),
    (
      "{\"kind\":\"item\",\"content_type\":\"checklist\",\"title\":\"T\",\"content_data\":{\"sections\":[{\"title\":\"S\",\"items\":[{\"title\":\"I\",\"estimatedMinutes\":«7.5}]}]}}",
      "BND0101"
    ),
    ("{\"kind\":\"item\",\"content_type\":\"checklist\",\"title\":\"T\",«\"title\":\"U\"}", "JSN0002"),
    ("{\"kind\":\"item\",\"content_type\":\"checklist\",\"title\":\"T\",«}", "JSN0001"),
    ("{\"kind\":\"charter\",\"name\":\"C\",\"start_date\":«\"2026-13-01\"}", "BND0105"),
    ("{\"kind\":\"execution\",\"charter_id\":\"\(Self.id)\",\"checklist_id\":«true}", "BND0101"),
    ("«[1,2]", "BND0101"),
  ])
  func findingsPointAtTheValue(_ marked: String, _ code: String) throws {
    let scratch = Scratch()
    let good =
      "{\"kind\":\"item\",\"id\":\"\(Self.id)\",\"content_type\":\"practice_guide\",\"title\":\"Good\",\"content_data\":{\"markdown\":\"x\"}}\n"
    let path = try scratch.write("a.jsonl", Self.header + good + marked.replacing("«", with: "") + "\n")
    let context = Run.context()
    let summary = try Run.convert(path, to: scratch["b.jsonl"], context: context)
    let column =
      (marked.firstIndex(of: "«").map { marked.unicodeScalars.distance(from: marked.startIndex, to: $0) } ?? 0) + 1
    let found = context.findings.kept.map { "\($0.code.id) \($0.place.line ?? 0):\($0.place.column ?? 0)" }
    #expect(found == ["\(code) 3:\(column)"])
    // The bad record is rejected and kept with its bytes and reasons next to the target. The good record is written.
    #expect(summary.status == .partial && summary.tally.total.rejected == 1 && summary.tally.total.created == 1)
    #expect(try scratch.text("b.jsonl.rejects.jsonl") == marked.replacing("«", with: "") + "\n")
    #expect(try scratch.text("b.jsonl.rejects.reasons.jsonl").contains(code))
    #expect(throws: RunFailure.self) {
      try Run.convert(path, to: scratch["c.jsonl"], context: Run.context(onInvalid: .stop))
    }
    #expect(!scratch.names.contains("c.jsonl"))
  }

  @Test func foldersAreReadByNamesAndSignatures() throws {
    let scratch = Scratch()
    let record = "{\"content_type\":\"checklist\",\"title\":\"T\"}"
    for (name, text) in [
      ("a.json", record), ("b.ini", "[section]\nkey = 1\n"), ("notes.txt", "{ nothing }"),
      ("c.jsonl", Self.header + record),
      ("no-extension", Self.header + record), (".hidden.json", record), ("d.jsonl.rejects.jsonl", record),
    ] { _ = try scratch.write(name, text) }
    _ = try scratch.copy("library-v1.0.0.sqlite", as: "phone.backup")
    let sources = try SourceList([scratch.path])
    let names = sources.entries.map { String($0.source.path.split(separator: "/").last ?? "") }
    #expect(names == ["a.json", "c.jsonl", "no-extension", "phone.backup"])
  }

  @Test func rejectsOfADocumentAreADocument() throws {
    let scratch = Scratch()
    let bad = "{\n  \"title\": 5,\n  \"content_type\": \"checklist\"\n}"
    let path = try scratch.write(
      "a.json", "{\"items\":[\n\(bad),\n {\"title\":\"ok\",\"content_type\":\"checklist\"}]}")
    let context = Run.context()
    let summary = try Run.convert(path, to: scratch["b.json"], context: context)
    #expect(context.findings.kept.map(\.place.description) == ["\(path):3:12"])
    let rejects = try #require(summary.rejectsPath)
    #expect(try String(contentsOfFile: rejects, encoding: .utf8) == "[\n\(bad)\n]\n")
  }

  @Test(arguments: [
    ("{\"items\":[{\"title\":\"a\"}", "1:24"), ("{\"items\":[{\"title\":\"a\"},]}", "1:25"),
    ("{\"items\":[]} x", "1:14"),
    ("{\"items\":[],}", "1:13"), ("{\"items\" []}", "1:10"), ("[1,2", "1:5"), ("{\"items\":[],\n\"items\":[]}", "2:1"),
    ("{\"items\":5}", "1:10"), ("nonsense", "1:1"),
  ])
  func aDocumentThatIsNoJSONFailsAsAWhole(_ text: String, _ place: String) throws {
    let scratch = Scratch()
    let path = try scratch.write("a.json", text)
    do {
      try Run.convert(path, to: scratch["b.jsonl"])
      Issue.record("it was taken")
    } catch let failure as RunFailure {
      #expect(failure.status == .failed && failure.message.contains(":\(place):"), "\(failure.message)")
    }
    #expect(scratch.names == ["a.json"])
  }

  @Test func aNewerBundleThatAsksForANewerReaderIsRefused() throws {
    let scratch = Scratch()
    for (name, text) in [
      ("a.jsonl", Self.header.replacing("\"min_reader\":1", with: "\"min_reader\":2")),
      ("a.json", "{\"items\":[{\"title\":\"a\",\"content_type\":\"checklist\"}],\"version\":2,\"min_reader\":2}"),
    ] {
      let path = try scratch.write(name, text)
      do {
        _ = try Run.records(path)
        Issue.record("it was taken")
      } catch let failure as RunFailure { #expect(failure.status == .newer) }
    }
    let context = Run.context()
    _ = try Run.records(
      try scratch.write("b.jsonl", Self.header.replacing("\"version\":1", with: "\"version\":2")), context: context)
    #expect(context.findings.kept.map(\.code) == [.newerBundle])
  }

  /// Records in any order that exceed one sorted run: the bundle is in order and complete.
  @Test func disorderIsSortedOnDisk() throws {
    let scratch = Scratch()
    var random = SeededRandom(seed: 5)
    let filler = String(repeating: "Ankern vor Vathi, 12 m, Schlick. ", count: 120)
    var lines: [String] = []
    for index in 0..<8000 {
      let id = String(format: "%08X-0000-4000-8000-%012X", UInt32(truncatingIfNeeded: random.next()), index)
      lines.append(
        "{\"kind\":\"item\",\"id\":\"\(id)\",\"content_type\":\"practice_guide\",\"title\":\"G\(index)\",\"content_data\":{\"markdown\":\"\(filler)\"}}"
      )
    }
    lines.append(
      "{\"kind\":\"charter\",\"id\":\"\(Self.id)\",\"name\":\"C\",\"start_date\":\"2026-01-01\",\"end_date\":\"2026-01-02\"}"
    )
    lines.append("{\"kind\":\"sync_operation\",\"id\":10,\"content_id\":\"\(Self.id)\",\"operation\":\"publish\"}")
    lines.append("{\"kind\":\"sync_operation\",\"id\":9,\"content_id\":\"\(Self.id)\",\"operation\":\"publish\"}")
    let path = try scratch.write("a.jsonl", Self.header + lines.joined(separator: "\n"))
    try Run.convert(path, to: scratch["b.jsonl"])
    let records = try Run.records(scratch["b.jsonl"])
    let ids = records.filter { $0["kind"]?.string == "item" }.compactMap { $0["id"]?.string }
    #expect(records.first?["kind"]?.string == "charter" && ids.count == 8000 && ids == ids.sorted())
    #expect(records.suffix(2).map { $0["id"]?.integer } == [9, 10])
    try Run.convert(path, to: scratch["b.json"])
    try Run.convert(scratch["b.json"], to: scratch["c.jsonl"])
    #expect(try scratch.text("b.jsonl") == scratch.text("c.jsonl"))
  }

  @Test func whatALibraryForbidsIsRejected() throws {
    let scratch = Scratch()
    let other = "4A473796-4407-4338-B2DC-132362E6088A"
    let item =
      "{\"kind\":\"item\",\"id\":\"\(Self.id)\",\"content_type\":\"checklist\",\"title\":\"T\",\"content_data\":{\"sections\":[]}}"
    let path = try scratch.write(
      "a.jsonl",
      Self.header
        + """
        {"kind":"execution","id":"\(Self.id)","checklist_id":"\(Self.id)","charter_id":"\(Self.id)"}
        {"kind":"execution","id":"\(other)","checklist_id":"\(Self.id)","charter_id":"\(other)"}
        {"kind":"sync_operation","id":1,"content_id":"\(Self.id)","operation":"publish"}
        \(item)
        \(item)
        {"kind":"charter","id":"\(Self.id)","name":"C","start_date":"2026-01-01","end_date":"2026-01-02"}
        """)
    let context = Run.context()
    let summary = try Run.convert(path, to: scratch["b.sqlite"], context: context)
    #expect(
      Set(context.findings.kept.filter { $0.severity == .error }.map(\.code)) == [.duplicateRecord, .missingReference])
    #expect(summary.tally[.execution] == Self.tally(read: 2, created: 1, rejected: 1))
    #expect(summary.tally[.item] == Self.tally(read: 2, created: 1, rejected: 1))
    #expect(summary.tally[.syncOperation].created == 1 && summary.status == .partial)
  }

  private static func tally(read: Int, created: Int, rejected: Int) -> KindTally {
    var tally = KindTally()
    tally.read = read
    tally.created = created
    tally.rejected = rejected
    return tally
  }

  @Test func maxErrorsStopsTheRun() throws {
    let scratch = Scratch()
    let path = try scratch.write("a.jsonl", Self.header + String(repeating: "nonsense\n", count: 5))
    for limit in [RunContext.ErrorLimit.count(4), .percent(50)] {
      #expect(throws: RunFailure.self) {
        try Run.convert(path, to: scratch["b.jsonl"], context: Run.context(errorLimit: limit))
      }
    }
    #expect(scratch.names == ["a.jsonl"])
    #expect(
      try Run.convert(path, to: scratch["b.jsonl"], context: Run.context(errorLimit: .count(5))).status == .partial)
  }

  @Test func aLibraryIsNeverReplaced() throws {
    let scratch = Scratch()
    let path = try scratch.copy("library-v2.2.0.sqlite", as: "a.sqlite")
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    for overwrites in [false, true] {
      do {
        _ = try Conversion(sources: SourceList([path]), target: Target(path, overwrites: overwrites)).run(
          context: Run.context())
        Issue.record("it was written")
      } catch let failure as RunFailure { #expect(failure.status == .refused) }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    // The journal of another library, next to the new name, would corrupt the new library.
    _ = try scratch.write("new.sqlite-journal", "x")
    #expect(throws: RunFailure.self) { try Run.convert(path, to: scratch["new.sqlite"]) }
  }
}
