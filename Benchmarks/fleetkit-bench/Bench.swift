import Foundation

/// Runs `make bench`, which compares FleetKit with the bare loop in the same run on the same machine.
/// docs/benchmarks.md explains the method.
@main
struct Bench {
  static func main() throws {
    let arguments = CommandLine.arguments
    if arguments.count == 4, arguments[1].hasPrefix("generate"), let count = Int(arguments[2]) {
      var generator = BundleGenerator(arguments[1].hasSuffix("foreign") ? .foreign : .own)
      if arguments[3].hasSuffix("/") { return try generator.writeFiles(count, to: arguments[3]) }
      return try generator.write(count, to: arguments[3], as: arguments[3].hasSuffix(".json") ? .document : .lines)
    }
    // This runs a bare loop alone, for foreign.py, and prints its time including the sync, in seconds.
    if arguments.count == 4, arguments[1] == "bare-write" || arguments[1] == "bare-read" {
      let loop = arguments[1] == "bare-write" ? BareLoops.write(rowsOf:to:) : BareLoops.read(_:to:)
      let (rows, sync) = loop(arguments[2], arguments[3])
      return say("\(rows + sync)")
    }
    if arguments.dropFirst().first?.hasPrefix("-") ?? false {
      return say(
        "fleetkit-bench [FOLDER [PART]]: FOLDER gets the test data (default: bench-data); PART is libraries, changes, "
          + "validate, vault, pack, backup, tables, sync or large. BENCH_ROUNDS: the number of rounds.")
    }
    let folder = arguments.dropFirst().first ?? "bench-data"
    let only = arguments.dropFirst(2).first
    let rounds = Int(ProcessInfo.processInfo.environment["BENCH_ROUNDS"] ?? "") ?? (only == nil ? 5 : 3)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let command = URL(fileURLWithPath: arguments[0]).deletingLastPathComponent().path + "/fleetkit"
    if only == "large" { return try LargeBench(folder: folder, command: command, rounds: rounds).run() }
    let parts: [(name: String, run: () throws -> Void)] = [
      ("libraries", Bench(folder: folder, command: command, rounds: rounds).run),
      ("changes", ChangeBench(folder: folder, command: command, rounds: rounds).run),
      ("validate", ValidateBench(folder: folder, command: command, rounds: rounds).run),
      ("vault", VaultBench(folder: folder, command: command, rounds: rounds).run),
      ("pack", PackBench(folder: folder, command: command, rounds: rounds).run),
      ("backup", BackupBench(folder: folder, command: command, rounds: rounds).run),
      ("tables", TableBench(folder: folder, command: command, rounds: rounds).run),
      ("sync", SyncBench(folder: folder, command: command, rounds: rounds).run),
    ]
    for part in parts where only == nil || only == part.name {
      if part.name != parts[0].name, only == nil { say("") }
      try part.run()
    }
  }

  /// Returns a bundle of `count` checklists, which is made if it does not exist yet.
  static func bundle(_ count: Int, in folder: String) throws -> String {
    let bundle = "\(folder)/bundle-\(count).jsonl"
    if !FileManager.default.fileExists(atPath: bundle) {
      var generator = BundleGenerator()
      try generator.write(count, to: bundle)
    }
    return bundle
  }

  /// Prints a line immediately: a figure is visible as soon as it is measured, even in a file.
  static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  static func size(_ path: String) -> Int {
    ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int) ?? 0
  }

  let folder: String
  let command: String
  let rounds: Int

  func run() throws {
    let counts = [10_000, 100_000]
    var memory: [(Int, Int, Int)] = []
    for count in counts {
      let bundle = try Self.bundle(count, in: folder)
      let bytes = Self.size(bundle)
      Self.say(
        "\(count) checklists, \(bytes / count) bytes each, \(bytes / 1_000_000) MB of .jsonl; median of \(rounds)")
      memory.append(try measure(bundle, count, bytes))
      Self.say("")
    }
    Self.say("peak memory (RssAnon)        .jsonl → library   library → .jsonl")
    for (count, writing, reading) in memory {
      Self.say(
        String(
          format: "  %9d records          %6.1f MB            %6.1f MB", count, Double(writing) / 1e6,
          Double(reading) / 1e6))
    }
  }

  private func measure(_ bundle: String, _ count: Int, _ bytes: Int) throws -> (Int, Int, Int) {
    let library = "\(folder)/library.sqlite"
    let copy = "\(folder)/copy.jsonl"
    var ours: [[ChildRun]] = [[], []]
    var bare: [[(rows: Double, sync: Double)]] = [[], []]
    var memory = [0, 0]
    for _ in 0..<rounds {
      try? FileManager.default.removeItem(atPath: library)
      let writing = try ChildRun.run(command, ["convert", bundle, "--to", library, "-q"])
      bare[0].append(BareLoops.write(rowsOf: library, to: "\(folder)/bare.sqlite"))
      try? FileManager.default.removeItem(atPath: copy)
      let reading = try ChildRun.run(command, ["convert", library, "--to", copy, "-q"])
      bare[1].append(BareLoops.read(library, to: "\(folder)/bare.txt"))
      ours[0].append(writing)
      ours[1].append(reading)
      memory[0] = max(memory[0], writing.peakAnonymous)
      memory[1] = max(memory[1], reading.peakAnonymous)
    }
    report(".jsonl → library", "bind the rows", ours[0], bare[0], count, bytes)
    report("library → .jsonl", "step the rows", ours[1], bare[1], count, bytes)
    return (count, memory[0], memory[1])
  }

  /// Reports a comparison. The ratio is bare ÷ ours, both with the sync to disk: 1 means the disk's own speed, and more
  /// is impossible.
  private func report(
    _ what: String, _ loop: String, _ runs: [ChildRun], _ bare: [(rows: Double, sync: Double)], _ count: Int,
    _ bytes: Int
  ) {
    let ours = runs.map(\.seconds)
    let mine = Self.median(ours)
    let rows = Self.median(bare.map(\.rows))
    let whole = Self.median(bare.map { $0.rows + $0.sync })
    let ratios = zip(bare, ours).map { ($0.rows + $0.sync) / $1 }
    let dry = zip(bare, ours).map { $0.rows / $1 }
    Self.say(
      String(
        format: "  %@   %.2f s (%.0f records/s, %.0f MB/s)   bare loop: %@ %.2f s, with sync %.2f s", what as NSString,
        mine,
        Double(count) / mine, Double(bytes) / 1e6 / mine, loop as NSString, rows, whole))
    Self.say(
      String(
        format: "      ratio %.2f (%.2f–%.2f); against the loop without its sync %.2f; processor %.2f s",
        Self.median(ratios), ratios.min() ?? 0, ratios.max() ?? 0, Self.median(dry),
        Self.median(runs.map(\.processor))))
  }

  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
  }
}
