import JSONText
import TestSupport
import Testing
import YAMLText

/// The places of values in YAML texts.
@Suite struct YAMLPlaceTests {
  /// Returns a place as `line:column-endColumn`.
  private func place(_ document: YAMLDocument, _ pointer: String, name: Bool = false) throws -> String {
    guard let found = document.position(of: try #require(JSONPointer(pointer)), name: name) else { return "none" }
    return "\(found.line):\(found.column)" + (found.endColumn.map { "-\($0)" } ?? "")
  }

  @Test(arguments: ["\n", "\r\n"])
  func everyValueHasItsPlace(_ lineEnd: String) throws {
    let yaml = [
      "# made by hand", "version: 1", "ключ: 'значение'  # text", "list:", "  - one", "  - &two \"двa\"",
      "  - *two", "flow: {a: [1, 2], b: }", "block: |", "  text", "long: one", "  two", "inner: &in", "  deep: yes",
      "again: *in", "tagged: !!str 5", "emoji 😀: [😀, x]",
    ].joined(separator: lineEnd)
    let document = try YAMLDocument(parsing: yaml)
    let expected = [
      "": "2:1", "/version": "2:10-11", "/ключ": "3:7-17", "/list": "5:3", "/list/0": "5:5-8", "/list/1": "6:10-15",
      "/list/2": "7:5-9", "/flow": "8:7-23", "/flow/a": "8:11-17", "/flow/a/1": "8:15-16", "/flow/b": "8:22",
      "/block": "9:8", "/long": "11:7", "/inner": "14:3", "/inner/deep": "14:9-12", "/again": "15:8-11",
      "/again/deep": "14:9-12", "/tagged": "16:15-16", "/emoji 😀": "17:10-16", "/emoji 😀/1": "17:14-15",
      "/missing": "none", "/list/3": "none",
    ]
    for (pointer, place) in expected {
      let found = try self.place(document, pointer)
      #expect(found == place, "\(pointer)")
    }
    let names = [
      "/version": "2:1-8", "/ключ": "3:1-5", "/flow/a": "8:8-9", "/flow/b": "8:19-20", "/again/deep": "14:3-7",
      "/emoji 😀": "17:1-8", "/list/0": "none", "": "none",
    ]
    for (pointer, place) in names {
      let found = try self.place(document, pointer, name: true)
      #expect(found == place, "\(pointer)")
    }
  }

  @Test func aByteOrderMarkIsNoColumn() throws {
    #expect(try place(try YAMLDocument(parsing: "\u{FEFF}a: 1"), "/a") == "1:4-5")
  }

  @Test func otherLineEndsAreNoLineEnds() throws {
    let document = try YAMLDocument(parsing: "a: \"x\u{2028}y\u{85}z\"\nb: 1")
    #expect(try place(document, "/b") == "2:4-5")
    #expect(try place(document, "/a") == "1:4-11")
  }

  @Test func placesInVeryLongLinesAreExactAndQuick() throws {
    let count = 20_000
    let yaml = "[" + (0..<count).map { "&a\($0) ж\($0)" }.joined(separator: ", ") + "]"
    let document = try YAMLDocument(parsing: yaml)
    let elements = document.json.root.elements
    #expect(elements.count == count)
    let line = Array(yaml.unicodeScalars)
    for index in stride(from: 0, to: count, by: 997) {
      let found = try #require(document.position(of: elements[index]))
      let end = try #require(found.endColumn)
      #expect(String(String.UnicodeScalarView(line[(found.column - 1)..<(end - 1)])) == "ж\(index)")
    }
  }

  /// Plain and quoted scalars in random texts are at the recorded places.
  @Test func placesOfRandomTextsAreExact() throws {
    var random = SeededRandom(seed: 11)
    for _ in 0..<300 {
      let names = (0..<random.below(6) + 1).map { "\(random.pick(["имя", "name", "n"]))\($0)" }
      var yaml = random.pick(["", "---\n", "# é\n\n"])
      for name in names {
        let value = random.pick(["text", "'é'", "\"\\u0041\"", "12", "[1, é]", "{a: 'ж'}"])
        yaml += name + ": " + random.pick(["", " ", "&a ", "&b   "]) + value + random.pick(["\n", "  # c\n", "\r\n"])
      }
      let lines = yaml.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(Array.init)
      let document = try YAMLDocument(parsing: yaml)
      for (name, value) in document.json.root.members {
        let place = try #require(document.position(of: value, name: true))
        let end = try #require(place.endColumn)
        let text = String(String.UnicodeScalarView(lines[place.line - 1][(place.column - 1)..<(end - 1)]))
        #expect(text == name)
        let at = try #require(document.position(of: value))
        let written = String(
          String.UnicodeScalarView(lines[at.line - 1][(at.column - 1)..<(try #require(at.endColumn) - 1)]))
        #expect(try YAMLDocument(parsing: written).json.root.means(value), "\(written) in \(yaml)")
      }
    }
  }
}
