import Foundation
import Testing
import XMLStream

/// XML texts that are refused, and the place of the error in an invalid text.
@Suite struct XMLHostileTests {
  @Test func refusesEntitiesThatGrow() {
    let problem = XMLRecorder.problem(
      """
      <?xml version="1.0"?>
      <!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">]>
      <lolz>&lol2;</lolz>
      """)
    #expect(problem?.isRefusal == true)
    #expect(problem?.line == 2)
  }

  @Test func fetchesNothing() {
    let text = "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>"
    #expect(XMLRecorder.problem(text)?.isRefusal == true)
    #expect(XMLRecorder.problem("<!DOCTYPE a SYSTEM \"http://127.0.0.1:1/a.dtd\"><a/>")?.isRefusal == true)
    #expect(XMLRecorder.problem("<!DOCTYPE a [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]><a/>")?.isRefusal == true)
  }

  @Test func allowsADocumentTypeByNameAlone() throws {
    var limits = XMLLimits()
    limits.allowsDocumentType = true
    let named = Array("<!DOCTYPE en-note SYSTEM 'http://127.0.0.1:1/enml2.dtd'><en-note>a</en-note>".utf8)
    #expect(try XMLRecorder.events(named, limits: limits) == ["<en-note", "'a", ">en-note"])
    #expect(XMLRecorder.problem("<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", limits: limits)?.isRefusal == true)
    let unknown = XMLRecorder.problem("<!DOCTYPE a SYSTEM 'x.dtd'>\n<a>&nbsp;</a>", limits: limits)
    #expect(unknown?.message.contains("'nbsp'") == true && unknown?.isRefusal == false)
    #expect(unknown?.line == 2)
    #expect(unknown?.column == 4)
  }

  @Test func refusesElementsThatLieTooDeep() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }
    #expect(XMLRecorder.problem(nested(256)) == nil)
    let tooDeep = XMLRecorder.problem(nested(257))
    #expect(tooDeep?.line == 1 && tooDeep?.column == 769 && tooDeep?.message.numbers == [256])
    #expect(XMLRecorder.problem(String(repeating: "<a>", count: 1_000_000))?.isRefusal == true)
  }

  @Test(arguments: ["<a b='", "<a ", "<", "<!--", "<?p "])
  func refusesTagsWithoutEnd(_ start: String) throws {
    var limits = XMLLimits()
    limits.token = 1 << 17
    let filling = start == "<a " ? "b " : "b"
    let text = "<r>" + start + String(repeating: filling, count: 1 << 20)
    let problem = XMLRecorder.problem(text, limits: limits)
    // A tag that is also invalid may be reported before it becomes too long.
    #expect(problem != nil)
    if start != "<a " { #expect(problem?.message.numbers == [131_072]) }
  }

  /// libxml2 compares each attribute and each namespace with all others.
  @Test func refusesCrowdedTags() throws {
    func tag(_ count: Int, _ name: String) -> String {
      "<a" + (0..<count).map { " \(name)\($0)='x'" }.joined() + ">"
    }
    #expect(XMLRecorder.problem(tag(1000, "b") + "</a>") == nil)
    let crowded = XMLRecorder.problem("<r>\n" + tag(1001, "b") + "</a></r>")
    #expect(crowded?.isRefusal == true && crowded?.message.numbers == [1000])
    #expect(crowded?.line == 2 && crowded?.column == 1)
    #expect(XMLRecorder.problem("<r>\n" + tag(60_000, "b"))?.description == crowded?.description)
    #expect(XMLRecorder.problem("<!--" + tag(60_000, "b") + "--><r/>") == nil)
    #expect(XMLRecorder.problem(tag(600, "xmlns:b") + "</a>") == nil)
    let declared = XMLRecorder.problem(tag(600, "xmlns:b") + "\n" + tag(600, "xmlns:c"))
    #expect(declared?.isRefusal == true && declared?.message.numbers == [1000] && declared?.line == 2)
    // The namespaces of elements that have ended do not count.
    let siblings = String(repeating: tag(600, "xmlns:b") + "</a>", count: 5)
    #expect(XMLRecorder.problem("<r>\(siblings)</r>") == nil)
  }

  @Test(arguments: ["<n%/>", "<?n% x?>", "<n a%=''/>", "<n xmlns='u%'/>", "<n p%:a=''/>"])
  func refusesEverNewNames(_ pattern: String) throws {
    let text = (0..<60_000).map { pattern.replacing("%", with: "\($0)") }.joined()
    let problem = XMLRecorder.problem("<r>\(text)</r>")
    #expect(problem?.isRefusal == true && problem?.message.numbers == [50_000])
  }

  @Test func letsTextBeLong() throws {
    var limits = XMLLimits()
    limits.token = 1 << 17
    let long = String(repeating: "x", count: 1 << 20)
    #expect(XMLRecorder.problem("<a>\(long)<![CDATA[\(long)]]></a>", limits: limits) == nil)
  }

  @Test(arguments: [
    ("<a>\n <b>\n</a>", "3:3"), ("<a>\n<b c=1/></a>", "2:6"), ("<a", "1:1"), ("<ab>", "1:5"), ("", "1:1"),
    ("<a/><b/>", "1:5"), ("<a>&nbsp;</a>", "1:4"), ("<a x='1' x='2'/>", "1:10"), ("<a>да \u{1}</a>", "1:7"),
    ("<?xml version='1.0' encoding='klingon'?><a/>", "1:31"),
  ])
  func saysWhereATextIsBroken(_ text: String, _ place: String) throws {
    let problem = try #require(XMLRecorder.problem(text))
    #expect("\(problem.line):\(problem.column)" == place && !problem.message.isEmpty)
    #expect(!problem.isRefusal)
  }

  @Test(arguments: [[UInt8(0xC3)], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF]])
  func refusesBytesThatAreNoUTF8(_ bytes: [UInt8]) {
    let text = Array("<a>".utf8) + bytes + Array("</a>".utf8)
    #expect(throws: XMLProblem.self) { try XMLRecorder.events(text) }
  }

  @Test func readsNothingAfterAProblem() throws {
    let recorder = XMLRecorder()
    let parser = try XMLStreamParser(recorder)
    #expect(throws: XMLProblem.self) { try parser.feed(Array("<a></b>".utf8).span) }
    #expect(throws: XMLProblem.self) { try parser.feed(Array("<c/>".utf8).span) }
    #expect(throws: XMLProblem.self) { try parser.finish() }
    #expect(recorder.events == ["<a"])
  }
}
