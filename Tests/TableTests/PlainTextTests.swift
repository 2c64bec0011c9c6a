import FleetKit
import Foundation
import TestSupport
import Testing

@testable import PlainText

/// Lists as people paste them.
@Suite struct PlainTextTests {
  /// A text and the expected result: the title, then sections marked with `§` and their steps.
  struct Paste: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    let outline: [String]
    var testDescription: String { name }
  }

  static let pastes: [Paste] = [
    Paste(
      name: "boxes below headings in capitals",
      text:
        "GOING OFFSHORE\n\nENGINE\n☐ Oil level\n☐ Coolant\n   check twice\n[ ] Belts\n\nRIGGING\n____ Shrouds\n____ Pins\n",
      outline: ["GOING OFFSHORE", "§ENGINE", "Oil level", "Coolant", "Belts", "§RIGGING", "Shrouds", "Pins"]),
    Paste(
      name: "a wiki's page",
      text: "== Engine ==\n* Oil level\n* Coolant\n# Start\n# Warm up\n== Deck ==\n*Lines led\n*Fenders in\n",
      outline: ["wiki", "§Engine", "Oil level", "Coolant", "Start", "Warm up", "§Deck", "Lines led", "Fenders in"]),
    Paste(
      name: "underlined headings, brackets, Word's bullets",
      text:
        "Before sailing\r\n==============\r\n\r\n (1) Check weather\r\n (2) File plan\r\n\r\nAfter\r\n-----\r\n  \u{F0B7} Close seacocks\r\n  \u{F0B7} Batteries off\r\n",
      outline: [
        "Before sailing", "§Before sailing", "Check weather", "File plan", "§After", "Close seacocks", "Batteries off",
      ]),
    Paste(
      name: "a list without any mark",
      text: "Packing list\n\nSeaboots\nGloves\nHead torch\nFood:\nMuesli\nCoffee\n",
      outline: ["Packing list", "§Packing list", "Seaboots", "Gloves", "Head torch", "§Food", "Muesli", "Coffee"]),
    Paste(
      name: "numbers with points inside, letters, dots in the middle",
      text: "Departure\n\n1.1 Seacocks open\n1.2 Bilge dry\na) Blower on\n· Engine started\n",
      outline: ["Departure", "§Departure", "Seacocks open", "Bilge dry", "Blower on", "Engine started"]),
    Paste(
      name: "Confluence",
      text: "h2. Lines\n* Slip lines led\n* Springs off\nh2. Fenders\n* All in\n",
      outline: ["wiki", "§Lines", "Slip lines led", "Springs off", "§Fenders", "All in"]),
    Paste(
      name: "headings without any mark",
      text:
        "Boat list\n\nEngine\n- Start engine\n- Check exhaust\n\nOn deck\n\n- Fenders\n- Lines\nBelow\n- Hatches\n- Gas\n",
      outline: [
        "Boat list", "§Engine", "Start engine", "Check exhaust", "§On deck", "Fenders", "Lines", "§Below", "Hatches",
        "Gas",
      ]),
    Paste(
      name: "an item on two lines",
      text: "Kit\n\n- Check the oil level and\nthe filter\n- Belts\n- Two words\n",
      outline: ["Kit", "§Kit", "Check the oil level and the filter", "Belts", "Two words"]),
    Paste(
      name: "headings alone in a list without any mark",
      text: "Packing list\n\nClothes\n\nSeaboots\nGloves\n\nFood\n\nMuesli\nCoffee\n",
      outline: ["Packing list", "§Clothes", "Seaboots", "Gloves", "§Food", "Muesli", "Coffee"]),
    Paste(
      name: "Russian, with blanks that do not break",
      text: "ПЕРЕД ВЫХОДОМ\n\n\u{A0}•\u{A0}Проверить масло\n\u{A0}•\u{A0}Открыть кингстон\n\u{A0}•\u{A0}Взять карты\n",
      outline: ["wiki", "§ПЕРЕД ВЫХОДОМ", "Проверить масло", "Открыть кингстон", "Взять карты"]),
  ]

  @Test(arguments: pastes)
  func aPastedListBecomesAChecklist(_ paste: Paste) throws {
    let scratch = Scratch()
    let file = try scratch.write("wiki.txt", paste.text)
    let records = try Self.records(file)
    #expect(records.count == 1)
    #expect(records.first?["content_type"]?.string == "checklist")
    let outline = records.first.map(Self.outline) ?? []
    // The title comes from the file name if the text has no title of its own.
    #expect(outline.dropFirst() == paste.outline.dropFirst())
    #expect(
      [paste.outline.first, paste.outline.dropFirst().first.map { String($0.dropFirst()) }].contains(outline.first))
  }

  @Test func proseStaysAGuideWithEveryWord() throws {
    let scratch = Scratch()
    let text = "I sailed to Hydra last summer. The wind was strong.\n\nThen we anchored off *Spetses* and a_b <c>.\n"
    let record = try #require(try Self.records(scratch.write("log.txt", text)).first)
    #expect(record["content_type"]?.string == "practice_guide")
    #expect(record["title"]?.string == "log")
    #expect(record["content_data"]?["markdown"]?.string?.contains("*Spetses* and a_b <c>.") == true)
  }

  @Test(arguments: [
    ("-- \nJohn\nYacht Maia\n", 1), ("Best regards,\nJohn\n", 1), ("Sent from my iPhone\n", 1),
    ("С уважением,\nИван\n-- \nОтправлено с iPhone\n", 1), ("Viele Grüße\n\nAnn\n", 1),
    ("- Regards to Ann\n", 0), ("- Best\n", 0),
  ])
  func signaturesAreLeftOutWithAFinding(_ end: String, _ count: Int) throws {
    let scratch = Scratch()
    let file = try scratch.write("list.txt", "Kit\n\n- Oil\n- Belts\n- Pins\n\n" + end)
    let result = try Shell.fleetkit("validate", file, "--report", "jsonl")
    let found = result.output.split(separator: "\n").filter { $0.contains("\"code\":\"TXT0101\"") }
    #expect(found.count == count && found.allSatisfy { $0.contains("\"line\":7") })
    let record = try #require(try Self.records(file).first)
    #expect(Self.outline(record).count == (count == 1 ? 5 : 6))
    #expect(record["content_data"]?.text.contains("iPhone") == false)
  }

  @Test func codePagesAndUTF16AreRead() throws {
    let scratch = Scratch()
    let text = "ДВИГАТЕЛЬ\n\n- Проверить масло\n- Открыть кингстон\n- Взять карты\n"
    for encoding in [String.Encoding.windowsCP1251, .utf16] {
      let data = try #require(text.data(using: encoding))
      try data.write(to: URL(fileURLWithPath: scratch["list.txt"]))
      let record = try #require(try Self.records(scratch["list.txt"]).first)
      #expect(Self.outline(record).suffix(3) == ["Проверить масло", "Открыть кингстон", "Взять карты"])
      #expect(record["language"]?.string == "ru")
    }
  }

  @Test func aFindingPointsAtWhatWasTyped() throws {
    let scratch = Scratch()
    let file = try scratch.write("list.txt", "ENGINE\n\n   • Check the the oil\n   • Coolant\n   • Belts\n")
    let result = try Shell.fleetkit("validate", file, "--report", "jsonl")
    let line = try #require(result.output.split(separator: "\n").first { $0.contains("LNT0414") })
    let finding = try JSONDocument(parsing: String(line)).root
    #expect(finding["place"]?["line"]?.text == "3" || line.contains("\"line\":3"))
    #expect(line.contains("\"column\":12"))
  }

  @Test func theSameTextAgainIsTheSameItem() throws {
    let scratch = Scratch()
    let file = try scratch.write("list.txt", "Kit\n\n- Knife\n- Torch\n- Gloves\n")
    let library = scratch["l.sqlite"]
    var load = LibraryImport(sources: try SourceList([file]), library: library)
    load.createsLibrary = true
    #expect(try load.run(context: Self.context()).summary.tally.total.created == 1)
    #expect(try load.run(context: Self.context()).summary.tally.total.unchanged == 1)
    // An additional step updates the same checklist, and the other steps keep their ids.
    let before = try Self.stepIDs(library)
    _ = try scratch.write("list.txt", "Kit\n\n- Whistle\n- Knife\n- Torch\n- Gloves\n")
    #expect(try load.run(context: Self.context()).summary.tally.total.updated == 1)
    let after = try Self.stepIDs(library)
    #expect(after.count == 4 && Set(before).isSubset(of: Set(after)))
  }

  @Test func withoutInferenceOnlyTasksCount() throws {
    let scratch = Scratch()
    let file = try scratch.write("list.txt", "Kit\n\n- Knife\n- Torch\n- Gloves\n")
    var reading = ReadingOptions()
    reading.infer = .never
    #expect(try Self.records(file, reading)[0]["content_type"]?.string == "practice_guide")
  }

  @Test func whatIsNoTextIsRefused() throws {
    let scratch = Scratch()
    try Data((0..<4000).map { UInt8(truncatingIfNeeded: $0 &* 97) }).write(to: URL(fileURLWithPath: scratch["x.txt"]))
    #expect(throws: RunFailure.self) { try Self.records(scratch["x.txt"]) }
  }

  /// For any pasted text, every line becomes a line of the result and keeps its content.
  @Test func everyLineKeepsItsPlaceAndItsWords() {
    var random = SeededRandom(seed: 7)
    let pieces = [
      "Check", " ", "\t", "*", "**", "-", "- ", "#", "# ", "==", "h2. ", "1.", "1) ", "(a) ", "[ ]", "[x] ", "[]", "☐",
      "____", "•", "\u{F0B7}", "ENGINE ROOM", "масло", "e\u{301}", "😀", ":", "::", "\r", "\u{A0}", "a)", "o ", "—",
      "<b>",
    ]
    for _ in 0..<3000 {
      let text = (0..<random.below(8)).map { _ in (0..<random.below(6)).map { _ in random.pick(pieces) }.joined() }
        .joined(separator: "\n")
      let list = PastedList(text + "\n", infers: random.below(2) == 0)
      let made = String(decoding: list.markdown, as: UTF8.self).unicodeScalars.split(
        separator: "\n", omittingEmptySubsequences: false)
      let typed = (text + "\n").unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(list.shifts.count == typed.count)
      #expect(made.count == typed.count + 1)
      for (index, shift) in list.shifts.enumerated() where !made[index].isEmpty {
        // A hard break above details is added by the reader.
        var rest = Array(made[index].dropFirst(shift.made))
        while rest.last == " " { rest.removeLast() }
        #expect(Array(typed[index].dropFirst(shift.typed).prefix(rest.count)) == rest, "\(text.debugDescription)")
        // Letters are never part of a mark, except for a letter that numbers a list or heading, and the letter in a
        // box.
        let words = typed[index].filter { $0.properties.isAlphabetic }.count
        #expect(words - rest.filter { $0.properties.isAlphabetic }.count <= 2, "\(text.debugDescription)")
      }
    }
  }

  // MARK: Helpers

  private static func context(_ reading: ReadingOptions = ReadingOptions()) -> RunContext {
    RunContext(reading: reading, now: Timestamp(milliseconds: 1_767_607_872_345))
  }

  private static func records(_ path: String, _ reading: ReadingOptions = ReadingOptions()) throws -> [JSONValue] {
    var all: [JSONValue] = []
    try RecordScan(sources: SourceList([path])).run(context: context(reading)) { all.append(try $0.document().root) }
    return all
  }

  private static func outline(_ record: JSONValue) -> [String] {
    [record["title"]?.string ?? ""]
      + (record["content_data"]?["sections"]?.elements ?? []).flatMap { section in
        ["§" + (section["title"]?.string ?? "")]
          + (section["items"]?.elements ?? []).map { $0["title"]?.string ?? "" }
      }
  }

  private static func stepIDs(_ library: String) throws -> [String] {
    try records(library).flatMap { record in
      (record["content_data"]?["sections"]?.elements ?? []).flatMap { section in
        (section["items"]?.elements ?? []).map { $0["id"]?.string ?? "" }
      }
    }
  }
}
