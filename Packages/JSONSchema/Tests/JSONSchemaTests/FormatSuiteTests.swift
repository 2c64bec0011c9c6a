import Foundation
import JSONSchema
import JSONText
import TestTools
import Testing

/// The official suite's cases for formats and regular expressions, tested without a schema around them.
@Suite struct FormatSuiteTests {
  private static let folder = Paths.suites.map { $0 + "/json-schema/draft2020-12/optional" }

  private struct Group {
    let schema: JSONValue
    let tests: [(description: String, data: JSONValue, isValid: Bool)]
  }

  private static func groups(_ file: String) throws -> [Group] {
    let text = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    return try JSONDocument(parsing: text).root.elements.map { group in
      let tests = try #require(group["tests"]).elements.map { test in
        (
          try #require(test["description"]?.string), try #require(test["data"]),
          try #require(test["valid"]).bool == true
        )
      }
      return Group(schema: try #require(group["schema"]), tests: tests)
    }
  }

  @Test(.enabled(if: folder != nil, "the official suites are not there (FLEETKIT_SUITES)"))
  func everyFormatOfTheSuite() throws {
    let folder = try #require(Self.folder) + "/format"
    var count = 0
    for file in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() where file.hasSuffix(".json") {
      for group in try Self.groups(folder + "/" + file) {
        guard let name = group.schema["format"]?.string else { continue }
        let checker = try #require(FormatChecker(name), "format \(name)")
        for test in group.tests {
          guard let text = test.data.string else { continue }
          count += 1
          if checker.accepts(text) != test.isValid {
            Issue.record("\(name): \(test.description): \(text.debugDescription) should be \(test.isValid)")
          }
        }
      }
    }
    #expect(count > 300)
  }

  @Test(.enabled(if: folder != nil, "the official suites are not there (FLEETKIT_SUITES)"))
  func everyPatternOfTheSuite() throws {
    let folder = try #require(Self.folder)
    var count = 0
    let files = ["/ecmascript-regex.json", "/non-bmp-regex.json"].map { folder + $0 }
    for file in files + [folder + "/../pattern.json"] {
      for group in try Self.groups(file) {
        guard let pattern = group.schema["pattern"]?.string else { continue }
        let regex = try ECMARegex(pattern)
        for test in group.tests {
          guard let text = test.data.string else { continue }
          count += 1
          #expect((regex.search(text) == .match) == test.isValid, "\(pattern): \(test.description)")
        }
      }
    }
    #expect(count > 50)
  }
}
