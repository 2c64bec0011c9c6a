import Foundation
import TestSupport
import Testing

/// Folders with some unreadable tables.
@Suite struct FolderTablesTests {
  @Test func oneTableDoesNotStopTheOthers() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["lists"], withIntermediateDirectories: true)
    _ = try scratch.write("lists/a.csv", "checklist,item\nA,One\n")
    _ = try scratch.write("lists/b.csv", "price,weight\n1,2\n")
    _ = try scratch.write("lists/c.csv", "")
    _ = try scratch.write("lists/d.xlsx", "PK\u{3}\u{4}cut off")
    _ = try scratch.write("lists/e.csv", "checklist,item\nE,One\n")
    let answer = try Imported("lists", scratch)
    #expect(answer.status == 3, "\(answer.errors)")
    #expect(try LostRowsTests.outline(scratch) == ["A: A[One]", "E: E[One]"])
    let files = answer.findings.map { String($0.place.prefix { $0 != ":" }) }
    #expect(files.sorted() == ["lists/b.csv", "lists/c.csv", "lists/d.xlsx"])
    // A table whose header contains no step column belongs to another program.
    #expect(answer.findings.filter { $0.code == "FIL0102" }.count == 2)
  }

  @Test func whereNothingCanBeReadTheRunFails() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["lists"], withIntermediateDirectories: true)
    _ = try scratch.write("lists/b.csv", "price,weight\n1,2\n")
    _ = try scratch.write("lists/c.csv", "")
    #expect(try Imported("lists", scratch).status == 2)
    #expect(!scratch.names.contains("l.sqlite"))
  }

  @Test func aTableThatIsNamedFails() throws {
    let scratch = Scratch()
    _ = try scratch.write("b.csv", "price,weight\n1,2\n")
    #expect(try Imported("b.csv", scratch).status == 2)
  }

  @Test func whatTheUserSaysStillCounts() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["lists"], withIntermediateDirectories: true)
    _ = try scratch.write("lists/a.csv", "checklist,item\nA,One\n")
    _ = try scratch.write("lists/b.csv", "checklist,item\nB,One\n")
    let answer = try Shell.fleetkit(
      "import", "lists", "--key", "Nr", "--into", "l.sqlite", "--create", folder: scratch.path)
    #expect(answer.status == 64)
  }
}
