import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing

/// The predecessor app's data, in every container in which it occurs.
@Suite struct PredecessorTests {
  private let scratch = Scratch()

  private struct Read {
    var records: [JSONValue] = []
    var rejected = 0
    var findings: [Diagnostic] = []

    func kind(_ kind: String) -> [JSONValue] { records.filter { $0["kind"]?.string == kind } }
    func codes() -> [String] { findings.map(\.code.id).sorted() }
    func places(_ code: String) -> [String] {
      findings.filter { $0.code.id == code }
        .map { "\($0.place.member ?? "-"):\($0.place.line ?? 0):\($0.place.column ?? 0)" }
    }
  }

  private func read(_ path: String, as format: FormatID? = nil) throws -> Read {
    let context = Run.context()
    var read = Read()
    read.rejected = try RecordScan(sources: SourceList([path], format: format)).run(context: context) {
      read.records.append(try $0.document().root)
    }
    read.findings = context.findings.kept
    return read
  }

  /// Reads JSON from a file whose name does not reveal its format.
  private func read(text: String) throws -> Read { try read(try scratch.write("8f3a", text)) }

  private static let folder = Paths.root + "/Tests/Fixtures/predecessor/"
  private static let keys = ["CharterStore.v1", "ChecklistStore.v1", "CharterChecklistStates.v1", "FlashcardStore.v1"]
  private static func id(_ number: Int) -> String {
    "5A11ED00-0000-4000-8000-" + String(repeating: "0", count: 12 - String(number, radix: 16).count)
      + String(number, radix: 16, uppercase: true)
  }

  // MARK: The results

  @Test(arguments: [
    "swift-binary.plist", "swift-xml.plist", "python-xml.plist", "8f3a7c0e1d2b4a5968778695a4b3c2d1e0f01234",
  ])
  func everyPropertyListSaysTheSame(_ name: String) throws {
    let list = try read(Self.folder + name)
    var single = Read()
    for key in ["CharterStore.v1", "ChecklistStore.v1", "FlashcardStore.v1", "CharterChecklistStates.v1"] {
      single.records += try read(Self.folder + key + ".json").records
    }
    #expect(list.records.map(\.text) == single.records.map(\.text))
    #expect(list.records.count == 7 && list.rejected == 0)
    #expect(list.codes() == (name == "python-xml.plist" ? ["PRE0104", "PRE0109"] : ["PRE0104", "PRE0106", "PRE0109"]))
  }

  @Test func charters() throws {
    let charters = try read(Self.folder + "swift-binary.plist").kind("charter")
    #expect(charters.map { $0["id"]?.string } == [Self.id(1), Self.id(2)])
    #expect(charters[0]["name"]?.string == "Saronic / Сароникос")
    #expect(charters[0]["boat_name"]?.string == "Μαία")
    #expect(charters[0]["start_date"]?.string == "2025-06-07T09:00:00.000Z")
    #expect(charters[0]["end_date"]?.string == "2025-06-14T06:00:00.000Z")
    #expect(charters[0]["created_at"]?.string == "2025-05-01T08:30:00.250Z")
    let kept = charters[0]["extras"]?["foreign"]?["predecessor"]
    #expect(kept?["charterCompany"]?.string == "Blue Sails")
    #expect(kept?["notes"]?.string == "Deposit 2 000 €\nLine \"two\"\tand 🧭")
    // Times before 2001 are negative, and an unknown end remains unknown.
    #expect(charters[1]["start_date"]?.string == "2000-01-01T04:00:00.000Z")
    #expect(charters[1]["end_date"]?.isNull == true)
    #expect(charters[1]["created_at"]?.string == "2000-12-31T23:59:59.500Z")
    #expect(charters[1]["extras"] == nil)
    #expect(charters.allSatisfy { $0["visibility"]?.string == "private" })
  }

  @Test func checklists() throws {
    let read = try read(Self.folder + "swift-binary.plist")
    let lists = read.kind("item").filter { $0["content_type"]?.string == "checklist" }
    #expect(lists.map { $0["title"]?.string } == ["Check-in / Приёмка", "Man overboard", "Дизель"])
    #expect(lists.map { $0["content_data"]?["checklistType"]?.string } == ["check_in", "emergency", "general"])
    #expect(lists.map { $0["language"]?.string } == ["en", "en", "ru"])
    #expect(lists.allSatisfy { $0["creator_id"]?.isNull == true && $0["content_data"]?["creatorID"]?.isNull == true })
    let sections = lists[0]["content_data"]?["sections"]?.elements ?? []
    #expect(sections.map { $0["title"]?.string } == ["Deck / Палуба › Bow", "Deck / Палуба", "Below"])
    #expect(sections.map { $0["id"]?.string } == [Self.id(0x111), Self.id(0x112), Self.id(0x120)])
    #expect(sections[0]["items"]?[0]?["id"]?.string == Self.id(0x1001))
    #expect(sections[0]["items"]?[0]?["title"]?.string == "Anchor \"Delta\"")
    #expect(sections[0]["items"]?[0]?["itemDescription"]?.string == "25 kg, see\nlocker")
    // The origin, the app's own sections, and ticks that belong to no charter are kept.
    let kept = lists.map { $0["extras"]?["foreign"]?["predecessor"] }
    #expect(kept.map { $0?["source"]?.string } == ["bundled", "userCreated", "remote"])
    #expect(kept[0]?["lastFetched"]?.double == 765_158_400)
    #expect(kept[0]?["sections"]?[0]?["id"]?.string == Self.id(0x110))
    #expect(kept[2]?["referenceType"]?.string == "systems")
    let ticked = kept[1]?["sections"]?[0]?["subsections"]?[0]?["items"]?[0]
    #expect(ticked?["id"]?.string == Self.id(0x2001) && ticked?["isChecked"]?.bool == true)
    #expect(ticked?["userNote"]?.string == "with the crew of June" && ticked?["checkedAt"]?.double == 771_069_600)
  }

  @Test func executionsAndDecks() throws {
    let read = try read(Self.folder + "swift-binary.plist")
    let execution = try #require(read.kind("execution").first)
    #expect(execution["charter_id"]?.string == Self.id(1) && execution["checklist_id"]?.string == Self.id(0x100))
    let tick = execution["item_states"]?[Self.id(0x1001)]
    #expect(tick?["checked"]?.bool == true && tick?["checkedAt"]?.string == "2025-06-07T12:04:05Z")
    #expect(tick?["notes"]?.string == "rust at the shackle")
    #expect(execution["item_states"]?[Self.id(0x1002)]?["checked"]?.bool == false)
    #expect(execution["last_updated"]?.string == "2025-06-07T12:04:05.750Z")
    #expect(execution["extras"]?["foreign"]?["predecessor"]?["lastReset"]?.double == 770_986_800)
    let deck = try #require(read.records.first { $0["content_type"]?.string == "flashcard_deck" })
    #expect(deck["title"]?.string == "Lights / Огни" && deck["description"]?.string == "COLREGs, part C")
    let cards = deck["content_data"]?["cards"]?.elements ?? []
    #expect(cards.map { $0["front"]?.string } == ["Two reds in a line", "rule-25"])
    #expect(cards.map { $0["back"]?.string } == ["Not under command\r\n", "Under sail: **tricolour**"])
    let review = cards[0]["review"]
    #expect(review?["easeFactor"]?.double == 2.36 && review?["intervalDays"]?.integer == 6)
    #expect(review?["repetitions"]?.integer == 2 && review?["lastQuality"]?.integer == 3)
    #expect(review?["lastReviewed"]?.string == "2025-03-01T19:00:00.000Z")
    #expect(review?["due"]?.string == "2025-03-07T19:00:00.000Z")
  }

  // MARK: Other containers

  /// A file is recognized by its content, whatever its name and spacing.
  @Test(arguments: keys) func listsAreKnownByTheirContent(_ key: String) throws {
    let sound = try Data(contentsOf: URL(fileURLWithPath: Self.folder + key + ".json"))
    let expected = try read(Self.folder + key + ".json").records.map(\.text)
    let object = try JSONSerialization.jsonObject(with: sound)
    let pretty = try JSONSerialization.data(withJSONObject: object, options: .prettyPrinted)
    let windows = "\u{FEFF}" + String(decoding: pretty, as: UTF8.self).replacing("\n", with: "\r\n")
    for (name, text) in [("list.json", String(decoding: sound, as: UTF8.self)), ("list", windows)] {
      let found = try read(try scratch.write(name, text)).records
      #expect(Set(found.map { $0["id"]?.string }).count == expected.count, "\(name)")
      if name == "list.json" { #expect(found.map(\.text) == expected) }
    }
  }

  @Test func textsInPlaceOfDataAndMissingLists() throws {
    let read = try read(Self.folder + "texts.plist")
    #expect(read.kind("charter").count == 2 && read.kind("item").count == 3 && read.kind("execution").isEmpty)
    #expect(read.rejected == 0)
    #expect(read.places("PRE0104").count == 1 && read.places("PRE0104") != ["ChecklistStore.v1:1:1"])
  }

  /// One JSON file with the keys, whose values are JSON values, strings or Base64.
  @Test func anObjectWithTheKeys() throws {
    let charters = #"[{"id":"\#(Self.id(1))","name":"A","startDate":0,"createdAt":0}]"#
    let decks = #"[{"id":"\#(Self.id(2))","folderName":"f","displayName":"D","flashcards":[]}]"#
    let file = try scratch.write(
      "all.json",
      #"{"theme":"dark","CharterStore.v1":\#(charters),"FlashcardStore.v1":\#("\"" + Data(decks.utf8).base64EncodedString() + "\""),"#
        + #""ChecklistStore.v1":"[]","CharterChecklistStates.v1":null}"#)
    let read = try read(file)
    #expect(read.records.map { $0["id"]?.string } == [Self.id(1), Self.id(2)])
    #expect(read.records[0]["start_date"]?.string == "2001-01-01T00:00:00.000Z")
    #expect(read.codes() == ["PRE0106"])
  }

  /// In a folder, the app's files are read, but other property lists and JSON files are not.
  @Test func aFolderOfLists() throws {
    for key in Self.keys {
      try FileManager.default.copyItem(atPath: Self.folder + key + ".json", toPath: scratch[key + ".json"])
    }
    let other = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .xml, options: 0)
    try other.write(to: URL(fileURLWithPath: scratch["Info.plist"]))
    #expect(try read(scratch.path).records.count == 7)
    #expect(try read(scratch.path, as: FormatID("predecessor")).records.count == 7)
  }

  @Test(arguments: [
    #"{"format":"fleetkit.bundle","version":1,"charters":[{"name":"A","start_date":"2026-01-01"}]}"#,
    #"[{"kind":"charter","name":"A","startDate":0,"createdAt":0,"yachtName":"B"}]"#,
    #"[{"content_type":"checklist","title":"A","content_data":{"sections":[{"title":"B","items":[]}]}}]"#,
    #"{"exportDate":"2026-01-15T12:00:00Z","exportVersion":"1.0","user":{},"pieces":[],"practiceSessions":[]}"#,
    #"[{"type":"oli","title":"A","lyrics":"B","englishTranslation":"C","language":"haw"}]"#,
    #"{"formatName":"dexie","formatVersion":1,"data":{"databaseName":"a","tables":[]}}"#,
    #"[{"id":"a","trip_id":"t","title":"A","start_time":"2026-01-01T00:00:00Z","created_at":"2026-01-01"}]"#,
    #"[{"id":"trip","name":"A","startDate":"2026-01-01","createdAt":"2026-01-01"}]"#,
    #"[{"front":"A","back":"B"}]"#, #"{"flashcards":[{"front":"A","back":"B"}]}"#, "[]", "{}", "[x] Oil\n[ ] Water",
  ])
  func otherFilesAreNotTaken(_ text: String) throws {
    let source = Source(try scratch.write("x.json", text))
    #expect(try FormatRegistry.standard.format(of: source).descriptor.id != FormatID("predecessor"))
  }

  // MARK: Damage and odd rows

  @Test func oddRowsAreRejectedWithTheirPlaces() throws {
    let read = try read(Self.folder + "odd-rows.plist")
    #expect(read.kind("charter").count == 2 && read.kind("item").count == 1 && read.kind("execution").count == 1)
    #expect(read.rejected == 7)
    #expect(read.places("PRE0102") == ["FlashcardStore.v1:1:652"])
    #expect(
      read.places("PRE0103") == [
        "CharterStore.v1:21:16", "CharterStore.v1:23:2", "ChecklistStore.v2:54:15",
        "CharterChecklistStates.v1:28:20", "CharterChecklistStates.v1:32:4", "CharterChecklistStates.v1:35:2",
      ])
    #expect(read.places("PRE0105").count == 1 && read.places("PRE0107").count == 1 && read.places("PRE0108").count == 1)
    // Unknown members and unknown values are kept.
    let charter = read.kind("charter")[0]
    #expect(charter["extras"]?["foreign"]?["predecessor"]?["crew"]?.text == #"["Ana","Ben"]"#)
    let list = read.kind("item")[0]
    #expect(list["content_data"]?["checklistType"]?.string == "general")
    #expect(list["extras"]?["foreign"]?["predecessor"]?["charterType"]?.string == "mid_charter")
    let byHand = try #require(read.kind("charter").first { $0["name"]?.string == "By hand" })
    #expect(byHand["start_date"]?.string == "2024-02-29T08:00:00.000Z")
    #expect(byHand["created_at"]?.string == "2000-12-31T23:59:58.500Z")
    #expect(byHand["extras"]?["raw"]?["id"]?.string == "not-a-uuid")
  }

  @Test func valuesOfOtherTypesAreRejected() throws {
    let read = try read(Self.folder + "wrong-types.plist")
    #expect(read.rejected == 2 && read.records.count == 1 && read.codes() == ["PRE0102", "PRE0102"])
    let xml = try scratch.write(
      "x.plist",
      "<?xml version=\"1.0\"?>\n<plist version=\"1.0\"><dict>\n<key>CharterStore.v1</key>\n  <integer>5</integer>\n"
        + "<key>ChecklistStore.v1</key><data>W10=</data></dict></plist>")
    #expect(try self.read(xml).places("PRE0102") == ["-:4:3"])
  }

  @Test(arguments: [
    (#"{"id":1,"name":"A","startDate":0}"#, "id", 0), (#"{"name":5,"startDate":0}"#, "name", 0),
    (#"{"name":"A","startDate":true}"#, "startDate", 0), (#"{"name":"A","startDate":1e300}"#, "startDate", 0),
    (#"{"name":"A","startDate":"2026-02-30"}"#, "startDate", 0),
    (#"{"name":"A","startDate":0,"notes":[]}"#, "notes", 0),
    (#"{"name":"A","startDate":0,"x":{"a":1,"a":2}}"#, "twice", 0), (#"{"name":"A","startDate":0}"#, "", 1),
  ])
  func wrongTypesOfCharters(_ row: String, _ what: String, _ records: Int) throws {
    let sound = #"{"id":"\#(Self.id(9))","name":"S","startDate":0,"createdAt":0,"yachtName":"Y"}"#
    let read = try read(text: "[\(sound),\(row),null]")
    #expect(read.records.count == 1 + records && read.rejected == 2 - records, "\(what)")
    #expect(read.places(what == "twice" ? "JSN0002" : "PRE0103").isEmpty == false)
  }

  @Test func wrongTypesInsideChecklistsAndDecks() throws {
    for items in [
      "5", "[5]", #"[{"title":1}]"#, #"[{}]"#, #"[{"title":"A","isChecked":1}]"#, #"[{"title":"A","checkedAt":"?"}]"#,
      #"[{"title":"A","note":{}}]"#,
    ] {
      let text =
        #"[{"title":"L","type":"reference","sections":[{"title":"S","subsections":[{"title":"T","items":\#(items)}]}]}]"#
      let read = try read(text: text)
      #expect(read.records.isEmpty && read.rejected == 1 && read.codes() == ["PRE0103"], "\(items)")
    }
    for card in ["1", #"{"fileName":"a.md"}"#, #"{"fileName":"a","markdownContent":"","repetitions":1.5}"#] {
      let read = try read(text: #"[{"folderName":"f","displayName":"D","flashcards":[\#(card)]}]"#)
      #expect(read.records.isEmpty && read.rejected == 1 && read.codes() == ["PRE0103"], "\(card)")
    }
  }

  /// Dictionaries may be written as arrays or objects. They may contain keys without values, ticks of deleted steps,
  /// and ids in lower case.
  @Test func dictionariesInEveryForm() throws {
    let (charter, list, step) = (Self.id(1), Self.id(2), Self.id(3))
    let ticks = #"["\#(step.lowercased())",{"isChecked":true,"checkedAt":1,"by":"Ana"}]"#
    let asArray =
      #"["\#(charter)",{"charterId":"\#(charter)","checklistStates":["\#(list)",{"checklistId":"\#(list)","itemStates":\#(ticks)}]}]"#
    let asObject =
      #"{"\#(charter.lowercased())":{"charterId":"\#(charter)","checklistStates":{"\#(list)":{"checklistId":"\#(list)","itemStates":\#(ticks)}}}}"#
    let asValues =
      #"[{"charterId":"\#(charter)","checklistStates":[{"checklistId":"\#(list)","itemStates":\#(ticks)}]}]"#
    var texts: Set<String> = []
    for text in [asArray, asObject, asValues] {
      let read = try read(text: text)
      #expect(read.rejected == 0, "\(text) \(read.findings.map(\.message))")
      texts.formUnion(read.records.map(\.text))
    }
    #expect(texts.count == 1)
    let execution = try JSONDocument(parsing: texts.first ?? "null").root
    #expect(execution["item_states"]?[step]?["checkedAt"]?.string == "2001-01-01T00:00:01Z")
    #expect(execution["extras"]?["foreign"]?["predecessor"]?["itemStates"]?[0]?["by"]?.string == "Ana")
    // An odd element rejects only its own row.
    let odd = try read(text: asArray.dropLast() + #","\#(Self.id(4))"]"#)
    #expect(odd.records.count == 1 && odd.rejected == 1 && odd.codes() == ["PRE0103"])
    let oddTick = try read(text: asArray.replacing(ticks, with: ticks.dropLast() + #","\#(Self.id(4))"]"#))
    #expect(oddTick.records.isEmpty && oddTick.rejected == 1)
  }

  @Test func repeatedIdsAndSteps() throws {
    let text =
      #"[{"id":"\#(Self.id(1))","title":"L","type":"reference","sections":[{"title":"S","items":[{"id":"\#(Self.id(2))","title":"own"}],"#
      + #""subsections":[{"id":"\#(Self.id(3))","title":"T","items":[{"id":"\#(Self.id(2).lowercased())","title":"again"}]}]}]}]"#
    let read = try read(text: text)
    #expect(read.codes() == ["PRE0110"])
    let sections = read.records.first?["content_data"]?["sections"]
    #expect(sections?[0]?["title"]?.string == "S" && sections?[1]?["title"]?.string == "S › T")
    #expect(sections?[0]?["items"]?[0]?["id"]?.string == Self.id(2))
    #expect(sections?[1]?["items"]?[0]?["id"]?.string != Self.id(2))
  }

  /// The place of a value refers to the app's JSON, and escapes count as they are written.
  @Test func valuesHaveTheirPlaces() throws {
    let file = try scratch.write(
      "CharterStore.v1.json", "[\n {\"name\": \"A\",\n  \"startDate\": 5, \"location\": \"Bay\"}]")
    let list = try scratch.write(
      "list.json",
      "[{\"title\":\"L\",\"type\":\"reference\",\n\"sections\":[{\"title\":\"S\",\"subsections\":[{\"title\":\"a\\nb\",\n\"items\":[]}]}]}]"
    )
    var places: [String] = []
    for (path, pointer) in [
      (file, "/name"), (file, "/start_date"), (file, "/location"), (list, "/title"),
      (list, "/content_data/sections/0/title"),
    ] {
      try RecordScan(sources: SourceList([path])).run(context: Run.context()) { record in
        let place = record.locate(try #require(JSONPointer(pointer))).place
        places.append("\(place.line ?? 0):\(place.column ?? 0)-\(place.endColumn ?? 0)")
      }
    }
    #expect(places == ["2:12-13", "3:16-17", "3:32-35", "1:12-13", "2:51-55"])
  }

  // MARK: Importing into a library

  @Test func importsAllOfIt() throws {
    let library = scratch["boat.sqlite"]
    let file = Self.folder + "swift-binary.plist"
    let run = try Shell.fleetkit("import", file, "--into", library, "--create", "--prove", "-q")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try Shell.fleetkit("import", file, "--into", library, "--json").output.contains("\"unchanged\":7"))
    let read = try read(library)
    let before = try self.read(file)
    #expect(read.records.count == before.records.count)
    func extras(_ read: Read) -> [String: String] {
      Dictionary(uniqueKeysWithValues: read.records.map { ($0["id"]?.string ?? "", $0["extras"]?.text ?? "") })
    }
    #expect(extras(read) == extras(before))
    let ticks = read.kind("execution").first?["item_states"]?[Self.id(0x1001)]
    #expect(ticks?["notes"]?.string == "rust at the shackle")
    #expect(read.records.first { $0["content_type"]?.string == "flashcard_deck" }?.text.contains("lastQuality") == true)
    // A value that the table requires but the app did not write is reported.
    #expect(
      try Shell.fleetkit("import", file, "--into", scratch["two.sqlite"], "--create", "-v").errors.contains("WRT0103"))
  }

  @Test(arguments: ["inspect", "list", "validate"]) func otherVerbsReadIt(_ verb: String) throws {
    for name in ["swift-binary.plist", "8f3a7c0e1d2b4a5968778695a4b3c2d1e0f01234", "ChecklistStore.v1.json"] {
      #expect(try Shell.fleetkit(verb, Self.folder + name).status == 0, "\(name)")
    }
  }

  @Test(arguments: [("bplist00", 5), ("<plist version=\"1.0\"><dict>", 5), ("<plist/>", 2), ("{}", 2), ("", 2)])
  func damagedFilesAreRefused(_ text: String, _ status: Int32) throws {
    let file = try scratch.write("x.plist", text)
    let answer = try Shell.fleetkit("convert", file, "--from-format", "predecessor", "--to", scratch["out.jsonl"])
    #expect(answer.status == status, "\(answer.errors)")
    #expect(!FileManager.default.fileExists(atPath: scratch["out.jsonl"]))
  }

  // MARK: Hostile files

  private static let rounds = Int(ProcessInfo.processInfo.environment["FLEETKIT_FUZZ_ROUNDS"] ?? "") ?? 200

  /// Randomly changed bytes and files that are cut off anywhere: reading never traps, and the counts add up.
  @Test(arguments: [
    "swift-binary.plist", "swift-xml.plist", "odd-rows.plist", "CharterStore.v1.json", "ChecklistStore.v1.json",
    "CharterChecklistStates.v1.json", "FlashcardStore.v1.json",
  ])
  func anyBytes(_ name: String) throws {
    let sound = try Data(contentsOf: URL(fileURLWithPath: Self.folder + name))
    var random = SeededRandom(seed: 7)
    let file = scratch[name]
    for round in 0..<Self.rounds * 2 {
      var bytes = sound
      if round % 4 == 0 { bytes = bytes.prefix(random.below(bytes.count)) }
      for _ in 0...random.below(6) where !bytes.isEmpty {
        let at = random.below(bytes.count)
        switch random.below(4) {
        case 0: bytes[at] = UInt8(random.below(256))
        case 1: bytes[at] = random.pick(Array("{}[]\",:\\0e-n".utf8))
        case 2: bytes.removeSubrange(at..<min(bytes.count, at + 1 + random.below(20)))
        // The trailer and the offset table are at the end of the file.
        default: bytes[bytes.count - 1 - random.below(min(bytes.count, 64))] = UInt8(random.below(256))
        }
      }
      try Data(bytes).write(to: URL(fileURLWithPath: file))
      do {
        let context = Run.context()
        var conversion = Conversion(
          sources: try SourceList([file], format: FormatID("predecessor")),
          target: Target(scratch["out.jsonl"], overwrites: true))
        conversion.targetFormat = FormatID("jsonl")
        let summary = try conversion.run(context: context)
        #expect(summary.tally.balances)
        #expect(context.findings.count(.error) > 0 || summary.tally.total.rejected == 0)
      } catch let failure as RunFailure {
        #expect(failure.status != .internalError, "\(failure)")
      }
    }
  }

  /// When a dictionary refers to one value under thousands of keys, the value is read only once.
  @Test func sharedValuesCostNothing() throws {
    let data = [UInt8](repeating: 0x20, count: 1 << 16)
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    func add(_ object: [UInt8]) {
      offsets.append(bytes.count)
      bytes += object
    }
    let count = 60_000
    func wide(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }
    let head: [UInt8] = [0xDF, 0x11] + wide(count)
    add(head + (0..<count).flatMap { _ in wide(1) } + (0..<count).flatMap { _ in wide(2) })
    add([0x5F, 0x10, 15] + Array("CharterStore.v1".utf8))
    add([0x4F, 0x12] + [0, 1, 0, 0] + data)
    let table = bytes.count
    for offset in offsets { bytes += [UInt8(offset >> 16 & 255)] + wide(offset) }
    func long(_ value: Int) -> [UInt8] { [0, 0, 0, 0, 0] + [UInt8(value >> 16 & 255)] + wide(value) }
    bytes += [0, 0, 0, 0, 0, 0, 3, 2] + long(3) + long(0) + long(table)
    try Data(bytes).write(to: URL(fileURLWithPath: scratch["x.plist"]))
    let read = try read(scratch["x.plist"])
    #expect(read.records.isEmpty && read.rejected == 2 && read.codes() == ["PRE0102", "PRE0102"])
  }
}
