import Foundation
import JSONText
import Testing
import XMLStream

/// Every text records its byte range in the file, however the file is split into chunks.
@Suite struct XMLRangeTests {
  /// Records each text with its bytes, and the places of tags.
  private final class Ranges: XMLHandler {
    weak var parser: XMLStreamParser?
    var texts: [(text: String, range: Range<Int>)] = []
    var tags: [String] = []

    func begin(_ name: XMLName, _ attributes: XMLAttributes) { note() }
    func end(_ name: XMLName) { note() }
    func text(_ bytes: Span<UInt8>) {
      guard let parser else { return }
      texts.append((String(decoding: bytes), parser.sourceRange))
    }

    private func note() {
      guard let parser else { return }
      tags.append("\(parser.position.line):\(parser.position.column) \(parser.sourceRange)")
    }
  }

  private static func read(_ bytes: [UInt8], cutAt cuts: [Int]) throws -> Ranges {
    let ranges = Ranges()
    let parser = try XMLStreamParser(ranges)
    ranges.parser = parser
    var at = 0
    for end in cuts + [bytes.count] {
      try parser.feed(Array(bytes[at..<end]).span)
      at = end
    }
    try parser.finish()
    return ranges
  }

  /// Joins pieces of a text that follow each other without a gap.
  private static func joined(_ ranges: Ranges) -> [String] {
    var joined: [(text: String, range: Range<Int>)] = []
    for (text, range) in ranges.texts {
      if let last = joined.last, last.range.upperBound == range.lowerBound {
        joined[joined.count - 1] = (last.text + text, last.range.lowerBound..<range.upperBound)
      } else {
        joined.append((text, range))
      }
    }
    return joined.map { "\($0.text) \($0.range)" }
  }

  private static let text =
    "<a>x&amp;ж\r\n&#x1F600;<b c='>'>да\ry</b><![CDATA[1]]]]><![CDATA[>\r\n]]>]]<!-- no -->z\n<c/></a>"

  @Test func knowsTheBytesOfEveryText() throws {
    let bytes = Array(Self.text.utf8)
    let ranges = try Self.read(bytes, cutAt: [])
    #expect(
      Self.joined(ranges) == [
        "x&ж\n😀 3..<22", "да\ny 31..<37", "1]] 50..<53", ">\n 65..<68", "]] 71..<73", "z\n 84..<86",
      ])
    for (text, range) in ranges.texts where !text.contains("&") && !text.contains("😀") {
      let source = String(decoding: bytes[range], as: UTF8.self)
      #expect(source.replacing("\r\n", with: "\n").replacing("\r", with: "\n") == text)
    }
    #expect(
      ranges.tags == [
        "1:1 0..<3", "2:10 22..<31", "3:2 37..<41", "5:1 86..<90", "5:5 90..<90", "5:5 90..<94",
      ])
  }

  @Test func knowsThemHoweverTheFileIsCut() throws {
    let bytes = Array(Self.text.utf8)
    let whole = try Self.read(bytes, cutAt: [])
    for first in 0..<bytes.count {
      for second in [first, first + 1, first + 7] where second <= bytes.count {
        let cut = try Self.read(bytes, cutAt: [first, second])
        #expect(Self.joined(cut) == Self.joined(whole) && cut.tags == whole.tags, "cut at \(first), \(second)")
      }
    }
    let single = try Self.read(bytes, cutAt: Array(0..<bytes.count))
    #expect(Self.joined(single) == Self.joined(whole) && single.tags == whole.tags)
  }

  /// In other encodings, ranges count the bytes of the text in UTF-8, after the bytes of the byte order mark.
  @Test func knowsThemInOtherEncodings() throws {
    let units = Array("<a>жx😀&lt;я</a>".utf16)
    let utf16: [UInt8] = [0xFF, 0xFE] + units.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    #expect(try Self.joined(Self.read(utf16, cutAt: [9, 13])) == ["жx😀<я 5..<18"])
    let head = Array("<?xml version='1.0' encoding='windows-1251'?><a>".utf8)
    let cyrillic = head + [0xD8, 0xE0, 0xE3] + Array("</a>".utf8)
    #expect(try Self.joined(Self.read(cyrillic, cutAt: [])) == ["Шаг 48..<54"])
    let marked = [0xEF, 0xBB, 0xBF] + Array("<a>ж</a>".utf8)
    #expect(try Self.joined(Self.read(marked, cutAt: [])) == ["ж 6..<8"])
  }

  @Test func knowsTheBytesOfAttributes() throws {
    final class Values: XMLHandler {
      weak var parser: XMLStreamParser?
      var ranges: [Range<Int>?] = []
      func begin(_ name: XMLName, _ attributes: XMLAttributes) {
        ranges += [parser?.sourceRange(ofAttribute: "x:b"), parser?.sourceRange(ofAttribute: "c")]
      }
      func end(_ name: XMLName) {}
      func text(_ bytes: Span<UInt8>) {}
    }
    let bytes = Array("<a d='c='\n x:b = \"1 &lt; '2'\" c='>'>&amp;<b c=''/><!-- c='' --><b/></a>".utf8)
    for piece in [bytes.count, 1] {
      let values = Values()
      let parser = try XMLStreamParser(values)
      values.parser = parser
      for start in stride(from: 0, to: bytes.count, by: piece) {
        try parser.feed(Array(bytes[start..<start + piece]).span)
      }
      try parser.finish()
      #expect(values.ranges == [18..<28, 33..<34, nil, 47..<47, nil, nil])
    }
  }

  @Test func knowsThemInLongTexts() throws {
    let piece = "длинный текст ]] \r\n"
    let plain = String(repeating: piece + "&amp;", count: 3000)
    let section = String(repeating: piece + "]>", count: 3000)
    let bytes = Array("<a>\(plain)<![CDATA[\(section)]]></a>".utf8)
    for cuts in [[], stride(from: 1000, to: bytes.count, by: 1000).map { $0 }] {
      let ranges = try Self.read(bytes, cutAt: cuts)
      var last = 3
      for (text, range) in ranges.texts {
        let source = String(decoding: bytes[range], as: UTF8.self).replacing("\r\n", with: "\n")
        #expect(source == (text == "&" ? "&amp;" : text))
        #expect(range.lowerBound == last || range.lowerBound == last + 9)
        last = range.upperBound
      }
      #expect(last == bytes.count - 7)
      #expect(ranges.texts.count < 30_000)
    }
  }
}
