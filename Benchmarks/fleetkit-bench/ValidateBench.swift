import Foundation

/// Measures validation against other validators: FleetKit parses, validates with the schemas and runs every rule;
/// jsonschema-rs with orjson parses and validates with the same schema; check-jsonschema does the same with files.
struct ValidateBench {
  let folder: String
  let command: String
  let rounds: Int
  /// The number of records for check-jsonschema, which needs milliseconds for each.
  private let files = 5000

  /// The Python interpreter that `make judges` installs.
  private var python: String {
    let judges = ProcessInfo.processInfo.environment["FLEETKIT_JUDGES"] ?? ".build/judges"
    return judges + "/bin/python"
  }

  func run() throws {
    guard FileManager.default.isExecutableFile(atPath: python) else {
      return Bench.say("validate: not measured, the peers are not installed (make judges)")
    }
    let count = 100_000
    let bundle = try Bench.bundle(count, in: folder)
    let peers = "Benchmarks/peers/validate_peers.py"
    let schema = folder + "/whole.schema.json"
    _ = try ChildRun.run(python, [peers, "bundle", "formats/schemas", schema])
    var ours: [ChildRun] = []
    var rs: [ChildRun] = []
    for _ in 0..<rounds {
      ours.append(try ChildRun.run(command, ["validate", bundle, "--fail-on", "none", "-q"]))
      rs.append(try ChildRun.run(python, [peers, "rs", schema, bundle]))
    }
    let mine = Bench.median(ours.map(\.seconds))
    let theirs = Bench.median(rs.map(\.seconds))
    let size = Double(Bench.size(bundle)) / 1e6
    Bench.say("validate \(count) checklists of \(Int(size * 1e6) / count) bytes from .jsonl; median of \(rounds)")
    Bench.say(
      String(
        format:
          "  fleetkit validate (parse + schema + rules)     %.2f s (%.0f records/s, %.0f MB/s), processor %.2f s, "
          + "peak %.1f MB", mine, Double(count) / mine, size / mine, Bench.median(ours.map(\.processor)),
        Double(ours.map(\.peakAnonymous).max() ?? 0) / 1e6))
    let ratios = zip(rs, ours).map { $0.seconds / $1.seconds }
    Bench.say(
      String(
        format: "  jsonschema-rs + orjson (parse + schema)        %.2f s   ratio %.2f (%.2f–%.2f)", theirs,
        Bench.median(ratios), ratios.min() ?? 0, ratios.max() ?? 0))
    try checkJSONSchema(bundle, schema: schema, peers: peers, perRecord: mine / Double(count))
  }

  private func checkJSONSchema(_ bundle: String, schema: String, peers: String, perRecord: Double) throws {
    let place = folder + "/records"
    try? FileManager.default.removeItem(atPath: place)
    _ = try ChildRun.run(python, [peers, "files", bundle, place, String(files)])
    let names = try FileManager.default.contentsOfDirectory(atPath: place).sorted().map { place + "/" + $0 }
    let tool = (python as NSString).deletingLastPathComponent + "/check-jsonschema"
    let run = try ChildRun.run(tool, ["--schemafile", schema] + names)
    let folderRun = try ChildRun.run(command, ["validate", place, "--fail-on", "none", "-q"])
    Bench.say(
      String(
        format: "  check-jsonschema, %d of them as files        %.2f s   ratio per record %.0f; against us on the same "
          + "files (%.2f s) %.0f", files, run.seconds, run.seconds / Double(files) / perRecord, folderRun.seconds,
        run.seconds / folderRun.seconds))
    try? FileManager.default.removeItem(atPath: place)
  }
}
