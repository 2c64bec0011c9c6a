import Foundation

/// Runs `make bench-large`: benchmarks that are too large for everyday use. They show whether memory and the time per
/// record stay constant when a bundle grows tenfold, and whether one JSON document of two gigabytes streams.
struct LargeBench {
  let folder: String
  let command: String
  let rounds: Int

  private static let sizes = [10_000, 100_000, 1_000_000]
  /// The number of records in a document of a little more than two gigabytes.
  private static let documentRecords = 610_000

  /// Measures and prints the results; large files are removed again.
  func run() throws {
    Bench.say("                            wall     a record: wall   program   system     peak memory (RssAnon)")
    for count in Self.sizes {
      let bundle = try Bench.bundle(count, in: folder)
      try measure(".jsonl → library", count, from: bundle, to: path("library.sqlite"))
      try measure("library → .jsonl", count, from: path("library.sqlite"), to: path("copy.jsonl"))
      remove(["library.sqlite", "copy.jsonl"] + (count > 100_000 ? ["bundle-\(count).jsonl"] : []))
    }
    let document = path("document.json")
    var generator = BundleGenerator()
    try generator.write(Self.documentRecords, to: document, as: .document)
    let size = Double(Bench.size(document)) / 1e9
    Bench.say(String(format: "one .json document of %.2f GB, %d records", size, Self.documentRecords))
    try measure(".json → .jsonl", Self.documentRecords, from: document, to: path("copy.jsonl"))
    remove(["copy.jsonl"])
    try measure(".json → library", Self.documentRecords, from: document, to: path("library.sqlite"))
    remove(["library.sqlite", "document.json"])
  }

  private func measure(_ what: String, _ count: Int, from source: String, to target: String) throws {
    var runs: [ChildRun] = []
    for _ in 0..<rounds {
      try? FileManager.default.removeItem(atPath: target)
      runs.append(try ChildRun.run(command, ["convert", source, "--to", target, "-q"]))
    }
    let wall = Bench.median(runs.map(\.seconds))
    let label = "\(count) \(what)".padding(toLength: 24, withPad: " ", startingAt: 0)
    let each = [wall, Bench.median(runs.map(\.user)), Bench.median(runs.map(\.system))].map { $0 / Double(count) * 1e6 }
    let peak = Double(runs.map(\.peakAnonymous).max() ?? 0) / 1e6
    Bench.say(
      String(
        format: "%@%6.2f s          %5.1f µs  %5.1f µs %5.1f µs    %6.1f MB", label as NSString, wall, each[0], each[1],
        each[2], peak))
  }

  private func path(_ name: String) -> String { "\(folder)/\(name)" }

  private func remove(_ names: [String]) {
    for name in names { try? FileManager.default.removeItem(atPath: path(name)) }
  }
}
