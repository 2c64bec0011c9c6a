import JSONText
import Testing

@Suite struct RepairTests {
  @Test(arguments: [
    ("[{\"a\":1,\"b\":[2,3],\"c", "[{\"a\":1,\"b\":[2,3]}]", false), ("[1,2", "[1]", false), ("[1,2,", "[1,2]", false),
    ("[\"half a tex", "[\"half a tex\"]", false), ("[1,,2,]", "[1,2]", true), ("{\"a\":1,}", "{\"a\":1}", true),
    ("{\"a\":True,\"b\":None,\"c\":NaN}", "{\"a\":true,\"b\":null,\"c\":null}", true), ("[1 2]", "[1,2]", true),
    ("[\"tab\there\"]", "[\"tab\\there\"]", true), ("['single']", "[\"single\"]", true), ("{\"broken\":", "{}", false),
    ("[\"\\ud800x\"]", "[\"\u{FFFD}x\"]", false), ("[\"C:\\dir\"]", "[\"C:dir\"]", true), ("[007]", "[\"007\"]", true),
    ("[1]]]", "[1]", false), ("{\"a\":{\"b\":[1", "{\"a\":{\"b\":[]}}", false),
    ("[{\"a\":1}{\"b\":2}]", "[{\"a\":1},{\"b\":2}]", true),
  ])
  func repairs(_ text: String, _ expected: String, _ isComplete: Bool) throws {
    let repaired = JSONRepair.repair(text.utf8.span)
    let result = try #require(repaired)
    #expect(String(decoding: result.text, as: UTF8.self) == expected)
    #expect(result.isComplete == isComplete)
  }

  @Test(arguments: ["", "   ", "hello", "]"])
  func givesUpOnWhatIsNoJSON(_ text: String) {
    let result = JSONRepair.repair(text.utf8.span)
    #expect(result == nil)
  }
}
