import DelimitedText
import Foundation
import Interchange
import TestSupport
import Testing

/// The places of cells, and of ranges inside them, can be determined again.
@Suite struct DelimitedPlaceTests {
  /// Returns the place of a row, a cell, or a range inside a cell.
  private func places(_ text: String, row number: Int, cell: Int?, part: Range<Int>? = nil) throws -> DelimitedPosition
  {
    let source = try Scratch().source(text.utf8)
    let rows = source.rows()
    var row = TableRow()
    for _ in 0...number { #expect(try rows.next(into: &row)) }
    return source.position(row: (row.number, row.offset), cell: cell, part: part)
  }

  private func at(_ line: Int, _ column: Int, _ end: Int?) -> DelimitedPosition {
    DelimitedPosition(line: line, column: column, endColumn: end)
  }

  @Test func cellsBeginBehindTheirQuotes() throws {
    let text = "a,b,c\nжук,\"x \"\"y\"\"\",z\n"
    #expect(try places(text, row: 1, cell: nil) == at(2, 1, nil))
    #expect(try places(text, row: 1, cell: 0) == at(2, 1, 4))
    #expect(try places(text, row: 1, cell: 1) == at(2, 6, 13))
    #expect(try places(text, row: 1, cell: 2) == at(2, 15, 16))
    #expect(try places(text, row: 1, cell: 3) == at(2, 16, 16))
    // In `x "y"`, the y is the fourth byte and follows a doubled quote.
    #expect(try places(text, row: 1, cell: 1, part: 3..<4) == at(2, 10, 11))
    #expect(try places(text, row: 1, cell: 0, part: 2..<4) == at(2, 2, 3))
  }

  @Test func cellsOfManyLinesAreCounted() throws {
    let text = "a;b\r\n\r\n\"one\r\ntwo\";\"ü\r\nthree\"\r\n"
    #expect(try places(text, row: 1, cell: 0) == at(3, 2, nil))
    #expect(try places(text, row: 1, cell: 0, part: 5..<8) == at(4, 1, 4))
    #expect(try places(text, row: 1, cell: 1) == at(4, 7, nil))
    #expect(try places(text, row: 1, cell: 1, part: 4..<9) == at(5, 1, 6))
    #expect(try places("a,b\r\"x\ry\",z", row: 1, cell: 1) == at(3, 4, 5))
  }

  @Test func theApostropheBeforeAFormulaIsNoPartOfTheCell() throws {
    let text = "a,b\n'=1+2,\"'-x\"\n"
    #expect(try places(text, row: 1, cell: 0) == at(2, 2, 6))
    #expect(try places(text, row: 1, cell: 0, part: 1..<2) == at(2, 3, 4))
    #expect(try places(text, row: 1, cell: 1) == at(2, 9, 11))
  }

  @Test func aByteOrderMarkIsNoColumn() throws {
    #expect(try places("\u{FEFF}a,b\n1,2\n", row: 0, cell: 1) == at(1, 3, 4))
    #expect(try places("\u{FEFF}sep=;\na;b\n", row: 0, cell: 1) == at(2, 3, 4))
  }
}
