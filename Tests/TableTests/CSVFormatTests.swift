import DelimitedText
import FleetKit
import Foundation
import Interchange
import JSONText
import TestSupport
import Testing

/// Tables as CSV, converted from a file to records and back.
@Suite struct CSVFormatTests {
  private static func context(_ change: (inout TableOptions) -> Void = { _ in }) -> RunContext {
    var reading = ReadingOptions()
    change(&reading.table)
    return RunContext(
      findings: DiagnosticLog(keepPerCode: 100), reading: reading, now: Timestamp(milliseconds: 1_767_607_872_345))
  }

  @discardableResult
  private func convert(
    _ source: String, to target: String, as format: String? = nil, _ context: RunContext = context()
  ) throws -> RunSummary {
    var conversion = Conversion(sources: try SourceList([source]), target: Target(target))
    conversion.targetFormat = format.map { FormatID($0) }
    return try conversion.run(context: context)
  }

  private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

  /// Returns the records of a source.
  private func records(_ path: String, _ context: RunContext = context()) throws -> [JSONDocument] {
    var all: [JSONDocument] = []
    try RecordScan(sources: SourceList([path])).run(context: context) { all.append(try $0.document()) }
    return all
  }

  @Test(arguments: ["csv", "tsv"], [false, true])
  func whatATableSaysComesBack(_ ending: String, _ excel: Bool) throws {
    let scratch = Scratch()
    let source = Paths.root + "/samples"
    for (number, shape) in ["steps", "cards", "catalogue"].enumerated() {
      let context = Self.context {
        $0.excel = excel
        $0.shape = shape
      }
      let one = scratch["one-\(number).\(ending)"]
      let two = scratch["two-\(number).\(ending)"]
      let first = try convert(source, to: one, context)
      #expect(first.tally.total.created > 5)
      let again = try convert(one, to: scratch["\(number).jsonl"], Self.context { $0.shape = shape })
      #expect(again.tally.total.rejected == 0 && again.tally.total.created == first.tally.total.created)
      try convert(scratch["\(number).jsonl"], to: two, context)
      // A bundle contains its items in the order of their ids.
      func rows(_ path: String) throws -> [[String]] {
        try ReadTable(DelimitedSource(Source(path)), isStrict: true).rows.sorted { $0.lexicographicallyPrecedes($1) }
      }
      #expect(try rows(one) == rows(two))
      try convert(two, to: scratch["\(number)-again.jsonl"], Self.context { $0.shape = shape })
      #expect(try bytes(scratch["\(number).jsonl"]) == bytes(scratch["\(number)-again.jsonl"]))
      #expect(try bytes(one).starts(with: [0xEF, 0xBB, 0xBF]) == excel)
      let text = try DelimitedSource(Source(one))
      #expect(text.dialect.lineEnd == (excel ? [0x0D, 0x0A] : [0x0A]))
      #expect(text.dialect.delimiter == (ending == "tsv" ? 0x09 : UInt8(ascii: ",")))
    }
  }

  /// A spreadsheet program evaluates no formula in the output, and the text is read back unchanged.
  @Test(arguments: ["=HYPERLINK(\"http://x\",\"y\")", "@SUM(1+1)", "-2+3", "\t=1", "+cmd|' /C calc'!A0", "'=1", "''"])
  func formulasAreOnlyText(_ title: String) throws {
    let scratch = Scratch()
    var json = ByteBuffer()
    json.appendJSONString(title)
    let quoted = String(decoding: json.bytes, as: UTF8.self)
    let item = """
      {"kind":"item","id":"11111111-1111-4111-8111-111111111111","content_type":"checklist","title":"A list",\
      "content_data":{"title":"A list","sections":[{"title":"S","items":[{"title":"x","itemDescription":\(quoted)},\
      {"title":\(quoted)}]}]}}
      """
    _ = try scratch.write(
      "one.jsonl", "{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1}\n\(item)\n")
    try convert(scratch["one.jsonl"], to: scratch["table.csv"])
    let table = try #require(String(bytes: bytes(scratch["table.csv"]), encoding: .utf8))
    for line in table.split(separator: "\n") {
      let cells = line.split(separator: ",", omittingEmptySubsequences: false)
      #expect(!cells.contains { "=+-@\t".contains($0.drop { $0 == "\"" }.first ?? "x") }, "\(line)")
    }
    let before = try records(scratch["one.jsonl"])
    let after = try records(scratch["table.csv"])
    func texts(_ all: [JSONDocument]) -> [String] {
      (all.first?.root["content_data"]?["sections"]?.elements.first?["items"]?.elements ?? []).flatMap {
        [$0["title"]?.text ?? "", $0["itemDescription"]?.text ?? ""]
      }
    }
    #expect(texts(after) == texts(before) && texts(after).count == 4)
  }

  @Test func leadingZerosStay() throws {
    let scratch = Scratch()
    let source = try scratch.write("a.csv", "item,minutes\n007,05\n1.10,\n")
    let steps = try records(source).first?.root["content_data"]?["sections"]?.elements.first?["items"]?.elements ?? []
    #expect(steps.map { $0["title"]?.string } == ["007", "1.10"])
    #expect(steps.first?["estimatedMinutes"]?.integer == 5)
  }

  /// Rejected rows are written below their header, in the encoding and with the line endings of their file.
  @Test(arguments: ["utf-8", "utf-8-bom", "windows-1251", "utf-16le-bom"], ["", "sep=;\r\n"])
  func rejectedRowsStayAsTheyWereTyped(_ encoding: String, _ head: String) throws {
    let scratch = Scratch()
    let rows = [
      "Чек-лист;Шаг;Минуты", "Выход из марины;Якорь;5", "Выход из марины;\"Цепь;\r\nи звенья\";много",
      "Выход из марины;Лот", "Выход из марины;Шкоты;7",
    ]
    func encoded(_ rows: [String]) throws -> [UInt8] {
      try DelimitedEncodingTests.bytes(head + rows.joined(separator: "\r\n") + "\r\n", encoding)
    }
    try Data(encoded(rows)).write(to: URL(fileURLWithPath: scratch["table.csv"]))
    let context = Self.context()
    let summary = try convert(scratch["table.csv"], to: scratch["out.jsonl"], context)
    #expect(summary.status == .partial)
    let rejects = try #require(summary.rejectsPaths.first)
    #expect(try bytes(rejects) == encoded([rows[0], rows[2], rows[3]]))
    let errors = context.findings.kept.filter { $0.severity == .error }
    let above = head.isEmpty ? 0 : 1
    #expect(errors.map { $0.place.line } == [4 + above, 5 + above])
    #expect(errors.map { $0.place.column } == [11, 1])
    #expect(context.findings.kept.contains { $0.code.id == "TBL0202" } == !encoding.hasPrefix("utf-8"))
  }

  @Test func aHeaderBelowATitleIsKeptWithWhatStandsAboveIt() throws {
    let scratch = Scratch()
    let text = "Spring 2026,,\n\nitem,minutes,section\nOne,5,A\nTwo,soon,A\n"
    let summary = try convert(scratch.write("t.csv", text), to: scratch["out.jsonl"])
    let rejects = try #require(summary.rejectsPaths.first)
    #expect(try String(contentsOfFile: rejects, encoding: .utf8) == "item,minutes,section\nTwo,soon,A\n")
  }

  @Test func columnsAreMapped() throws {
    let scratch = Scratch()
    let source = try scratch.write("t.csv", "Dinge,Preis,Zeit\nAnker,5,7\n")
    let context = Self.context { $0.map = [("Dinge", "item"), ("Preis", ""), ("Zeit", "minutes")] }
    let step = try records(source, context).first?.root["content_data"]?["sections"]?.elements.first?["items"]?
      .elements.first
    #expect(step?["title"]?.string == "Anker" && step?["estimatedMinutes"]?.integer == 7)
    #expect(!context.findings.kept.contains { $0.code.id == "TBL0102" })
  }

  @Test func onlyTablesAreTaken() throws {
    let scratch = Scratch()
    func format(_ name: String, _ text: String) throws -> String? {
      try? FormatRegistry.standard.format(of: Source(scratch.write(name, text))).descriptor.name
    }
    #expect(try format("a.csv", "item\n") == "csv" && format("a.TSV", "item\n") == "csv")
    #expect(try format("b.csv", "{\"kind\":\"bundle\"") == "csv")
    #expect(try format("a.txt", "item,minutes\n") == "text")
    #expect(try format("a.dat", "item,minutes\n") == nil)
    #expect(try FormatRegistry.standard.format(of: Target("x.csv")).descriptor.name == "csv")
    #expect(try FormatRegistry.standard.format(of: Target("x.tsv")).descriptor.name == "csv")
    #expect(throws: RunFailure.self) { try FormatRegistry.standard.format(of: Target("x/"), as: .csv) }
  }

  @Test func theCommandReadsAPipeAndWritesOne() throws {
    let table = "Шаг;Мин\nЯкорь;5\nЦепь;7\n"
    let answer = try Shell.fleetkit(
      "convert", "-", "--from-format", "csv", "--to", "-", "--to-format", "csv", "--map", "Мин=minutes", input: table)
    #expect(answer.status == 0, "\(answer.errors)")
    let lines = answer.output.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.first?.hasPrefix("checklist,section,item,required") == true)
    #expect(lines.last?.contains(",Цепь,,,7,") == true)
    let wrong = try Shell.fleetkit("convert", "-", "--from-format", "csv", "--to", "-", "--map", "x")
    #expect(wrong.status == 64 && wrong.errors.contains("--map") && wrong.errors.contains("'x'"))
    let shape = try Shell.fleetkit("export", "x.sqlite", "--to", "a.csv", "--shape", "rows")
    #expect(shape.status == 64 && shape.errors.contains("--shape") && shape.errors.contains("'rows'"))
  }
}
