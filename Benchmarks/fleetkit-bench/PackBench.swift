import Foundation

/// Measures packs of 20 000 guides: building, compared with `bsdtar --zstd`, which packs the same files at the same
/// level but neither hashes nor validates; and verifying, compared with bagit.py, which verifies the same bag after it
/// was unpacked.
struct PackBench {
  let folder: String
  let command: String
  let rounds: Int
  private let count = 20_000

  /// The Python interpreter that `make judges` installs.
  private var python: String {
    let judges = ProcessInfo.processInfo.environment["FLEETKIT_JUDGES"] ?? ".build/judges"
    return judges + "/bin/python"
  }

  func run() throws {
    let tar = "/usr/bin/bsdtar"
    guard FileManager.default.isExecutableFile(atPath: tar), FileManager.default.isExecutableFile(atPath: python)
    else { return Bench.say("packs: not measured, the peers are not installed (make judges)") }
    let vault = folder + "/guides"
    try VaultGenerator(guides: count, isVaried: true).write(to: vault)
    let config = folder + "/pack.yml"
    try """
    name: anchoring-notes
    version: 1.0.0
    publisher: Bench
    licence: CC0-1.0
    description: Twenty thousand guides.

    """.write(toFile: config, atomically: true, encoding: .utf8)
    let library = folder + "/packed.sqlite"
    try? FileManager.default.removeItem(atPath: library)
    _ = try ChildRun.run(command, ["convert", vault, "--to", library, "-q"])
    let pack = folder + "/notes.fleetpack"
    let bag = folder + "/bag"
    let archive = folder + "/peer.tar.zst"
    var builds: [[ChildRun]] = [[], []]
    var peers: [ChildRun] = []
    var checks: [ChildRun] = []
    var bagits: [ChildRun] = []
    for round in 0..<rounds {
      for (index, source) in [library, vault].enumerated() {
        try? FileManager.default.removeItem(atPath: pack)
        builds[index].append(
          try ChildRun.run(command, ["pack", "build", source, "--config", config, "--to", pack, "-q"]))
      }
      if round == 0 {
        try? FileManager.default.removeItem(atPath: bag)
        try FileManager.default.createDirectory(atPath: bag, withIntermediateDirectories: true)
        _ = try ChildRun.run(tar, ["-xf", pack, "-C", bag])
      }
      peers.append(
        try ChildRun.run(
          tar, ["--zstd", "--options", "zstd:compression-level=3", "-cf", archive, "-C", bag, "."]))
      checks.append(try ChildRun.run(command, ["verify", pack, "-q"]))
      bagits.append(try ChildRun.run(python, ["-m", "bagit", "--validate", "--quiet", bag]))
    }
    let bytes = try FileManager.default.subpathsOfDirectory(atPath: bag).reduce(0) { $0 + Bench.size(bag + "/" + $1) }
    Bench.say("pack of \(count) guides, \(bytes / 1_000_000) MB unpacked, each a file; median of \(rounds)")
    report("bsdtar --zstd, level 3, the unpacked pack ", peers, bytes, against: nil)
    report("fleetkit pack build, from a library       ", builds[0], bytes, against: peers)
    report("fleetkit pack build, from the vault       ", builds[1], bytes, against: peers)
    report("bagit.py --validate, unpacked             ", bagits, bytes, against: nil)
    report("fleetkit verify, packed                   ", checks, bytes, against: bagits)
    let sizes = [pack, archive].map { Double(Bench.size($0)) / 1e6 }
    Bench.say(String(format: "  size of the archive: ours %.1f MB, bsdtar's %.1f MB", sizes[0], sizes[1]))
    try? FileManager.default.removeItem(atPath: bag)
  }

  private func report(_ what: String, _ runs: [ChildRun], _ bytes: Int, against peers: [ChildRun]?) {
    let seconds = Bench.median(runs.map(\.seconds))
    var line = String(
      format: "  %@ %.2f s (%.0f MB/s), processor %.2f s", what, seconds, Double(bytes) / 1e6 / seconds,
      Bench.median(runs.map(\.processor)))
    if let peers {
      let ratios = zip(peers, runs).map { $0.seconds / $1.seconds }
      line += String(
        format: "   ratio %.2f (%.2f–%.2f), peak %.1f MB", Bench.median(ratios), ratios.min() ?? 0,
        ratios.max() ?? 0, Double(runs.map(\.peakAnonymous).max() ?? 0) / 1e6)
    }
    Bench.say(line)
  }
}
