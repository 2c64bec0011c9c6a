import Foundation
import TestSupport
import Testing

/// kill -9 at random moments: the target is either absent or complete. `FLEETKIT_CRASH_RUNS` sets the number of kills.
@Suite(.serialized) struct CrashTests {
  private static let runs = Int(ProcessInfo.processInfo.environment["FLEETKIT_CRASH_RUNS"] ?? "") ?? 12

  /// Writes a bundle of guides and checklists that takes a while to convert.
  static func bundle(_ count: Int, in scratch: Scratch) throws -> String {
    var text = "{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1,\"min_reader\":1}\n"
    let words = String(repeating: "Weigh anchor, note the depth, watch the neighbours. ", count: 40)
    for index in 0..<count {
      let id = String(format: "%08X-0000-4000-8000-000000000000", index)
      text += "{\"kind\":\"item\",\"id\":\"\(id)\",\"content_type\":\"practice_guide\",\"title\":\"Guide \(index)\","
      text += "\"content_data\":{\"markdown\":\"\(words)\"}}\n"
    }
    return try scratch.write("bundle.jsonl", text)
  }

  @Test(arguments: ["sqlite", "jsonl", "json"])
  func theTargetIsAbsentOrWhole(_ format: String) throws {
    let scratch = Scratch()
    let count = Self.runs > 50 ? 6000 : 1500
    let source = try Self.bundle(count, in: scratch)
    let target = scratch["out." + format]
    let clock = ContinuousClock()
    let start = clock.now
    #expect(try Shell.fleetkit("convert", source, "--to", target, "-q").status == 0)
    let whole = clock.now - start
    let expected = try Data(contentsOf: URL(fileURLWithPath: target))
    try FileManager.default.removeItem(atPath: target)
    var microseconds = Int(whole.components.seconds) * 1_000_000 + Int(whole.components.attoseconds / 1_000_000_000_000)

    var random = SeededRandom(seed: UInt64(format.count) &* 97)
    var killed = 0
    var finished = 0
    var rounds = 0
    while rounds < max(4, Self.runs / 3 + 1) || killed == 0 {
      rounds += 1
      let process = Process()
      process.executableURL = URL(fileURLWithPath: Paths.command)
      process.arguments = ["convert", source, "--to", target, "-q"]
      process.standardError = FileHandle.nullDevice
      try process.run()
      usleep(UInt32(random.below(microseconds * 13 / 10)))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      if FileManager.default.fileExists(atPath: target) {
        finished += 1
        // The machine may have been busier when the whole run was timed.
        if killed == 0 { microseconds = max(1000, microseconds / 2) }
        // Libraries contain times of the run, so a library is checked for soundness and for its row counts.
        if format == "sqlite" {
          let answer = try SQLiteShell.run(target, "PRAGMA integrity_check; SELECT count(*) FROM practice_guides;")
          #expect(answer == "ok\n\(count)\n")
        } else {
          #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == expected)
        }
        try FileManager.default.removeItem(atPath: target)
      } else {
        killed += 1
      }
    }
    // The next run removes what killed runs left behind.
    #expect(try Shell.fleetkit("convert", source, "--to", target, "-q").status == 0)
    #expect(scratch.names == ["bundle.jsonl", "out." + format], "\(scratch.names)")
    print("kill -9, \(format): \(killed) times absent, \(finished) times whole")
  }
}
