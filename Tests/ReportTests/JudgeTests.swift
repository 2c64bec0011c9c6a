import Diagnostics
import Foundation
import Reports
import TestSupport
import Testing

/// Other tools accept our reports, for ordinary and for hostile content.
@Suite struct JudgeTests {
  private static let sarifSchema = "reports/sarif-schema-2.1.0.json"
  private static let junitSchema = "reports/junit.xsd"

  private static func texts(_ format: ReportFormat) throws -> [String] {
    let sample = try Sample()
    return [
      try sample.report(format), try Sample.write(format, sample.options, []),
      try Sample.write(format, sample.options, Hostile.findings(seed: 1, count: 200)),
    ]
  }

  @Test(.enabled(if: Judges.has("check-jsonschema") && Judges.has(suite: sarifSchema), Judges.reason))
  func sarifFollowsItsSchema() throws {
    for text in try Self.texts(.sarif) {
      let scratch = Scratch()
      let path = try scratch.write("findings.sarif", text)
      let answer = try Judges.run(
        "check-jsonschema", ["--schemafile", Judges.suite(Self.sarifSchema), path])
      #expect(answer.status == 0, "\(answer.output.prefix(2000)) \(answer.errors.prefix(2000))")
    }
  }

  @Test(.enabled(if: Shell.has("xmllint") && Judges.has(suite: junitSchema), Judges.reason))
  func junitFollowsItsSchema() throws {
    for text in try Self.texts(.junit) {
      let scratch = Scratch()
      let path = try scratch.write("junit.xml", text)
      let answer = try Shell.run("xmllint", ["--noout", "--schema", Judges.suite(Self.junitSchema), path])
      #expect(answer.status == 0, "\(answer.errors.prefix(2000))")
    }
  }
}
