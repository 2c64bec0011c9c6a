import Foundation
import JSONText
import TestSupport
import Testing
import XMLStream

@testable import Spreadsheet

/// Plain shared texts bypass the parser. The result must equal the result of the parser alone.
@Suite struct PlainSharedStringsTests {
  private struct Outcome {
    var texts: [[UInt8]] = []
    /// The error at the end; nil for a sound part.
    var problem: String?
    var isRefusal = false
    var wentByTheParser = false
  }

  /// Reads a part in chunks of random sizes, optionally with the parser alone.
  private static func read(_ bytes: [UInt8], byParser: Bool, pieces: Int, seed: UInt64 = 1) throws -> Outcome {
    let strings = SharedStrings(expecting: bytes.count)
    let part = SharedStringsPart(strings)
    let parser = try XMLStreamParser(part)
    let feed = byParser ? nil : PlainFeed(parser, part)
    var outcome = Outcome()
    var random = SeededRandom(seed: seed)
    do {
      var at = 0
      while at < bytes.count {
        let end = min(bytes.count, at + 1 + random.below(pieces))
        let piece = Array(bytes[at..<end])
        if let feed { try feed.feed(piece.span) } else { try parser.feed(piece.span) }
        at = end
      }
      if let feed { try feed.finish() } else { try parser.finish() }
    } catch let problem as XMLProblem {
      (outcome.problem, outcome.isRefusal) = (problem.message, problem.isRefusal)
    } catch let problem as PartProblem {
      outcome.problem = problem.message
    }
    try strings.finish()
    var cursor = SharedStringCursor(strings)
    for index in 0..<strings.count { outcome.texts.append(try cursor.text(index).map { Array($0) } ?? []) }
    outcome.wentByTheParser = feed?.isPlaceLost ?? false
    return outcome
  }

  private static func part(_ items: String) -> [UInt8] {
    Array(
      ("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<sst xmlns=\"urn:x\" count=\"9\">" + items
        + "</sst>").utf8)
  }

  /// Compares both readings.
  /// - Returns: whether the part is sound.
  @discardableResult
  private static func check(_ bytes: [UInt8], pieces: Int = 1 << 18, seed: UInt64 = 1) throws -> Bool {
    let expected = try read(bytes, byParser: true, pieces: 1 << 18)
    let found = try read(bytes, byParser: false, pieces: pieces, seed: seed)
    let shown = Comment(rawValue: String(decoding: bytes.suffix(3000), as: UTF8.self))
    #expect((found.problem == nil) == (expected.problem == nil), shown)
    if expected.problem == nil { #expect(found.texts == expected.texts, shown) }
    return expected.problem == nil
  }

  /// A plain item, then items that only the parser accepts.
  private static let items = [
    "<si><t>Reef the main</t></si>", "<si><t xml:space=\"preserve\"> a \n</t></si>", "<si><t/></si>", "<si/>",
    "<si><t></t></si>", "<si><t>ж😀é &amp; &lt;&gt;&quot;&apos;&#10;&#x1F600;</t></si>",
    "<si><t>_x0041_ _x005F_x0041_ ]] ]&gt;</t></si>", "<si>\n <t>one</t>\r\n <t>two</t>\n</si>", "<si ><t >x</t></si>",
    "<si><r><t>rich</t></r><r><rPr><b/><sz val=\"11\"/><color rgb=\"FF0000\" /></rPr><t> text</t></r></si>",
    "<si><t>東京</t><rPh sb=\"0\" eb=\"2\"><t>トウキョウ</t></rPh><phoneticPr fontId=\"1\"/></si>",
    "<si>words between<t>kept</t></si>", "<si><t><![CDATA[<x>]]></t></si>", "<si><!-- x --><t>y</t></si>",
    "<x:si><x:t>prefixed</x:t></x:si>", "<si><t a='1'>quoted</t></si>", "<si><r><rPr><si/></rPr><t>z</t></r></si>",
    "<si><t>in<b>bold</b>out</t></si>", "<other><si><t>deep</t></si></other>", "<si><t>a</t><si><t>b</t></si></si>",
    "<si><rPh><t>a</t></rPh><t>b</t></si>", "<si><r><rPr></rPr></r></si>", "<?p?><si><t>a\rb</t></si>",
  ]

  @Test func readsAsTheParserDoes() throws {
    var random = SeededRandom(seed: 31)
    for round in 0..<300 {
      let known = round % 2 == 0 ? Self.items : Array(Self.items.prefix(11))
      var text = ""
      for _ in 0..<random.below(40) { text += random.pick(known) + random.pick(["", "", "\n", " "]) }
      let pieces = random.pick([1, 7, 60, 1 << 18])
      #expect(try Self.check(Self.part(text), pieces: pieces, seed: UInt64(round)))
    }
    // Each item comes first, last, alone, and after plain items.
    let plain = Self.items[0]
    for item in Self.items {
      for text in [item, item + plain, plain + item, plain + item + plain, item + item] {
        for pieces in [1, 1 << 18] { #expect(try Self.check(Self.part(text), pieces: pieces)) }
      }
    }
    // Many texts and a long text.
    let many = String(repeating: plain, count: 20_000)
    let long = "<si><t>" + String(repeating: "я_", count: 600_000) + "</t></si>"
    #expect(try Self.check(Self.part(many + long + many), pieces: 1 << 17))
  }

  @Test func keepsPlainTextsFromTheParser() throws {
    let text = Self.items.prefix(11).joined()
    #expect(try Self.read(Self.part(text), byParser: false, pieces: 1 << 18).wentByTheParser)
    // In another encoding, the same bytes have a different meaning.
    let part = String(decoding: Self.part(text), as: UTF8.self)
    for other in ["windows-1252", "ISO-8859-1"] {
      let other = Array(part.replacingOccurrences(of: "UTF-8", with: other).utf8)
      #expect(try !Self.read(other, byParser: false, pieces: 1 << 18).wentByTheParser)
      try Self.check(other)
    }
    // Text that looks like the beginning of a shared text, but is not.
    for head in ["<!-- <si> -->", "<x><![CDATA[<si>]]></x>", "<x><si><t>a</t></si></x>", "<?p <si> ?>"] {
      let other = Self.part(head + text)
      #expect(try !Self.read(other, byParser: false, pieces: 1 << 18).wentByTheParser)
      try Self.check(other)
    }
  }

  /// For any change, either both readings accept the same texts, or neither accepts the part.
  @Test func refusesWhatTheParserRefuses() throws {
    var random = SeededRandom(seed: 78)
    let pieces =
      [
        "<", ">", "&", "\"", "'", "]]>", "]]", "/", " ", "=", "&amp;", "&#0;", "&#x1;", "&#xD800;", "&#xFFFE;", "&#;",
        "&nbsp;", "<!--", "-->", "<![CDATA[", "<?x?>", "<si>", "</si>", "<si/>", "<t>", "</t>", "<t", "<r>", "</r>",
        "<rPr>", "</rPr>", "<rPh>", "</rPh>", "<b/>", "</sst>", "<sst>", " a=\"1\" a=\"2\"", " a=\"<\"", "\r", "\n",
        "x",
        "<!DOCTYPE x>", "<!DOCTYPE x [<!ENTITY a \"b\">]>",
      ].map { Array($0.utf8) } + [
        [0], [1], [0x7F], [0x80], [0xC0, 0x80], [0xC3], [0xED, 0xA0, 0x80], [0xEF, 0xBF, 0xBE],
        [0xF4, 0x90, 0x80, 0x80],
        [0xFF],
      ]
    var sound = 0
    for round in 0..<1500 {
      var text = ""
      for _ in 0..<(1 + random.below(5)) { text += random.pick(Self.items) }
      var bytes = Self.part(text)
      let at = random.below(bytes.count)
      switch round % 3 {
      case 0: bytes.insert(contentsOf: random.pick(pieces), at: at)
      case 1: bytes.removeSubrange(at..<min(bytes.count, at + 1 + random.below(8)))
      default: bytes.replaceSubrange(at..<(at + 1), with: random.pick(pieces))
      }
      if try Self.check(bytes, pieces: random.pick([1, 30, 1 << 18]), seed: UInt64(round)) { sound += 1 }
    }
    #expect(sound > 100)
    // The limits for hostile texts also apply after plain texts.
    let plain = Self.items[0]
    let deep = String(repeating: "<b>", count: 300)
    for hostile in [deep, "<si><t>" + deep, "<si a=\"" + String(repeating: "x", count: 3 << 20) + "\"/>"] {
      let bytes = Self.part(plain + plain + hostile)
      #expect(try Self.read(bytes, byParser: false, pieces: 1 << 18).isRefusal)
      try Self.check(bytes)
    }
    let long = Self.part(plain + "<si><t>" + String(repeating: "x", count: 9 << 20) + "</t></si>")
    #expect(try !Self.check(long))
    var entities = "<?xml version=\"1.0\"?><!DOCTYPE sst [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>"
    entities += "<sst><si><t>&b;</t></si></sst>"
    #expect(try Self.read(Array(entities.utf8), byParser: false, pieces: 1 << 18).isRefusal)
  }
}
