import FleetKit
import Foundation
import TestSupport
import Testing

/// Exact places in library cells: lines and columns count in the text of the cell.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there")) struct PositionLibraryTests {
  static let versions = ["library-v1.4.0.sqlite", "library-v2.2.0.sqlite"]
  private static let tick = "CA15DB55-30E8-4A6E-96DC-9F40E37F1EFC"

  @Test(arguments: versions)
  func titlesAndDescriptions(_ library: String) throws {
    for table in ["library_content", "checklists", "practice_guides"] {
      try MarkedRun.expect(
        cell: "title", of: table, in: library, "Лодка ⛵️ 👩‍✈️ Bad⟪\u{202E}⟫word", ["LNT0408 "])
      try MarkedRun.expect(
        cell: "description", of: table, in: library, "Y⟪e\u{301}⟫s\r\n\tокно\r\n⟪\u{202E}⟫\n", ["LNT0410 ", "LNT0408 "])
    }
  }

  /// A title that happens to be valid JSON is still a title.
  @Test func aTitleThatIsJSON() throws {
    try MarkedRun.expect(cell: "title", of: "library_content", "[\"a⟪\u{202E}⟫\"]", ["LNT0408 "])
  }

  @Test(arguments: versions)
  func tags(_ library: String) throws {
    for table in ["library_content", "checklists", "practice_guides"] {
      try MarkedRun.expect(
        cell: "tags", of: table, in: library, "[\"ж\",\r\n\t⟪7⟫, \"\\u0441\\ud83d\\ude00\", ⟪{\"a\": 1}⟫\n]",
        ["LIB0201 /1", "LIB0201 /3"])
    }
    try MarkedRun.expect(
      cell: "tags", of: "library_content", in: library, "[\"a\",\n \"ж\\u0436 ⟪\u{202E}⟫ x\"]", ["LNT0408 /1"])
  }

  @Test(arguments: versions)
  func markdown(_ library: String) throws {
    try MarkedRun.expect(
      cell: "markdown", of: "practice_guides", in: library,
      "# Ж\r\n\r\nSee\t⛵ [x](⟪http://ab.example.org⟫)\n\n⟪e\u{301}⟫ ⟪\u{202E}⟫\n",
      ["LNT0307 ", "LNT0410 ", "LNT0408 "])
  }

  @Test(arguments: versions)
  func ticks(_ library: String) throws {
    try MarkedRun.expect(
      cell: "itemStates", of: "checklistExecutionStates", in: library,
      "{\"\(Self.tick)\":\r\n\t{\"checked\":⟪\"да\"⟫},\"0685E549-7236-4382-805D-0324A3A17500\":"
        + "{\"checked\":true,\"checkedAt\":⟪\"2025-13-01\"⟫}}",
      [
        "LIB0104 /\(Self.tick)/checked", "LIB0704 /0685E549-7236-4382-805D-0324A3A17500/checkedAt",
      ])
  }

  @Test(arguments: versions)
  func charters(_ library: String) throws {
    try MarkedRun.expect(cell: "startDate", of: "charters", in: library, "⟪ж⟫", ["LIB0301 "])
    try MarkedRun.expect(cell: "endDate", of: "charters", in: library, "⟪2001-01-01 10:00:00.000⟫", ["LNT0801 "])
  }

  @Test func sections() throws {
    let id = "7D444840-9DC0-11D1-B245-5FFDCE74FAD2"
    let head = "[{\"id\":\"\(id)\",\"title\":\"Ют 🛥\",\"isExpandedByDefault\":true,\"sortOrder\":0,"
    try MarkedRun.expect(
      cell: "content", of: "checklists",
      head + "\r\n\"items\":[{\"id\":⟪\"\(id)\"⟫,\"title\":\"⟪e\u{301}⟫\\u0436⟪\u{202E}⟫\",\n\"isOptional\":⟪0⟫,"
        + "\"isRequired\":true,\"tags\":[],\"sortOrder\":0}]}]",
      [
        "LIB0106 /0/items/0/id", "LNT0410 /0/items/0/title", "LNT0408 /0/items/0/title",
        "LIB0104 /0/items/0/isOptional",
      ])
  }

  @Test func publicationsAndPayloads() throws {
    try MarkedRun.expect(
      cell: "publicMetadata", of: "library_content", "{\"publishedAt\":1.5,\n \"publicID\":⟪7⟫,\"canFork\":true}",
      ["LIB0906 /publicID"])
    try MarkedRun.expect(
      cell: "payload", of: "sync_queue",
      "{\"title\":\"⛵\",\r\n\t\"public_id\":⟪7⟫,\"content_data\":{\"createdAt\":⟪5⟫}}",
      ["LIB0801 /public_id", "LIB0803 /content_data/createdAt"])
    for value in ["null", "true", "\"soon\"", "\"2026-01-05\""] {
      try MarkedRun.expect(
        cell: "payload", of: "sync_queue",
        "{\"title\":\"⛵\",\n\"public_id\":\"a-1\",\"content_data\":{\"createdAt\":⟪\(value)⟫,\"updatedAt\":\n⟪\(value)⟫}}",
        ["LIB0801 /content_data/createdAt", "LIB0801 /content_data/updatedAt"])
    }
  }

  /// In a cell that is not JSON, the place is the first wrong byte. A repair of ticks loses that byte, which is
  /// reported, too.
  @Test func cellsThatAreNotJSON() throws {
    try MarkedRun.expect(
      cell: "payload", of: "sync_queue", "{\"title\":\"ж\",\r\n \"public_id\":⟪⟫ж}", ["LIB0801 "])
    try MarkedRun.expect(
      cell: "publicMetadata", of: "library_content", "{\"publishedAt\":1.5,\n\"publicID\":\"😀\",⟪⟫x", ["LIB0906 "])
    try MarkedRun.expect(
      cell: "itemStates", of: "checklistExecutionStates",
      "{\"\(Self.tick)\":\n\t{\"checked\":true},⟪⟫⟪⟫7", ["LIB0701 ", "LIB0110 "])
  }

  /// Content that is still only in the write-ahead log.
  @Test func aLibraryWithALog() throws {
    let scratch = Scratch()
    for name in ["library.sqlite", "library.sqlite-wal", "library.sqlite-shm"] {
      try FileManager.default.copyItem(atPath: Paths.libraries + "/library-wal/" + name, toPath: scratch[name])
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: scratch[name])
    }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: scratch["library.sqlite-wal"]))
    try #require(bytes.count > 4096)
    let findings = try Collecting.findings([scratch["library.sqlite"]])
    for finding in findings { try CellCheck.expectInside(finding, library: scratch["library.sqlite"]) }
    #expect(findings.contains { $0.place.line != nil })
    #expect(scratch.names.count == 3, "checking leaves nothing behind: \(scratch.names)")
  }

  /// In every library of the app, the place of every finding with a line is inside its cell, at the value that the rule
  /// is about.
  @Test(arguments: Seeds.libraries)
  func everyFindingOfEveryLibrary(_ library: String) throws {
    for finding in try Collecting.findings([library]) { try CellCheck.expectInside(finding, library: library) }
  }
}

/// Compares places with the cells as the sqlite3 shell reads them.
enum CellCheck {
  static func expectInside(_ finding: Diagnostic, library: String) throws {
    let place = finding.place
    guard let row = place.row, let column = row.column, let line = place.line else { return }
    let id = row.id.replacing("'", with: "''")
    let hex = try Shell.run(
      "sqlite3",
      ["-readonly", library, "SELECT hex(\"\(column)\") FROM \"\(row.table)\" WHERE id = '\(id)'"]
    ).output.trimmingCharacters(in: .whitespacesAndNewlines)
    var bytes: [UInt8] = []
    let digits = Array(hex.utf8)
    for index in stride(from: 0, to: digits.count - 1, by: 2) {
      bytes.append(UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) ?? 0)
    }
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    try #require(lines.indices.contains(line - 1), "\(place)")
    let scalars = lines[line - 1].count { $0 & 0xC0 != 0x80 }
    #expect((1...scalars + 1).contains(place.column ?? 0), "\(place)")
    if let end = place.endColumn { #expect(end <= scalars + 1 && end > place.column ?? 0, "\(place)") }
  }
}
