import DelimitedText
import Foundation
import Interchange
import JSONText
import TestSupport
import Testing

/// Delimited text as RFC 4180 defines it and as programs write it.
@Suite struct DelimitedReaderTests {
  @Test(arguments: [
    ("a,b,c\n1,2,3\n", [["a", "b", "c"], ["1", "2", "3"]]),
    ("a,b,c\n1,2,3", [["a", "b", "c"], ["1", "2", "3"]]),
    ("a,b\r\n1,2\r\n", [["a", "b"], ["1", "2"]]),
    ("a,b\r1,2\r3,4", [["a", "b"], ["1", "2"], ["3", "4"]]),
    ("a,b\n1,\"ha \"\"ha\"\" ha\"\n3,4\n", [["a", "b"], ["1", "ha \"ha\" ha"], ["3", "4"]]),
    ("first,address\nJohn,\"120 any st., Anytown\"\n", [["first", "address"], ["John", "120 any st., Anytown"]]),
    ("a,b\n1,\"once upon\na time\"\n5,6\n", [["a", "b"], ["1", "once upon\na time"], ["5", "6"]]),
    ("a,b\r\n1,\"once upon\r\na time\"\r\n5,6\r\n", [["a", "b"], ["1", "once upon\r\na time"], ["5", "6"]]),
    ("a,b\n\"\n\",\"\"\"\n\"\"\"\n", [["a", "b"], ["\n", "\"\n\""]]),
    (
      "key,val\n1,\"{\"\"type\"\": \"\"Point\"\", \"\"coordinates\"\": [102.0, 0.5]}\"\n",
      [["key", "val"], ["1", "{\"type\": \"Point\", \"coordinates\": [102.0, 0.5]}"]]
    ),
    ("a,b,c\n1,\"\",\"\"\n,,x\n", [["a", "b", "c"], ["1", "", ""], ["", "", "x"]]),
    ("a,b\n1,ʤ\nЯкорь,😀\n", [["a", "b"], ["1", "ʤ"], ["Якорь", "😀"]]),
    ("lat,lon\n\"36°36'16.9\"\"N\",007\n", [["lat", "lon"], ["36°36'16.9\"N", "007"]]),
    ("\u{FEFF}a,b\n1,2\n", [["a", "b"], ["1", "2"]]),
    ("\u{FEFF}\"a,\",b\n1,2\n", [["a,", "b"], ["1", "2"]]),
    ("sep=;\na;b\n1,5;2\n", [["a", "b"], ["1,5", "2"]]),
    ("\u{FEFF}sep=\t\r\na\tb\r\n", [["a", "b"]]),
    ("\"sep=|\"\r\na|b\r\n", [["a", "b"]]),
    ("a,b\n\n \n,\n\t,\n1,2\n\n", [["a", "b"], ["1", "2"]]),
    ("item,size\nrope,12\" thick\nsay \"hi\",2\n", [["item", "size"], ["rope", "12\" thick"], ["say \"hi\"", "2"]]),
    ("a, b \n 1,2 \n", [["a", " b "], [" 1", "2 "]]),
    ("one\ntwo\n", [["one"], ["two"]]), ("one", [["one"]]), ("", []), ("\n\n", []), ("\u{FEFF}", []),
    ("a,\"b\"", [["a", "b"]]), ("a,\"\"", [["a", ""]]), ("a,", [["a", ""]]),
    ("\",\",x\n", [[",", "x"]]),
  ])
  func whatIsWrittenIsRead(_ text: String, _ rows: [[String]]) throws {
    let table = try ReadTable(text)
    #expect(table.rows == rows)
    #expect(table.problems == [])
  }

  @Test(arguments: [
    ("Шаг;Минуты\nЯкорь, цепь;5\nДвигатель, масло;10\n", UInt8(ascii: ";")),
    ("a\tb, c\n1\t2, 3\n", 0x09), ("a|b\n1|2\n", UInt8(ascii: "|")), ("a,b\n1,\"2;3;4\"\n2,;\n", UInt8(ascii: ",")),
    ("alone\nof, one\n", UInt8(ascii: ",")), ("My list\n\na;b;c\n1;2;3\n4;5;6\n", UInt8(ascii: ";")),
    ("\"a;b\";c\n\"d;e\";f\n", UInt8(ascii: ";")), ("", UInt8(ascii: ",")),
    ("step;details\nrun;\"say \"\"a, b, c\"\", then, go\"\n", UInt8(ascii: ";")),
  ])
  func theDelimiterIsFound(_ text: String, _ delimiter: UInt8) throws {
    #expect(try Scratch().source(text.utf8).dialect.delimiter == delimiter)
  }

  @Test func aNameThatEndsInTSVSpeaksForTabs() throws {
    #expect(try ReadTable("a, b, c\td\ne, f, g\th\n", name: "x.tsv").rows == [["a, b, c", "d"], ["e, f, g", "h"]])
    #expect(try ReadTable("a,b\nc,d\n", name: "x.tsv").rows == [["a", "b"], ["c", "d"]])
  }

  @Test func rowsKnowTheirLines() throws {
    let table = try ReadTable("a,b\r\n\r\n1,\"x\r\ny\r\nz\"\r\n2,3\r\n")
    #expect(table.lines == [1, 3, 6])
    #expect(try ReadTable("a,b\r\r1,\"x\ry\"\r2,3").lines == [1, 3, 5])
    #expect(try ReadTable("sep=,\na,b\n1,2\n").lines == [2, 3])
  }

  @Test func raggedRowsAreErrorsWithTheirLine() throws {
    let table = try ReadTable("a,b,c\n1,2,3\n1,2\n1,2,3,4\n\n4,5,6\n", isStrict: true)
    #expect(table.rows == [["a", "b", "c"], ["1", "2", "3"], ["4", "5", "6"]])
    #expect(
      table.problems == [
        ReadTable.Problem(line: 3, cell: nil, isRagged: true, numbers: [2, 3]),
        ReadTable.Problem(line: 4, cell: 3, isRagged: true, numbers: [3, 4]),
      ])
    #expect(table.originals == ["1,2", "1,2,3,4"])
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func aQuoteThatNobodyClosesCostsItsLineOnly(_ end: String) throws {
    let lines = ["a,b", "1,2", "3,\"never closed", "5,6", "7,\"8\"", "\"x\"y,1", "9,\"10", "11,12\"", "13,14"]
    let table = try ReadTable(lines.joined(separator: end) + end)
    // The quote in line 3 pairs with the one in line 5, and an 8 follows, so no cell ends there.
    #expect(table.rows == [["a", "b"], ["1", "2"], ["5", "6"], ["7", "8"], ["9", "10\(end)11,12"], ["13", "14"]])
    #expect(
      table.problems == [
        ReadTable.Problem(line: 3, cell: 1, numbers: [3, 5]), ReadTable.Problem(line: 6, cell: 0, numbers: [6]),
      ])
    #expect(table.originals == ["3,\"never closed", "\"x\"y,1"])
  }

  @Test func aQuoteThatIsOpenAtTheEndNamesItsLine() throws {
    let table = try ReadTable("a,b\n\"x\ny\",\"open\n1,2\n3,4")
    #expect(table.rows == [["a", "b"], ["1", "2"], ["3", "4"]])
    #expect(
      table.problems == [
        ReadTable.Problem(line: 2, cell: 1, numbers: [3])
      ])
    #expect(table.originals == ["\"x\ny\",\"open"])
    #expect(table.lines == [1, 4, 5])
    #expect(try ReadTable("a\n\"").problems.count == 1)
  }

  @Test func zerosAndBrokenLettersCostTheirRow() throws {
    let zero = try ReadTable(Array("a,b\n1,x".utf8) + [0] + Array("\n2,y\n".utf8))
    #expect(zero.rows == [["a", "b"], ["2", "y"]])
    #expect(zero.problems == [ReadTable.Problem(line: 2, cell: 1, numbers: [])])
    let letters = try ReadTable(
      Array("Якорь,Цепь\n1,Вода".utf8) + [0xFF] + Array("\n2,Масло\n".utf8))
    #expect(letters.rows == [["Якорь", "Цепь"], ["2", "Масло"]])
    #expect(letters.problems.map(\.line) == [2] && letters.problems.map(\.cell) == [1])
  }

  @Test func aCellOfManyMegabytesIsRefusedAndTheRestRead() throws {
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: DelimitedLimits.row + (3 << 20))
    let table = try ReadTable(Array("a,b\n1,".utf8) + long + Array("\n2,\"".utf8) + long + Array("\"\n3,4\n".utf8))
    #expect(table.rows.map { $0.map { $0.utf8.prefix(9).count } } == [[1, 1], [1, 1]])
    #expect(table.lines == [1, 4])
    #expect(table.problems.map(\.line) == [2, 3])
    #expect(table.problems.allSatisfy { $0.numbers == [16] })
  }

  @Test func aQuoteThatIsOpenForManyMegabytesIsRefusedAndTheRestRead() throws {
    let line = "5," + String(repeating: "x", count: 1020) + "\"\"\n"
    let lines = String(repeating: line, count: DelimitedLimits.row / 1024)
    let table = try ReadTable("a,b\n1,\"open\n" + lines)
    #expect(table.problems.map(\.line) == [2])
    #expect(table.problems.first?.numbers == [2, 16])
    #expect(table.rows.count == DelimitedLimits.row / 1024 + 1)
  }

  @Test func longRowsBelowTheLimitAreRead() throws {
    let long = String(repeating: "длинный, \"текст\"\n", count: 200_000)
    let bytes = delimited([["a", "b"], ["1", long], ["2", "x"]], DelimitedDialect(delimiter: UInt8(ascii: ",")))
    let table = try ReadTable(bytes)
    #expect(table.rows == [["a", "b"], ["1", long], ["2", "x"]])
    #expect(table.lines == [1, 2, 200_003])
  }

  @Test func moreCellsThanASheetHasAreRefused() throws {
    let commas = String(repeating: ",", count: DelimitedLimits.cells + 5)
    let quoted = Array(repeating: "\"q\"", count: DelimitedLimits.cells + 5).joined(separator: ",")
    let table = try ReadTable("a,b\n\(commas)x\n\(quoted)\n1,2\n")
    #expect(table.rows == [["a", "b"], ["1", "2"]])
    #expect(table.problems.map(\.line) == [2, 3])
  }

  /// Line endings, quotes and delimiters are read correctly at every edge of the window.
  @Test func nothingHappensAtTheEdgesOfTheWindow() throws {
    let scratch = Scratch()
    for shift in 0..<24 {
      let filler = String(repeating: "f", count: (1 << 20) - 40 + shift)
      let rows = [["h", "i"], ["1", filler], ["a\"b", "c\r\nd"], ["", "=e"], ["g", ""], ["ж", "😀"]]
      for end: [UInt8] in [[0x0A], [0x0D, 0x0A], [0x0D]] {
        let dialect = DelimitedDialect(delimiter: UInt8(ascii: ","), lineEnd: end)
        let bytes = delimited(rows, dialect)
        #expect(try ReadTable(scratch.source(bytes, dialect: dialect)).rows == rows)
        #expect(try ReadTable(scratch.source(bytes.dropLast(end.count), dialect: dialect)).rows == rows)
      }
    }
  }

  @Test func rowsAreReadAgain() throws {
    let rows = try Scratch().source("a,b\n1,2\n".utf8).rows()
    var row = TableRow()
    #expect(try rows.next(into: &row) && rows.next(into: &row))
    #expect(try !rows.next(into: &row))
    #expect(try !rows.next(into: &row))
    #expect(rows.progress.done == 8 && rows.progress.total == 8)
    rows.rewind()
    #expect(try rows.next(into: &row))
    #expect(String(decoding: row.text(1), as: UTF8.self) == "b" && row.number == 1)
    #expect(row.text(7).isEmpty)
  }

  /// For any text, reading terminates, and every letter is in a row or in a problem.
  @Test func anyTextIsReadToItsEnd() throws {
    var random = SeededRandom(seed: 4180)
    let scratch = Scratch()
    let pieces = ["\"", "\"\"", "\n", "\r", "\r\n", ",", ";", "a", "ж", " ", "'", "=", "\"\"\""]
    for _ in 0..<2_000 {
      let text = (0..<random.below(40)).map { _ in random.pick(pieces) }.joined()
      let dialect = DelimitedDialect(delimiter: UInt8(ascii: ","), lineEnd: random.pick([[0x0A], [0x0D]]))
      let source = try scratch.source(text.utf8, dialect: dialect)
      let table = try ReadTable(source)
      let rest = text.utf8.filter { $0 > 0x7F || $0 == UInt8(ascii: "a") }.count
      let found = (table.rows.flatMap { $0 } + table.originals).joined().utf8
        .filter { $0 > 0x7F || $0 == UInt8(ascii: "a") }.count
      #expect(found == rest, "\(text.debugDescription)")
    }
  }
}
