import Foundation
import JSONText
import TestSupport
import Testing

@testable import Markdown

@Suite struct TOMLFrontMatterTests {
  private let toml = """
    # Hugo
    title = "Engine: \\"cold\\" start" # said by the yard
    date = 2024-03-01T10:00:00+03:00
    draft = false
    weight = 7
    tags = [
      "engine", # one
      'winter\\n',
    ]
    summary = \"\"\"
    not plain
    \"\"\"
    place.name = "dotted"

    [params]
    title = "not this one"
    [taxonomies]
    tags = ["b"]

    """

  @Test func plainMembersAreRead() throws {
    let json = try #require(TOMLFrontMatter(Array(toml.utf8)).json)
    #expect(
      json.root.text == #"{"title":"Engine: \"cold\" start","date":"2024-03-01T10:00:00+03:00","draft":false,"#
        + #""weight":7,"tags":["engine","winter\\n"]}"#)
  }

  @Test func onlyTheMemberThatIsChangedChanges() throws {
    var front = TOMLFrontMatter(Array(toml.utf8))
    let done = [
      front.set("title", Array(#""New""#.utf8)), front.set("id", Array(#""A""#.utf8)), front.remove("weight"),
    ]
    #expect(done == [true, true, true])
    let expected = toml.replacing(#""Engine: \"cold\" start""#, with: #""New""#).replacing("weight = 7\n", with: "")
      .replacing("\n[params]", with: "id = \"A\"\n\n[params]")
    #expect(String(decoding: front.bytes, as: UTF8.self) == expected)
    let isObjectSet = front.set("document", Array("{}".utf8))
    #expect(!isObjectSet)
  }

  @Test(arguments: [
    "", "=", "a", "a =", "[", "[[", "a = [", "a = [[[1]]]", "a = \"", "\"a", "'", "a = {", "a=1,", "\\",
  ])
  func brokenTextsAreNoTrouble(_ text: String) {
    var front = TOMLFrontMatter(Array(text.utf8))
    _ = front.json
    _ = front.remove("a")
    _ = front.set("id", Array("\"x\"".utf8))
  }

  @Test func manyBracketsAreReadInTimeThatGrowsWithThem() {
    for line in ["a = [\n", "1=[1,\n"] {
      let front = TOMLFrontMatter(Array(String(repeating: line, count: 20_000).utf8))
      #expect(front.entries.isEmpty)
    }
  }

  @Test func linesOfValuesThatAreNotPlainAreNoMembers() {
    let text = """
      a = \"\"\"
      id = "wrong \\\"\"\"
      id = "wrong"
      \"\"\"
      b = [
        {x = 1},
      ]
      c = '''id = "wrong"'''
      id = "right"
      d = '''
      id = "never closed"
      """
    let front = TOMLFrontMatter(Array(text.utf8))
    #expect(front.entries.map(\.key) == ["id"])
    #expect(front.json?.root["id"]?.string == "right")
  }

  @Test func fencesComeBackAsTheyWereTyped() throws {
    let scratch = Scratch()
    let notes = [
      "hugo.md": "+++\r\ntitle = 'a'\r\n+++\r\nBody\r\n", "dots.md": "---  \ntitle: b\n...\nBody",
      "end.md": "---\nx: 1\n---",
    ]
    try FileManager.default.createDirectory(atPath: scratch["in"], withIntermediateDirectories: true)
    for (name, text) in notes { _ = try scratch.write("in/" + name, text) }
    #expect(try Shell.fleetkit("convert", scratch["in"], "--to", scratch["out/"], "-q").status == 0)
    for (name, text) in notes { #expect(try scratch.text("out/" + name) == text) }
  }
}
