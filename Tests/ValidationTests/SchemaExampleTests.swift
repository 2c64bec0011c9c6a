import FleetKit
import Testing

/// The schemas before somebody else's judge: they are schemas, and their examples are what they ask for.
@Suite(.enabled(if: SchemaJudge.isWanted, SchemaJudge.reason)) struct SchemaExampleTests {
  @Test func everySchemaIsOne() throws {
    let answer = try SchemaJudge.check(["--check-metaschema"] + SchemaFile.names.map(SchemaFile.path))
    #expect(answer.status == 0, "\(answer.output)\(answer.errors)")
  }

  @Test func everyExampleIsValid() throws {
    var cases: [(schema: String, text: String)] = []
    for name in SchemaFile.names {
      for (pointer, schema) in try SchemaFile(name).subschemas {
        for example in schema["examples"]?.elements ?? [] {
          cases.append(("\(name).schema.json#\(pointer)", JSONTree(example).text))
        }
      }
    }
    #expect(cases.count > 400)
    for (one, verdict) in zip(cases, try SchemaJudge.judge(cases)) {
      #expect(verdict == nil, "\(one.schema): \(one.text)")
    }
  }

  /// A misspelled key of the configuration must not pass in silence.
  @Test(arguments: [
    #"{"selct":["all"]}"#, #"{"limits":{"glance":40}}"#, #"{"limits":{"glance_characters":19}}"#,
    #"{"paths":{"a/**":{"exclude":[]}}}"#, #"{"severity":{"empty-section":"fatal"}}"#, #"{"select":["empty section"]}"#,
    #"{"severity":{"a/b":"off"}}"#, #"{"version":2}"#, #"{"fail_on":"note"}"#, #"{"profile":"lint"}"#,
    #"{"words":"may"}"#,
    #"{"source":""}"#, #"[]"#,
  ])
  func aWrongConfigurationIsRefused(_ text: String) throws {
    #expect(try SchemaJudge.judge([("config.schema.json", text)]) != [nil])
  }

  /// What the registry's own tests send, and what they expect it to refuse.
  @Test func publishRequestsHaveTheLimitsOfTheInterface() throws {
    func request(_ changes: String) -> (schema: String, text: String) {
      let sound = #"{"title":"Fog","content_type":"checklist","content_data":{"sections":[]},"public_id":"fog-1""#
      return ("publish-request.schema.json", sound + changes + "}")
    }
    let long = String(repeating: "é", count: 500)
    let taken = [
      "", #","tags":[]"#, #","title":"\#(long)""#, #","content_data":{"id":"test-123","sections":[]}"#,
      #","content_data":{"sections":[{"title":"A","items":[{"title":"B","is_required":true}]}]}"#,
      #","content_type":"deck","content_data":{}"#, #","description":null,"forked_from_id":null"#,
    ]
    let refused = [
      #","title":"""#, #","title":"\#(long)é""#, #","content_data":"{}""#, #","language":"abcdefghijk""#,
      #","public_id":"a b""#, #","public_id":"""#, #","content_type":"note""#, #","forked_from_id":"7""#,
      #","can_fork":1"#,
      #","tags":[\#(Array(repeating: #""t""#, count: 21).joined(separator: ","))]"#,
      #","content_data":{"sections":{}}"#, #","content_data":{"sections":[{"items":[]}]}"#,
    ]
    let verdicts = try SchemaJudge.judge((taken + refused).map(request))
    #expect(verdicts.prefix(taken.count).allSatisfy { $0 == nil }, "\(verdicts)")
    #expect(verdicts.dropFirst(taken.count).allSatisfy { $0 != nil }, "\(verdicts)")
  }
}
