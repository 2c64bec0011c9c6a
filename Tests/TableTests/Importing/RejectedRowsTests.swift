import Content
import Foundation
import Interchange
import JSONText
import TestSupport
import Testing

/// Files of rejected rows, and reading the reasons files next to them.
@Suite struct RejectedRowsTests {
  private static func table(_ header: String, path: String, ending: String = "csv") -> RejectTable {
    var origin = TableOrigin(source: "/lists", folder: "/lists", path: path, format: "csv")
    origin.delimiter = ";"
    origin.map = ["Шаг": "item", "Price": ""]
    return RejectTable(
      fileExtension: ending, header: Array(header.utf8), lineEnd: Array("\r\n".utf8), origin: origin.json)
  }

  private static func row(
    _ bytes: [UInt8], _ table: RejectTable?, rows: Int32 = 1, after: StepAnchor = .unknown
  ) -> RejectedRecord {
    RejectedRecord(
      kind: .item, bytes: bytes, place: "a.csv:2:1",
      reasons: [RejectReason(code: "TBL0113", message: "no", place: "a.csv:2:3")], rows: rows, isPart: true,
      table: table,
      after: after)
  }

  @Test func everyTableHasAFileUnderItsHeader() throws {
    let scratch = Scratch()
    let first = Self.table("item;minutes\r\n", path: "a.csv")
    let second = Self.table("front\tback\r\n", path: "b.tsv", ending: "tsv")
    let writer = RejectsWriter(base: scratch["x.rejects"], asArray: false)
    // A quoted line ending and bytes that are not valid UTF-8 stay unchanged.
    let odd: [UInt8] = Array("\"two\r\nlines\";\u{0}".utf8) + [0xFF, 0xFE]
    try writer.add(Self.row(odd, first, after: .first))
    try writer.add(Self.row(Array("q\ta".utf8), second))
    try writer.add(Self.row(Array("one;a\r\ntwo;b".utf8), first, rows: 2))
    try writer.add(Self.row(Array("three;c".utf8), Self.table("item;minutes\r\n", path: "a.csv"), after: .behind("ID")))
    try writer.add(
      RejectedRecord(kind: .item, bytes: Array("{\"id\":1}".utf8), place: "c.jsonl:1", reasons: []))
    let paths = try writer.publish()
    #expect(
      paths.map { $0.replacing(scratch.path + "/", with: "") } == [
        "x.rejects.jsonl", "x.rejects.csv", "x.rejects-2.tsv",
      ])
    let text = try Data(contentsOf: URL(fileURLWithPath: scratch["x.rejects.csv"]))
    #expect(
      Array(text) == Array("item;minutes\r\n".utf8) + odd + Array("\r\none;a\r\ntwo;b\r\nthree;c\r\n".utf8))
    #expect(try scratch.text("x.rejects-2.tsv") == "front\tback\r\nq\ta\r\n")
    #expect(try scratch.text("x.rejects.jsonl") == "{\"id\":1}\n")
    #expect(writer.count == 5)

    let origin = try #require(try RetryOrigin(rejects: scratch["x.rejects.csv"]))
    #expect(origin.table.path == "a.csv" && origin.table.source == "/lists" && origin.table.delimiter == ";")
    #expect(origin.table.map == ["Шаг": "item", "Price": ""] && origin.rowCount == 4)
    #expect(origin.anchor(ofRow: 1) == .first && origin.anchor(ofRow: 2) == .unknown)
    #expect(origin.anchor(ofRow: 4) == .behind("ID") && origin.anchor(ofRow: 99) == .unknown)
    #expect(try RetryOrigin(rejects: scratch["x.rejects-2.tsv"])?.table.path == "b.tsv")
  }

  @Test func manyTablesNeedOneFileAtATime() throws {
    let scratch = Scratch()
    let writer = RejectsWriter(base: scratch["x"], asArray: false)
    for number in 0..<300 { try writer.add(Self.row(Array("a".utf8), Self.table("item\r\n", path: "\(number).csv"))) }
    let paths = try writer.publish()
    #expect(paths.count == 300 && Set(paths).count == 300)
    #expect(try scratch.text("x-300.csv") == "item\r\na\r\n")
  }

  /// Reasons that quote a long title must not fill the disk, but long rows may have long reasons.
  @Test func reasonsOutgrowWhatWasRejectedOnlySoFar() throws {
    let scratch = Scratch()
    func write(_ row: Int) throws -> Int {
      let writer = RejectsWriter(base: scratch["x"], asArray: false)
      let reason = RejectReason(code: "TBL0113", message: String(repeating: "n", count: 1 << 20), place: "a.csv:2")
      for _ in 0..<100 {
        try writer.add(
          RejectedRecord(
            kind: .item, bytes: [UInt8](repeating: 0x61, count: row), place: "a.csv:2", reasons: [reason]))
      }
      return writer.count
    }
    let error = #expect(throws: RunFailure.self) { try write(2) }
    #expect(error?.status == .failed)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
    #expect(try write(1 << 17) == 100)
  }

  @Test(arguments: ["", "{", "[]", "{\"rejects\":1}", "{\"rejects\":\"x.csv\",\"origin\":7}", "{\"record\":1e400}"])
  func reasonsThatAreNoneAreRefused(_ text: String) throws {
    let scratch = Scratch()
    _ = try scratch.write("x.csv", "item\n")
    _ = try scratch.write("x.reasons.jsonl", text + "\n")
    let found: RetryOrigin?
    do { found = try RetryOrigin(rejects: scratch["x.csv"]) } catch let failure as RunFailure {
      #expect(failure.status == .failed)
      found = nil
    }
    #expect(found == nil)
  }
}
