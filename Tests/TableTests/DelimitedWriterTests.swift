import DelimitedText
import Foundation
import JSONText
import TestSupport
import Testing

/// Any program can read the output, and FleetKit reads it back unchanged.
@Suite struct DelimitedWriterTests {
  private let comma = DelimitedDialect(delimiter: UInt8(ascii: ","))

  @Test func quotesStandWhereTheyAreNeeded() {
    let rows = [["a", "b c", "", " d "], ["x,y", "say \"hi\"", "two\nlines", "cr\rhere"], ["a;b", "'tis", "ж", "0"]]
    #expect(
      String(decoding: delimited(rows, comma), as: UTF8.self)
        == "a,b c,, d \n\"x,y\",\"say \"\"hi\"\"\",\"two\nlines\",\"cr\rhere\"\na;b,'tis,ж,0\n")
    let excel = DelimitedDialect(delimiter: UInt8(ascii: ";"), lineEnd: [0x0D, 0x0A])
    #expect(String(decoding: delimited([["a;b", "c,d"]], excel), as: UTF8.self) == "\"a;b\";c,d\r\n")
    #expect(String(decoding: delimited([[""], ["", ""]], comma), as: UTF8.self) == "\"\"\n,\n")
  }

  @Test(arguments: [
    ("=HYPERLINK(\"http://x\",\"y\")", "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\""), ("@SUM(1)", "'@SUM(1)"),
    ("-2+3", "'-2+3"), ("\t=1", "'\t=1"), ("\r=1", "\"'\r=1\""), ("+44 20", "'+44 20"), ("=", "'="),
    ("'=1", "''=1"), ("''=1", "'''=1"), ("'quoted'", "'quoted'"), ("'", "'"), ("''", "''"), (" =1", " =1"), ("", ""),
    ("a=b", "a=b"), ("−5", "−5"),
  ])
  func formulasAreMadeHarmlessAndComeBack(_ cell: String, _ written: String) throws {
    let bytes = delimited([["head", "cell"], ["x", cell]], comma)
    #expect(String(decoding: bytes, as: UTF8.self) == "head,cell\nx,\(written)\n")
    #expect(try ReadTable(bytes).rows == [["head", "cell"], ["x", cell]])
  }

  @Test func randomTablesComeBack() throws {
    var random = SeededRandom(seed: 99)
    let scratch = Scratch()
    let pieces = ["'", "=", "+", "-", "@", "\t", "\r", "\n", "\r\n", "\"", ",", ";", "|", " ", "a", "ж", "😀", ""]
    for _ in 0..<300 {
      let columns = 1 + random.below(5)
      let table = (0..<1 + random.below(20)).map { _ in
        (0..<columns).map { column in
          (column == 0 ? "x" : "") + (0..<random.below(7)).map { _ in random.pick(pieces) }.joined()
        }
      }
      let dialect = DelimitedDialect(
        delimiter: random.pick([0x2C, 0x3B, 0x09, 0x7C]), lineEnd: random.pick([[0x0A], [0x0D, 0x0A]]))
      let read = try ReadTable(scratch.source(delimited(table, dialect), dialect: dialect), isStrict: true)
      #expect(read.rows == table && read.problems == [])
    }
  }
}
