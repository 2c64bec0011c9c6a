import Foundation
import TestSupport
import Testing

/// The verdicts of `fleetkit validate --schema` and jsonschema-rs must agree on random documents, line by line.
///
/// `FLEETKIT_FUZZ_ROUNDS` sets the number of documents (at least 300).
@Suite(.enabled(if: SchemaJudge.isWanted, Judges.reason)) struct CommandAgreementFuzzTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let count = max(300, Int(environment["FLEETKIT_FUZZ_ROUNDS"] ?? "") ?? 300)
  private static let seed = UInt64(environment["FLEETKIT_FUZZ_SEED"] ?? "") ?? 1

  @Test func everyLineHasTheJudgesVerdict() throws {
    var random = SeededRandom(seed: Self.seed)
    let items = try Seeds.records().filter { $0.contains("\"content_type\":") && $0.utf8.count < 20_000 }
      .map(JSONTree.init(parsing:))
    var lines: [String] = []
    while lines.count < Self.count {
      var document = random.pick(items)
      for _ in 0..<random.below(4) { document = document.mutated(&random) }
      lines.append(document.text)
    }
    try #require(lines.allSatisfy { !$0.contains("\n") })
    let verdicts = try SchemaJudge.judge(lines.map { ("library-item.schema.json", $0) })
    let invalid = verdicts.count { $0 != nil }
    #expect(invalid > lines.count / 10 && invalid < lines.count * 9 / 10, "\(invalid) of \(lines.count)")

    let scratch = Scratch()
    let path = try scratch.write("documents.jsonl", lines.joined(separator: "\n") + "\n")
    let answer = try Shell.fleetkit("validate", "--schema", "library-item", path, "--report", "jsonl")
    #expect(answer.status == 1, "\(answer.errors)")
    var wrong: [Int: String] = [:]
    for text in answer.output.split(separator: "\n") {
      let finding = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      guard finding["kind"] as? String == "finding", finding["severity"] as? String == "error" else { continue }
      let line = try #require(finding["line"] as? Int)
      wrong[line] = "\(finding["pointer"] ?? ""): \(finding["message"] ?? "")"
    }
    var shown = 0
    for (index, verdict) in verdicts.enumerated() where (wrong[index + 1] != nil) != (verdict != nil) && shown < 10 {
      shown += 1
      Issue.record(
        "fleetkit \(wrong[index + 1] ?? "valid"), judge \(verdict ?? "valid"): \(lines[index].prefix(1500))")
    }

    // The worst line determines the exit status.
    let sound = lines.indices.filter { verdicts[$0] == nil }.map { lines[$0] }
    let soundPath = try scratch.write("sound.jsonl", sound.joined(separator: "\n"))
    #expect(try Shell.fleetkit("validate", "--schema", "library-item", soundPath).status == 0)
    for index in lines.indices.filter({ verdicts[$0] != nil }).prefix(10) {
      _ = try scratch.write("sound.jsonl", (sound + [lines[index]]).joined(separator: "\n"))
      #expect(try Shell.fleetkit("validate", "--schema", "library-item", soundPath).status == 1)
    }
  }
}
