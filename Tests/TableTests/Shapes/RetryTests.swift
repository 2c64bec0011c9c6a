import Content
import Foundation
import Interchange
import JSONText
import TableShapes
import TestSupport
import Testing

@Suite struct RetryTests {
  private static let header = ["checklist", "section", "item", "minutes"]

  /// Writes rejects as an import does and returns their origin.
  private static func origin(of read: ReadTables, in folder: String) throws -> RetryOrigin {
    let writer = RejectsWriter(base: folder + "/x.rejects", asArray: false)
    for record in read.rejected { try writer.add(record) }
    _ = try writer.publish()
    return try #require(try RetryOrigin(rejects: folder + "/x.rejects.csv"))
  }

  @Test func rowsFindTheirChecklistWithoutTheRowsAbove() throws {
    let scratch = Scratch()
    let table = [
      Self.header, ["A", "S", "One", "1"], ["", "", "Two", "soon"], ["", "T", "Three", "2"], ["", "", "Four", "later"],
      ["B", "S", "Five", "never"],
    ]
    let whole = try ReadTables(table.map { $0.map { ["soon", "later", "never"].contains($0) ? "9" : $0 } })
    let read = try ReadTables(table)
    #expect(read.rejected.count == 3)
    let retry = try Self.origin(of: read, in: scratch.path)
    let again = try ReadTables(
      [Self.header, ["", "", "Two", "9"], ["", "", "Four", "9"], ["B", "S", "Five", "9"]]
    ) { $0.retry = retry }
    #expect(try again.outline == ["A: S[Two] T[Four]", "B: S[Five]"])
    #expect(again.batches.flatMap(\.slots).map(\.isPartial) == [true, true])
    // The ids are those that the rows would have had in the first import.
    func ids(_ read: ReadTables) -> Set<String> {
      Set(
        read.lines.joined().split(separator: "\"").map(String.init).filter { CanonicalUUID.form(of: $0) == .canonical })
    }
    #expect(ids(again).isSubset(of: ids(whole)))
    let first = try #require(again.records.first)
    let one = try #require(whole.records.first).document().root["content_data"]?["sections"]?[0]?["items"]?[0]?["id"]
    #expect(first.stepAnchors.first == .behind(try #require(one?.string)))
  }

  @Test func withoutItsRowsAFileOfRejectsSaysNothingOfPlaces() throws {
    let scratch = Scratch()
    let read = try ReadTables([Self.header, ["A", "S", "One", "x!"], ["", "", "Two", "y!"]])
    let retry = try Self.origin(of: read, in: scratch.path)
    let again = try ReadTables([Self.header, ["", "", "Two", "9"]]) { $0.retry = retry }
    #expect(again.records.isEmpty)
    #expect(again.codes == ["unusable-row"])
  }
}
