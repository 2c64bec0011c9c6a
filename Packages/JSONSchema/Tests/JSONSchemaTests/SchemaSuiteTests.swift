import Foundation
import JSONSchema
import JSONText
import TestTools
import Testing

/// The official suite of draft 2020-12: every case must yield the verdict that the suite expects.
@Suite struct SchemaSuiteTests {
  static let folder = (Paths.suites ?? "") + "/json-schema"
  static let isThere = FileManager.default.fileExists(atPath: folder + "/draft2020-12")

  /// Cases that are not supported, with the reasons.
  static let refused = [
    "cross-draft.json": "a schema of another draft is refused by name, by design"
  ]

  @Test(.enabled(if: isThere, "the folder of official suites is not there (FLEETKIT_SUITES)"))
  func requiredCases() throws {
    let count = try SuiteCount(folder: Self.folder, "draft2020-12", options: SchemaOptions())
    print("draft2020-12: \(count.passed)/\(count.all) required")
    #expect(count.failures == [])
    #expect(count.all > 900)
  }

  /// The same cases with every character of every string escaped, both in schemas and in data.
  @Test(.enabled(if: isThere, "the folder of official suites is not there (FLEETKIT_SUITES)"))
  func requiredCasesInEscapes() throws {
    let count = try SuiteCount(
      folder: Self.folder, "draft2020-12", options: SchemaOptions(), spelling: SuiteCount.escaped)
    #expect(count.failures == [])
    #expect(count.all > 900)
  }

  @Test(.enabled(if: isThere, "the folder of official suites is not there (FLEETKIT_SUITES)"))
  func optionalCases() throws {
    let count = try SuiteCount(
      folder: Self.folder, "draft2020-12/optional", options: SchemaOptions(), except: Set(Self.refused.keys))
    print("draft2020-12: \(count.passed)/\(count.all) optional")
    for (name, reason) in Self.refused { print("draft2020-12: optional/\(name) is left out: \(reason)") }
    #expect(count.failures == [])
  }

  @Test(.enabled(if: isThere, "the folder of official suites is not there (FLEETKIT_SUITES)"))
  func formatCases() throws {
    let count = try SuiteCount(
      folder: Self.folder, "draft2020-12/optional/format", options: SchemaOptions(assertsFormat: true))
    print("draft2020-12: \(count.passed)/\(count.all) optional/format")
    #expect(count.failures == [])
  }

  @Test(.enabled(if: isThere, "the folder of official suites is not there (FLEETKIT_SUITES)"))
  func anotherDraftIsRefusedByName() throws {
    var set = SchemaSet()
    set.remotes = SuiteCount.remotes(Self.folder)
    let uri = try set.add(
      JSONDocument(parsing: #"{"$ref": "http://localhost:1234/draft2019-09/ignore-prefixItems.json"}"#))
    let error = #expect(throws: SchemaError.self) { try set.compile(uri) }
    #expect(error?.message.contains("draft 2019-09") == true)
    #expect(error?.place.uri == "http://localhost:1234/draft2019-09/ignore-prefixItems.json")
    #expect(error?.place.pointer.description == "/$schema")
  }
}

/// Runs the files of one folder of the suite.
struct SuiteCount {
  private(set) var passed = 0
  private(set) var all = 0
  private(set) var failures: [String] = []

  /// Returns the suite's remote schemas under the URIs that its documentation requires.
  static func remotes(_ folder: String) -> @Sendable (String) throws -> JSONDocument? {
    let remotes = SchemaFolder(folder + "/remotes").remotes
    return { $0.hasPrefix("http://localhost:1234/") ? try remotes($0) : nil }
  }

  /// Returns the same JSON with every character of every string written as an escape.
  static func escaped(_ value: JSONValue) -> String {
    func string(_ text: String) -> String {
      let escapes = text.utf16.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
      return "\"" + escapes.joined() + "\""
    }
    switch value.kind {
    case .string: return string(value.string ?? "")
    case .array: return "[" + value.elements.map(escaped).joined(separator: ",") + "]"
    case .object:
      return "{" + value.members.map { string($0.name) + ":" + escaped($0.value) }.joined(separator: ",") + "}"
    default: return value.text
    }
  }

  init(
    folder: String, _ part: String, options: SchemaOptions, except: Set<String> = [],
    spelling: (JSONValue) -> String = { $0.text }
  ) throws {
    let path = folder + "/" + part
    for name in try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    where name.hasSuffix(".json") && !except.contains(name) {
      let file = try JSONDocument(parsing: [UInt8](Data(contentsOf: URL(fileURLWithPath: path + "/" + name))))
      for group in file.root.elements { try run(group, in: name, folder: folder, options: options, spelling) }
    }
  }

  private mutating func run(
    _ group: JSONValue, in file: String, folder: String, options: SchemaOptions, _ spelling: (JSONValue) -> String
  ) throws {
    let title = file + ": " + (group["description"]?.string ?? "")
    guard let text = group["schema"].map(spelling), let tests = group["tests"]?.elements else { return }
    all += tests.count
    let schema: Schema
    do {
      var set = SchemaSet()
      set.remotes = Self.remotes(folder)
      let uri = try set.add(JSONDocument(parsing: text))
      schema = try set.compile(uri, options: options)
    } catch {
      failures.append("\(title): \(error)")
      return
    }
    var run = SchemaRun(schema)
    for test in tests {
      guard let data = test["data"], let valid = test["valid"]?.bool else { continue }
      let document = try JSONDocument(parsing: spelling(data))
      let (verdict, violations) = document.withRoot { (run.isValid($0), run.violations($0)) }
      if verdict == valid, violations.isEmpty == verdict {
        passed += 1
      } else {
        failures.append("\(title): \(test["description"]?.string ?? "") is \(verdict), \(violations.map(\.message))")
      }
    }
  }
}

extension JSONDocument {
  /// Passes the root value to a body.
  func withRoot<Result>(_ body: (JSONNode) throws -> Result) rethrows -> Result {
    try withNode(root.tokenIndex, body)
  }
}
