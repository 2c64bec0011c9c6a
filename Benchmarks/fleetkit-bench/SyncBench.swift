import CSQLite
import Foundation

/// Measures sending a queue of 1 000 publications to a registry over loopback, compared with curl, which posts the same
/// batches over the same number of connections but neither checks a payload nor records the result.
struct SyncBench {
  let folder: String
  let command: String
  let rounds: Int
  private let count = 1000
  private let workers = 4

  func run() throws {
    guard BenchRegistry.isThere, FileManager.default.isExecutableFile(atPath: "/usr/bin/curl") else {
      return Bench.say("sync: not measured, the registry (make registry) or curl is not installed")
    }
    let queued = folder + "/queued.sqlite"
    try queue(queued)
    let batches = try batches(of: queued)
    let bytes = batches.reduce(0) { $0 + Bench.size($1) }
    var ours: [ChildRun] = []
    var peers: [ChildRun] = []
    for _ in 0..<rounds {
      let library = folder + "/sent.sqlite"
      for end in ["", ".fleetkit"] {
        try? FileManager.default.removeItem(atPath: library + end)
        try FileManager.default.copyItem(atPath: queued + end, toPath: library + end)
      }
      let registry = try BenchRegistry(in: folder + "/registry")
      let tokens = try registry.signIn()
      ours.append(
        try ChildRun.run(
          command,
          ["sync", library, "--registry", registry.url, "--token-file", tokens.file, "-q", "--workers", "\(workers)"]))
      let other = try BenchRegistry(in: folder + "/registry-peer")
      peers.append(try post(batches, to: other))
    }
    let seconds = [ours, peers].map { Bench.median($0.map(\.seconds)) }
    let ratios = zip(peers, ours).map { $0.seconds / $1.seconds }
    Bench.say(
      "\(count) publications to a registry over loopback, \(bytes / 1000) kB in \(workers) batches; median of \(rounds)"
    )
    Bench.say(
      String(
        format: "  curl, the same batches, \(workers) at once  %.2f s (%.0f items/s)", seconds[1],
        Double(count) / seconds[1]))
    Bench.say(
      String(
        format:
          "  fleetkit sync                      %.2f s (%.0f items/s), processor %.2f s   ratio %.2f (%.2f–%.2f), "
          + "peak %.1f MB", seconds[0], Double(count) / seconds[0], Bench.median(ours.map(\.processor)),
        Bench.median(ratios), ratios.min() ?? 0, ratios.max() ?? 0,
        Double(ours.map(\.peakAnonymous).max() ?? 0) / 1e6))
  }

  /// Makes a library of guides, all of them queued.
  private func queue(_ library: String) throws {
    for end in ["", ".fleetkit"] { try? FileManager.default.removeItem(atPath: library + end) }
    let bundle = folder + "/guides.jsonl"
    var text = "{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1,\"min_reader\":1}\n"
    let words = String(repeating: "Weigh anchor, note the depth, watch the neighbours. ", count: 40)
    for number in 0..<count {
      let id = String(format: "00000000-0000-4000-8000-%012d", number)
      text += """
        {"kind":"item","id":"\(id)","content_type":"practice_guide","title":"Anchoring notes \(number)",\
        "description":"What this crew has learned.","tags":["anchoring"],"content_data":{"markdown":"# Notes\\n\\n\(words)"}}

        """
    }
    try text.write(toFile: bundle, atomically: true, encoding: .utf8)
    _ = try ChildRun.run(command, ["import", bundle, "--into", library, "--create", "-q"])
    _ = try ChildRun.run(command, ["publish", library, "--all", "--yes", "-q"])
  }

  /// Returns the queue's payloads as batch bodies, one for each connection.
  private func batches(of library: String) throws -> [String] {
    var database: OpaquePointer?
    var query: OpaquePointer?
    defer {
      sqlite3_finalize(query)
      sqlite3_close(database)
    }
    guard sqlite3_open(library, &database) == SQLITE_OK,
      sqlite3_prepare_v2(database, "SELECT payload FROM sync_queue ORDER BY id", -1, &query, nil) == SQLITE_OK
    else { throw CocoaError(.fileReadUnknown) }
    var payloads: [String] = []
    while sqlite3_step(query) == SQLITE_ROW { payloads.append(String(cString: sqlite3_column_text(query, 0))) }
    let share = (payloads.count + workers - 1) / workers
    return try (0..<workers).map { part in
      let file = folder + "/batch-\(part).json"
      let operations = payloads[min(part * share, payloads.count)..<min((part + 1) * share, payloads.count)]
        .map { "{\"operation\":\"publish\",\"payload\":\($0)}" }
      try "{\"operations\":[\(operations.joined(separator: ","))]}".write(
        toFile: file, atomically: true, encoding: .utf8)
      return file
    }
  }

  private func post(_ batches: [String], to registry: BenchRegistry) throws -> ChildRun {
    let token = try registry.signIn().access
    let config = folder + "/curl.txt"
    try batches.map { batch in
      """
      url = "\(registry.url)/api/v1/content/batch"
      data-binary = "@\(batch)"
      header = "Authorization: Bearer \(token)"
      header = "Content-Type: application/json"
      header = "Expect:"
      output = "\(batch).out"
      fail
      silent

      """
    }.joined(separator: "next\n").write(toFile: config, atomically: true, encoding: .utf8)
    return try ChildRun.run(
      "/usr/bin/curl",
      ["--parallel", "--parallel-immediate", "--parallel-max", "\(workers)", "-K", config])
  }
}
