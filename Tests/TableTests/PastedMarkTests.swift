import FleetKit
import Foundation
import TestSupport
import Testing

/// Lists whose lines have marks of several kinds.
@Suite struct PastedMarkTests {
  /// Marks, each with whether its box is ticked.
  static let marks = [
    "•", "–", "—", "-", "*", "+", "▪", "◦", "‣", "·", "●", "[]", "[ ]", "[x]", "[X]", "[х]", "☐", "☑", "☒", "☑\u{FE0F}",
    "✓", "✔", "✅", "___", "____", "1.", "27.", "1)", "(1)", "(a)", "( )", "a)", "\u{F0B7}", "\u{F0A8}", "- [ ]",
    "* [x]",
    "• [ ]", "1. [ ]", "12) [x]", "- ☐", "+ ☑",
  ]

  @Test(arguments: [
    ("[] Oil\n[x] Coolant\n[] Belt\n", ["Oil", "Coolant", "Belt"]),
    ("• Oil\n____ Blank\n", ["Oil", "Blank"]),
    ("- Belt\n[x] Done\n", ["Belt", "Done"]),
    ("- Oil\n10. Coolant\n✔ Belt\nDiesel ____\n(3) Pins\n", ["Oil", "Coolant", "Belt", "Diesel", "Pins"]),
    ("[x]Oil\n[]Coolant\n[ ]2 belts\n[link](x.md)\n", ["Oil", "Coolant", "2 belts link"]),
  ])
  func everyMarkedLineIsAStep(_ text: String, _ titles: [String]) throws {
    let scratch = Scratch()
    #expect(try Self.steps(scratch.write("list.txt", text)).map(\.title) == titles)
  }

  @Test(arguments: ["-", "[]", "[x]", "☐", "•", "____", "1.", "a)"])
  func aLineFurtherToTheRightIsItsDetails(_ mark: String) throws {
    let scratch = Scratch()
    let text = "\(mark) Oil\n   only when cold\n   and level\n\(mark) Coolant\n\n     top up\n\(mark) Belts\n"
    let steps = try Self.steps(scratch.write("list.txt", text))
    #expect(steps.map(\.title) == ["Oil", "Coolant", "Belts"])
    #expect(steps.map(\.details) == ["only when cold\nand level", "top up", nil])
  }

  @Test func aTitleOfAGroupRightBelowAStepIsNoPartOfIt() throws {
    let scratch = Scratch()
    let text = "Engine:\n- Oil\n- Coolant\nRigging:\n[] Shrouds\n[x] Pins\n"
    let record = try #require(try Self.records([scratch.write("list.txt", text)]).first)
    let sections = record["content_data"]?["sections"]?.elements ?? []
    #expect(sections.map { $0["title"]?.string } == ["Engine", "Rigging"])
    #expect(sections.map { $0["items"]?.elements.count } == [2, 2])
  }

  /// A list may begin with a box, and a text file may contain a bundle. The first characters distinguish them.
  @Test func aBundleInATextIsABundle() throws {
    let scratch = Scratch()
    let item =
      "{\"kind\":\"item\",\"id\":\"A0000000-0000-4000-8000-000000000001\",\"content_type\":\"practice_guide\",\"title\":\"Kit\",\"content_data\":{\"markdown\":\"# Kit\"}}"
    for text in ["[\n  \(item)]", "{ \"format\":\"fleetkit.bundle\",\"version\":1,\"items\":[\(item)]}"] {
      let record = try #require(try Self.records([scratch.write("kit.txt", text)]).first)
      #expect(record["id"]?.string == "A0000000-0000-4000-8000-000000000001")
    }
  }

  @Test func ticksAreNotLostWithoutAWord() throws {
    let scratch = Scratch()
    let file = try scratch.write("list.txt", "☐ Oil\n✓ Coolant\n☒ Belts\n[x] Pins\n")
    let result = try Shell.fleetkit("validate", file, "--report", "jsonl")
    let line = try #require(result.output.split(separator: "\n").first { $0.contains("\"MKD0107\"") })
    #expect(line.contains(/"message":"[^"]*\b3\b/) && line.contains("\"line\":2") && line.contains("\"column\":1"))
  }

  @Test func deepIndentationsCostNoMoreThanTheyMust() throws {
    let scratch = Scratch()
    let text = (0..<2000).map { String(repeating: " ", count: $0) + "- a\n" }.joined()
    let record = try #require(try Self.records([scratch.write("list.txt", text)]).first)
    #expect((record["content_data"]?.text.utf8.count ?? 0) < 400_000)
  }

  /// Whatever marks are mixed, each marked line becomes a step, in order, without its mark and with its place.
  @Test func anyMixtureOfMarksIsAListOfSteps() throws {
    var random = SeededRandom(seed: 11)
    let scratch = Scratch()
    var files: [String] = []
    var expected: [[(title: String, details: String?, line: Int, column: Int)]] = []
    for number in 0..<250 {
      var text = random.below(2) == 0 ? "Kit for the trip\n\n" : ""
      var line = text.isEmpty ? 1 : 3
      var steps: [(title: String, details: String?, line: Int, column: Int)] = []
      let indent = String(repeating: " ", count: random.below(4) * random.below(2) * 3)
      for step in 0..<(3 + random.below(8)) {
        let mark = random.pick(Self.marks)
        // `validate` reports the place of the doubled word.
        let head = indent + mark + String(repeating: " ", count: 1 + random.below(2)) + "Check "
        let isShort = random.below(3) > 0
        let words = isShort ? "the the \(step)" : "масло the the \(step)"
        let column = head.unicodeScalars.count + (isShort ? 0 : 6) + 1
        text += head + words + (random.below(4) == 0 ? " \n" : "\n")
        var details: String?
        if random.below(3) == 0 {
          details = "Note \(step)"
          text += indent + "     Note \(step)\n"
        }
        steps.append(("Check " + words, details, line, column))
        line += details == nil ? 1 : 2
        if random.below(6) == 0 {
          text += "\n"
          line += 1
        }
      }
      files.append(try scratch.write("list\(number).txt", text))
      expected.append(steps)
    }
    let result = try Shell.fleetkit("validate", scratch.path, "--from-format", "text", "--report", "jsonl")
    var places: [String: [[Int]]] = [:]
    for line in result.output.split(separator: "\n") where line.contains("LNT0414") {
      let finding = try JSONDocument(parsing: String(line)).root
      let file = URL(fileURLWithPath: finding["file"]?.string ?? "").lastPathComponent
      places[file, default: []].append(["line", "column"].compactMap { finding[$0]?.integer.map(Int.init) })
    }
    for (file, steps) in zip(files, expected) {
      let text = try String(contentsOfFile: file, encoding: .utf8)
      let read = try Self.steps(file)
      #expect(read.map(\.title) == steps.map(\.title), "\(text)")
      #expect(read.map(\.details) == steps.map(\.details), "\(text)")
      let name = URL(fileURLWithPath: file).lastPathComponent
      #expect((places[name] ?? []).sorted { $0[0] < $1[0] } == steps.map { [$0.line, $0.column] }, "\(text)")
    }
  }

  // MARK: Helpers

  private static func records(_ paths: [String]) throws -> [JSONValue] {
    var all: [JSONValue] = []
    let context = RunContext(now: Timestamp(milliseconds: 1_767_607_872_345))
    try RecordScan(sources: SourceList(paths)).run(context: context) { all.append(try $0.document().root) }
    return all
  }

  private static func steps(_ path: String) throws -> [(title: String, details: String?)] {
    try records([path]).flatMap { record in
      (record["content_data"]?["sections"]?.elements ?? []).flatMap { section in
        (section["items"]?.elements ?? []).map { ($0["title"]?.string ?? "", $0["itemDescription"]?.string) }
      }
    }
  }
}
