import JSONText
import Testing

@testable import Markdown

@Suite struct CommentAttributesTests {
  private static let keys = ["id", "sort", "title", "tags", "members", "collapsed"]

  private func read(_ text: String) -> (attributes: CommentAttributes, range: Range<Int>)? {
    var text = text
    return text.withUTF8 { CommentAttributes.read($0.span, 0..<$0.count, keys: Self.keys) }
  }

  private func written(_ pairs: [(key: String, json: [UInt8])]) -> String {
    var out = ByteBuffer()
    CommentAttributes.write(pairs, into: &out)
    return String(decoding: out.bytes, as: UTF8.self)
  }

  @Test func wordsAndJSONAreRead() throws {
    let found = try #require(
      read("Oil <!-- id=0C7D-1 sort=7 title=\"a \\u002d\\u002d\\u003e b\" tags=[\"x y\",\"\\\"\"] -->  "))
    #expect(found.range.lowerBound == 4)
    let attributes = found.attributes
    #expect(attributes.text("id")?.string == "0C7D-1")
    #expect(attributes["sort"]?.string == "7")
    #expect(attributes.text("title")?.string == "a --> b")
    #expect(attributes.texts("tags")?.map(\.string) == ["x y", "\""])
  }

  @Test(arguments: [
    "<!-- a word -->", "<!-- id= -->", "<!-- id=1 id=2 -->", "<!-- other=1 -->", "<!-- id=\"a -->", "<!---->",
    "<!-- id=[1 -->", "<!-- id=1, sort=2 -->", "<!-- id=\"a\"b -->", "<!-- id=a>b -->", "-->", "<!-- id=1 --> more",
    "<!-- -->", "<!- id=1 -->", "<!-- title={\"a\" 1} -->", "<!-- id=a\u{E9} -->",
  ])
  func otherCommentsAreNotOurs(_ text: String) {
    #expect(read(text) == nil)
  }

  @Test(arguments: [
    "", "plain", "7", "true", "-", "--", "a--b", "---", "-->", "<!-- x -->", "\"", "\\", "\\u002d", "\n\r\t\u{0}",
    "é ж 😀 \u{301}",
    "a\\--\\\\>", "null", "1e5", "-0",
  ])
  func textsComeBack(_ text: String) throws {
    let comment = written([("title", CommentAttributes.json(Array(text.utf8))), ("sort", Array("-1.5e+3".utf8))])
    #expect(!comment.dropFirst(4).dropLast(3).contains("--"))
    #expect(!comment.contains("\n"))
    let found = try #require(read("x " + comment))
    #expect(found.attributes.text("title")?.bytes == Array(text.utf8))
    #expect(found.attributes["sort"]?.string == "-1.5e+3")
  }

  @Test func placesAreThoseOfTheNote() throws {
    let note = "- A <!-- title=\"ab\\u002d\\u002dcd\" members={\"k\":\"v\"} -->"
    let found = try #require(read(note))
    let title = try #require(found.attributes.text("title"))
    #expect(title.string == "ab--cd")
    #expect(Array(note.utf8)[title.source(of: 4..<6)].elementsEqual("cd".utf8))
    #expect(Array(note.utf8)[title.source(of: 0..<2)].elementsEqual("ab".utf8))
    let members = try #require(found.attributes.inside("members"))
    #expect(members.string == "\"k\":\"v\"")
    #expect(Array(note.utf8)[members.source(of: 0..<3)].elementsEqual("\"k\"".utf8))
  }
}
