import FleetKit
import TestSupport
import Testing

/// When a cell has more combining marks than a record may contain, only its row is rejected.
@Suite struct EndlessMarksTests {
  @Test func theRowIsRejected() throws {
    let scratch = Scratch()
    let marks = String(String.UnicodeScalarView(repeatElement(["\u{301}", "\u{323}"], count: 300).joined()))
    let table = try scratch.write("a.csv", "checklist,step\nA,a\nA,b\(marks)\nA,c\n")
    let tally = try BulkImportTests.bring(table, into: scratch["a.sqlite"]).summary.tally
    #expect(tally.rows.rejected == 1)
    #expect(try BulkImportTests.steps(scratch["a.sqlite"]).map(\.row.item) == ["a", "c"])
  }
}
