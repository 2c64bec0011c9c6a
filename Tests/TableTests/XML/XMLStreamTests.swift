import Foundation
import Testing
import XMLStream

/// The texts that can be read, in every encoding and cut at any position.
@Suite struct XMLStreamTests {
  @Test func handsOutElementsAttributesAndText() throws {
    let events = try XMLRecorder.events(
      Array("<?xml version='1.0'?><a x='1' y='&lt;2&#10;'><!-- no --><b/>t&amp;u<![CDATA[<v>]]></a>".utf8))
    #expect(events == ["<a x:1 y:<2\n", "<b", ">b", "'t&u<v>", ">a"])
  }

  @Test(arguments: [1, 2, 3, 7, 64]) func readsTheSameHoweverItIsCut(_ piece: Int) throws {
    let text = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?><чек n='да ☑'>шаг 😀<b c='&#x1F600;'/></чек>".utf8)
    #expect(try XMLRecorder.events(text, piece: piece) == XMLRecorder.events(text))
  }

  @Test func knowsNamespacesWhenAskedTo() throws {
    var limits = XMLLimits()
    limits.readsNamespaces = true
    let text = Array("<a xmlns='urn:one' xmlns:q='urn:two'><q:b q:c='1' d='2'/></a>".utf8)
    #expect(
      try XMLRecorder.events(text, limits: limits) == [
        "<{urn:one}a", "<{urn:two}b {urn:two}c:1 d:2", ">{urn:two}b", ">{urn:one}a",
      ])
    #expect(XMLRecorder.problem("<a><q:b/></a>", limits: limits)?.description.hasPrefix("1:4: ") == true)
  }

  @Test func passesPrefixesOver() throws {
    final class Locals: XMLHandler {
      var found: [String] = []
      func begin(_ name: XMLName, _ attributes: XMLAttributes) {
        found.append(name.local.text)
        #expect(name.local.is("row") && !name.is("row") && !name.local.is("rows") && !name.local.is("ro"))
        #expect(attributes.value(local: "id").map { String(decoding: $0, as: UTF8.self) } == "7")
        #expect(attributes.text("r:id") == "7" && attributes["id"] == nil)
      }
      func end(_ name: XMLName) {}
      func text(_ bytes: Span<UInt8>) {}
    }
    let locals = Locals()
    let parser = try XMLStreamParser(locals)
    try parser.feed(Array("<x:row r:id='7'/>".utf8).span)
    try parser.finish()
    #expect(locals.found == ["row"])
  }

  @Test func understandsUTF16() throws {
    let text = "<?xml version='1.0' encoding='UTF-16'?><a>Шаг 😀</a>"
    for (mark, isBig) in [([UInt8(0xFF), 0xFE], false), ([0xFE, 0xFF], true)] {
      let bytes =
        mark + text.utf16.flatMap { isBig ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)] }
      #expect(try XMLRecorder.events(bytes) == ["<a", "'Шаг 😀", ">a"])
    }
  }

  @Test(arguments: [
    ("windows-1251", [UInt8(0xD8), 0xE0, 0xE3, 0xA8, 0xB9], "ШагЁ№"), ("CP1251", [0xFF], "я"),
    ("windows-1252", [0x80, 0x93, 0xE9], "€“é"), ("ISO-8859-1", [0xE9, 0xFC], "éü"),
    ("KOI8-R", [0xFB, 0xC1, 0xC7], "Шаг"),
    ("ISO-8859-5", [0xC8, 0xD0, 0xD3], "Шаг"), ("iso-8859-15", [0xA4], "€"), ("windows-1250", [0x9A], "š"),
  ])
  func understandsEncodingsThatAreNamed(_ name: String, _ bytes: [UInt8], _ text: String) throws {
    let all = Array("<?xml version='1.0' encoding='\(name)'?><a>".utf8) + bytes + Array("</a>".utf8)
    #expect(try XMLRecorder.events(all) == ["<a", "'" + text, ">a"])
  }

  @Test func stopsWhenItsHandlerDoes() throws {
    let recorder = XMLRecorder()
    recorder.refuses = "b"
    #expect(throws: XMLRecorder.Refusal.self) { try XMLRecorder.parse(Array("<a><b/><c/></a>".utf8), recorder) }
    #expect(recorder.events == ["<a"])
  }
}
