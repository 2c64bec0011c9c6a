import DelimitedText
import Foundation
import Interchange
import TestSupport
import Testing

/// Texts that are designed to be read many times.
@Suite struct DelimitedBudgetTests {
  /// Returns the number of bytes that are read for the rows of a text and for the place of each unusable row.
  private func bytesRead(_ line: String, _ count: Int) throws -> (bytes: Int, problems: Int) {
    let source = try Scratch().source(Array(("item,details\n" + String(repeating: line, count: count)).utf8))
    let rows = source.rows()
    var row = TableRow()
    var problems = 0
    while true {
      do {
        guard try rows.next(into: &row) else { break }
      } catch let error as TableRowError {
        problems += 1
        let position = source.position(row: (row.number, row.offset), cell: error.cell)
        #expect(position.line >= row.number)
        #expect(!source.original(row: (row.number, row.offset)).isEmpty)
      }
    }
    return (source.bytesRead.load(ordering: .relaxed), problems)
  }

  @Test(arguments: ["a,\"b\n", "\"a\"x\n", "\"a\n\"b\n", "a,\"\"\"\"b\"\n"])
  func readsOpenQuotesInLinearTime(_ line: String) throws {
    var before = 0
    for size in [1, 2, 4] {
      let found = try bytesRead(line, 5_000 * size)
      #expect(found.problems > 0)
      #expect(before == 0 || Double(found.bytes) <= 2.2 * Double(before))
      // The limit allows one chunk each time that a row is read again.
      #expect(found.bytes <= found.problems * 16_384 + 4 << 20)
      before = found.bytes
    }
  }
}
