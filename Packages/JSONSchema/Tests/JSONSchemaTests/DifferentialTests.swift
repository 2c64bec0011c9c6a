import Foundation
import JSONSchema
import JSONText
import TestTools
import Testing

/// Our verdicts compared with those of jsonschema-rs, on random documents and schemas.
///
/// FLEETKIT_DIFFERENTIAL sets the number of documents (600 by default), and FLEETKIT_FUZZ_SEED sets the first seed.
@Suite struct DifferentialTests {
  static let documents = Int(ProcessInfo.processInfo.environment["FLEETKIT_DIFFERENTIAL"] ?? "") ?? 600
  static let seed = UInt64(ProcessInfo.processInfo.environment["FLEETKIT_FUZZ_SEED"] ?? "") ?? 20260105

  @Test(.enabled(if: PythonJudge.isWanted, Judges.reason))
  func documentsOfRealSchemas() throws {
    var random = SeededRandom(seed: Self.seed)
    let samples = SampleSchemas.all
    let cases = try samples.map { sample in
      let seeds = try sample.valid.map { Tree(try JSONDocument(parsing: $0).root) }
      var documents = sample.valid
      while documents.count < Self.documents / samples.count {
        var tree = random.pick(seeds)
        for _ in 0..<1 + random.below(3) { tree = tree.mutated(&random) }
        documents.append(tree.text)
      }
      return PythonJudge.Case(schema: sample.schema, documents: documents)
    }
    let (valid, all) = try compare(cases)
    print("differential: \(all) documents against \(cases.count) schemas, \(valid) valid")
    // If all documents were valid, or none were, the test would prove nothing.
    #expect(valid > all / 20 && valid < all * 19 / 20)
  }

  @Test(.enabled(if: PythonJudge.isWanted, Judges.reason))
  func randomSchemas() throws {
    var random = RandomSchema(seed: Self.seed)
    let cases = (0..<max(20, Self.documents / 10)).map { _ in
      PythonJudge.Case(schema: random.schema(), documents: (0..<10).map { _ in random.document() })
    }
    let (valid, all) = try compare(cases)
    print("differential: \(all) documents against \(cases.count) random schemas, \(valid) valid")
    #expect(valid > all / 20 && valid < all * 19 / 20)
  }

  @Test(.enabled(if: PythonJudge.isWanted, Judges.reason))
  func schemasOfTheProject() throws {
    let folder = Paths.root + "/formats/schemas"
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
      .filter { $0.hasSuffix(".schema.json") }
    guard !names.isEmpty else { return }
    var set = SchemaSet()
    let schemas = try names.map { try String(contentsOfFile: folder + "/" + $0, encoding: .utf8) }
    for schema in schemas { _ = try set.add(JSONDocument(parsing: schema)) }
    var seeds: [Tree] = []
    for sample in ["curated-checklists.jsonl", "crew-handbook.json"] {
      let path = Paths.root + "/samples/" + sample
      guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
      let texts = sample.hasSuffix("l") ? text.split(separator: "\n").map(String.init) : [text]
      for text in texts {
        let root = try JSONDocument(parsing: text).root
        // The bundle, its records, and the content of the records.
        for value in [root] + (root["items"]?.elements ?? []) {
          seeds.append(Tree(value))
          if let content = value["content_data"] { seeds.append(Tree(content)) }
        }
      }
    }
    try #require(!seeds.isEmpty)
    var random = SeededRandom(seed: Self.seed)
    let cases = schemas.map { schema in
      var documents = seeds.map(\.text)
      while documents.count < max(40, Self.documents / schemas.count) {
        var tree = random.pick(seeds)
        for _ in 0..<1 + random.below(3) { tree = tree.mutated(&random) }
        documents.append(tree.text)
      }
      return PythonJudge.Case(schema: schema, documents: documents)
    }
    let (valid, all) = try compare(cases, in: set, resources: schemas)
    print("differential: \(all) documents against \(cases.count) schemas of the project, \(valid) valid")
  }

  /// Compares both verdicts for every case, and returns the number of valid documents and of all documents.
  private func compare(
    _ cases: [PythonJudge.Case], in known: SchemaSet? = nil, resources: [String] = []
  ) throws -> (valid: Int, all: Int) {
    let verdicts = try PythonJudge.verdicts(cases, resources: resources)
    var valid = 0
    var all = 0
    for (one, expected) in zip(cases, verdicts) {
      var set = known ?? SchemaSet()
      let document = try JSONDocument(parsing: one.schema)
      let uri = try known == nil ? set.add(document) : document.root["$id"]?.string ?? ""
      let schema: Schema
      do {
        schema = try set.compile(uri)
      } catch {
        #expect(expected.allSatisfy { $0 == "E" }, "\(error): \(one.schema)")
        continue
      }
      var run = SchemaRun(schema)
      for (text, verdict) in zip(one.documents, expected) {
        let (mine, violations) = try JSONDocument(parsing: text).withRoot { (run.isValid($0), run.violations($0)) }
        all += 1
        if mine { valid += 1 }
        #expect((mine ? "1" : "0") == verdict, "\(text) against \(one.schema)")
        #expect(violations.isEmpty == mine, "\(text) against \(one.schema)")
        for violation in violations {
          #expect(violation.span.upperBound <= text.utf8.count && !violation.message.isEmpty)
          #expect(violation.schemaLocation.contains("#"), "\(violation) \(one.schema)")
          #expect(!violation.message.contains("does not match the schema"), "\(text) against \(one.schema)")
        }
      }
    }
    return (valid, all)
  }
}
