import FleetKit
import Foundation
import TestSupport
import Testing

/// The schemas, checked with another project's validator: they are valid schemas, and their examples satisfy them.
@Suite(.enabled(if: SchemaJudge.isWanted, Judges.reason)) struct SchemaExampleTests {
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

  /// The commands on the schema page, run on the sample for continuous integration.
  @Test func theSampleOfARepositoryIsSound() throws {
    let sample = Seeds.samples + "/ci"
    let config = try SchemaJudge.check(["--schemafile", "config.schema.json", sample + "/.fleetkit.yml"])
    #expect(config.status == 0, "\(config.output)\(config.errors)")
    let files = try FileManager.default.subpathsOfDirectory(atPath: sample).filter { $0.hasSuffix(".json") }
    #expect(files.count == 4)
    let base = ["--schemafile", "bundle.schema.json", "--base-uri", "file://" + SchemaFile.folder + "/"]
    let bundles = try SchemaJudge.check(base + files.map { sample + "/" + $0 })
    #expect(bundles.status == 0, "\(bundles.output)\(bundles.errors)")
    let scratch = Scratch()
    let wrong = try SchemaJudge.check(
      base + [try scratch.write("wrong.json", #"{"content_type":"checklist","title":5}"#)])
    #expect(wrong.status == 1 && wrong.output.contains("$.title"), "\(wrong.output)\(wrong.errors)")

    let findings = DiagnosticLog(keepPerCode: 10)
    let context = RunContext(findings: findings, now: Timestamp(milliseconds: 0))
    var types: Set<String> = []
    let rejected = try RecordScan(sources: SourceList([sample])).run(context: context) { record in
      types.insert(try record.document().root["content_type"]?.string ?? "")
    }
    #expect(rejected == 0 && findings.kept.isEmpty, "\(findings.kept)")
    #expect(types == ["checklist", "practice_guide", "flashcard_deck"])
  }

  /// A misspelled key in the configuration must be reported.
  @Test(arguments: [
    #"{"selct":["all"]}"#, #"{"limits":{"glance":40}}"#, #"{"limits":{"glance_characters":19}}"#,
    #"{"paths":{"a/**":{"exclude":[]}}}"#, #"{"severity":{"empty-section":"fatal"}}"#, #"{"select":["empty section"]}"#,
    #"{"severity":{"a/b":"off"}}"#, #"{"version":2}"#, #"{"fail_on":"notes"}"#, #"{"profile":"lint"}"#,
    #"{"words":"may"}"#,
    #"{"source":""}"#, #"[]"#,
  ])
  func aWrongConfigurationIsRefused(_ text: String) throws {
    #expect(try SchemaJudge.judge([("config.schema.json", text)]) != [nil])
  }

  /// Requests from the registry's own tests, including the requests that these tests expect to be refused.
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
