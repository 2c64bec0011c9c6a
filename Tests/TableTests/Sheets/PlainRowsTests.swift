import Foundation
import JSONText
import TestSupport
import Testing
import XMLStream

@testable import Spreadsheet

/// Plain rows bypass the parser. The result must equal the result of the parser alone.
@Suite struct PlainRowsTests {
  /// The result of reading a sheet once.
  private struct Outcome {
    /// Each batch as a string.
    var batches: [String] = []
    var notes = ""
    /// The error at the end; nil for a sound sheet.
    var problem: String?
    var wentByTheParser = false
  }

  /// Reads a sheet in chunks of random sizes, optionally with the parser alone.
  private static func read(_ sheet: [UInt8], byParser: Bool, pieces: Int, seed: UInt64 = 1) throws -> Outcome {
    let strings = SharedStrings(expecting: 100)
    for text in ["zero", "one & two"] { try strings.append(text.utf8.span) }
    var outcome = Outcome()
    let formats: [CellFormat] = [.general, .date, .percent, .padded(3)]
    let part = SheetPart(formats: formats, dates: SerialDate(), strings: SharedStringCursor(strings)) { batch in
      outcome.batches.append("\(batch.rows) \(batch.cells) \(Array(batch.bytes.bytes)) \(batch.errors)")
    }
    let parser = try XMLStreamParser(part)
    let feed = byParser ? nil : PlainFeed(parser, part)
    var random = SeededRandom(seed: seed)
    do {
      var at = 0
      while at < sheet.count {
        let end = min(sheet.count, at + 1 + random.below(pieces))
        let piece = Array(sheet[at..<end])
        if let feed { try feed.feed(piece.span) } else { try parser.feed(piece.span) }
        at = end
      }
      if let feed { try feed.finish() } else { try parser.finish() }
      try part.finish()
    } catch let problem as XMLProblem {
      outcome.problem = problem.message
    } catch let problem as PartProblem {
      outcome.problem = problem.message
    }
    outcome.notes = "\(part.notes)"
    outcome.wentByTheParser = feed?.isPlaceLost ?? false
    return outcome
  }

  private static func sheet(_ rows: String, after: String = "") -> [UInt8] {
    Array(
      ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<worksheet xmlns=\"urn:x\"><cols/><sheetData>"
        + rows + "</sheetData>" + after + "</worksheet>").utf8)
  }

  /// Compares both readings.
  /// - Returns: whether the sheet is sound.
  @discardableResult
  private static func check(_ sheet: [UInt8], pieces: Int = 1 << 18, seed: UInt64 = 1) throws -> Bool {
    let expected = try read(sheet, byParser: true, pieces: 1 << 18)
    let found = try read(sheet, byParser: false, pieces: pieces, seed: seed)
    let shown = Comment(rawValue: String(decoding: sheet.suffix(3000), as: UTF8.self))
    #expect((found.problem == nil) == (expected.problem == nil), shown)
    if expected.problem == nil {
      #expect(found.batches == expected.batches, shown)
      #expect(found.notes == expected.notes, shown)
    } else {
      // Batches that were already delivered are not repeated when the parser reports an error.
      #expect(expected.batches.starts(with: found.batches), shown)
    }
    return expected.problem == nil
  }

  /// Cells of all kinds, both plain and not.
  private static let contents = [
    "t=\"inlineStr\"><is><t>Reef the main</t></is>", "t=\"inlineStr\"><is><t xml:space=\"preserve\"> a </t></is>",
    "t=\"s\"><v>0</v>", "t=\"s\"><v>1</v>", "s=\"2\" t=\"s\"><v>01</v>", "s=\"1\"><v>45352.5</v>",
    "s=\"2\"><v>0.07</v>", "><v>1.50</v>",
    "s=\"3\" t=\"n\"><v>7</v>", "t=\"b\"><v>1</v>", "t=\"e\"><v>#N/A</v>", "t=\"str\"><f>A1&amp;\"x\"</f><v>ж😀é</v>",
    "><f t=\"shared\" ref=\"A1:A2\" si=\"0\">1+1</f><v>2</v>", "><f/><v/>", "><v />", ">", "t=\"d\"><v>2024-03-01</v>",
    "t=\"inlineStr\"><is><t>a &lt;&gt;&quot;&apos;&amp; &#10;&#x1F600;&#xd;</t></is>",
    "t=\"str\"><v>]] ]&gt; > _x0041_\n\t</v>",
    "t=\"inlineStr\"><is><r><t>rich</t></r></is>", "t=\"str\"><v><![CDATA[<x>]]></v>", "t=\"str\"><!-- x --><v>y</v>",
    "t=\"inlineStr\" >\n <is>\n<t>one</t> <t>two</t><t/></is>\n", "t=\"inlineStr\"><is/>", "t='str'><v>quoted</v>",
  ]

  /// Returns rows that are mostly plain.
  private static func rows(_ random: inout SeededRandom, count: Int, oddities: Bool) -> String {
    var text = ""
    for row in 1...count {
      text += random.pick(["<row>", "<row r=\"\(row)\">", "<row r=\"\(row)\" spans=\"1:3\" x14ac:dyDescent=\"0.25\" >"])
      for column in 0..<random.below(4) {
        let content = random.pick(oddities ? contents : Array(contents.prefix(19)))
        text += random.pick(["<c ", "<c r=\"\(CellReference.text(column + 1, row))\" "]) + content + "</c>"
      }
      text += random.pick(["</row>", "</row>\r\n", "</row>\n<!-- -->"].prefix(oddities ? 3 : 2).map { $0 })
    }
    return text
  }

  @Test func readsAsTheParserDoes() throws {
    var random = SeededRandom(seed: 12)
    for round in 0..<150 {
      let rows = Self.rows(&random, count: 1 + random.below(30), oddities: round % 2 == 0)
      let sheet = Self.sheet(rows, after: "<mergeCells><mergeCell ref=\"A1:B1\"/></mergeCells>")
      #expect(try Self.check(sheet, pieces: random.pick([1, 7, 60, 1 << 18]), seed: UInt64(round)))
    }
    // Many batches, with one row in the middle that is not plain.
    let many = String(repeating: "<row><c t=\"str\"><v>Haul the anchor</v></c></row>", count: 9000)
    #expect(try Self.check(Self.sheet(many), pieces: 5000))
    #expect(try Self.check(Self.sheet(many + "<row><c t='str'><v>x</v></c></row>" + many), pieces: 5000))
    #expect(try !Self.check(Self.sheet(many + "<row><c></row>" + many), pieces: 5000))
  }

  @Test func keepsPlainRowsFromTheParser() throws {
    var random = SeededRandom(seed: 5)
    let sheet = Self.sheet(Self.rows(&random, count: 50, oddities: false))
    #expect(try Self.read(sheet, byParser: false, pieces: 1 << 18).wentByTheParser)
    // In another encoding, the same bytes have a different meaning.
    let text = String(decoding: sheet, as: UTF8.self)
    for other in ["windows-1252", "ISO-8859-1", "us-ascii"] {
      let sheet = Array(text.replacingOccurrences(of: "UTF-8", with: other).utf8)
      #expect(try !Self.read(sheet, byParser: false, pieces: 1 << 18).wentByTheParser)
      try Self.check(sheet)
    }
    // Text that looks like the beginning of the rows, but is not.
    for head in ["<!-- <sheetData> -->", "<![CDATA[<sheetData>]]>", "<x:sheetData><![CDATA[<sheetData>]]>"] {
      let sheet = Array(text.replacingOccurrences(of: "<cols/>", with: head).utf8)
      #expect(try !Self.read(sheet, byParser: false, pieces: 1 << 18).wentByTheParser)
      try Self.check(sheet)
    }
  }

  /// For any change to a sheet, either both readings accept the same rows, or neither accepts the sheet.
  @Test func refusesWhatTheParserRefuses() throws {
    var random = SeededRandom(seed: 77)
    let pieces = [
      "<", ">", "&", "\"", "'", "]]>", "]]", "/", " ", "=", "&amp;", "&#0;", "&#x1;", "&#xD800;", "&#xFFFE;",
      "&#x110000;",
      "&#;", "&#x;", "&nbsp;", "<!--", "-->", "<![CDATA[", "<?x?>", "<row", "</row>", "</c>", "<c", "<v>", "</v>",
      "<f>",
      "</sheetData>", "<sheetData>", " r=\"1\"", " r=\"1\" r=\"2\"", " a=\"1\" a=\"2\"", " a=\"<\"", "\r", "\n", "x",
      "1",
    ].map { Array($0.utf8) }
    let bytes: [[UInt8]] = [
      [0], [1], [0x1F], [0x7F], [0x80], [0xC0, 0x80], [0xC3], [0xC3, 0xA9], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
      [0xEF, 0xBF, 0xBE], [0xEF, 0xBF, 0xBF], [0xEF, 0xBF, 0xBD], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80], [0xFF], [0xE2, 0x82],
    ]
    // Each change is made at every position in a row.
    let row = Array("<row a=\"b\"><c s=\"0\" t=\"str\"><f>x</f><v>ab</v></c><c t=\"inlineStr\"/></row>".utf8)
    let around = Self.sheet("|").split(separator: UInt8(ascii: "|"))
    for at in 0...row.count {
      for piece in pieces + bytes {
        try Self.check(around[0] + row + row[..<at] + piece + row[at...] + row + around[1])
      }
    }
    var sound = 0
    for round in 0..<6000 {
      var sheet = Self.sheet(Self.rows(&random, count: 1 + random.below(4), oddities: round % 3 == 0))
      for _ in 0..<(1 + random.below(2)) {
        let at = random.below(sheet.count)
        switch random.below(5) {
        case 0: sheet.remove(at: at)
        case 1: sheet[at] = UInt8(random.below(256))
        case 2: sheet.insert(contentsOf: random.pick(bytes), at: at)
        case 3: sheet.insert(contentsOf: random.pick(pieces), at: at)
        default: sheet.removeSubrange(at..<min(sheet.count, at + random.below(12)))
        }
      }
      if try Self.check(sheet, pieces: random.pick([3, 200, 1 << 18]), seed: UInt64(round)) { sound += 1 }
    }
    // Both outcomes occur often enough to make the test meaningful.
    #expect(sound > 500 && sound < 5500)
  }
}
