import Foundation
import TestSupport
import Testing

/// kill -9 at random moments of `validate --fix`: every file has either its old or its new content.
/// `FLEETKIT_CRASH_RUNS` sets the number of kills.
@Suite(.serialized) struct FixCrashTests {
  private static let runs = Int(ProcessInfo.processInfo.environment["FLEETKIT_CRASH_RUNS"] ?? "") ?? 12

  /// Returns a bundle of records whose titles begin or end with blanks and whose languages are misspelled.
  private static func content(_ file: Int, records: Int) -> String {
    let step = "{\"title\":\"Seacocks open, all of them, on both sides\",\"isRequired\":true}"
    let sections = "[{\"title\":\"Below\",\"items\":[\(Array(repeating: step, count: 8).joined(separator: ","))]}]"
    return (0..<records).map { index in
      "{\"content_type\":\"checklist\",\"title\":\"Berth \(file)-\(index) \",\n \"language\":\"en_us\","
        + "\"content_data\":{\"sections\":\(sections)}}"
    }.joined(separator: ",\n")
  }

  @Test func everyFileIsOldOrNew() throws {
    let count = Self.runs > 50 ? 60 : 24
    let names = (0..<count).map { $0 % 3 == 0 ? "in/\($0).json" : "\($0).json" }
    var old: [String: Data] = [:]
    for (index, name) in names.enumerated() {
      old[name] = Data("[\(Self.content(index, records: 2 + index * 7 % (Self.runs > 50 ? 30 : 20)))]\n".utf8)
    }
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["content/in"], withIntermediateDirectories: true)
    func restore() throws {
      for (name, data) in old { try data.write(to: URL(fileURLWithPath: scratch["content/" + name])) }
    }
    func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: scratch["content/" + name])) }
    func all() throws -> [String] {
      try FileManager.default.subpathsOfDirectory(atPath: scratch["content"]).filter { $0 != "in" }.sorted()
    }

    try restore()
    let clock = ContinuousClock()
    let start = clock.now
    #expect(try Shell.fleetkit("validate", scratch["content"], "--fix", "-q").status == 0)
    let whole = (clock.now - start).components
    var microseconds = Int(whole.seconds) * 1_000_000 + Int(whole.attoseconds / 1_000_000_000_000)
    var new: [String: Data] = [:]
    for name in names {
      new[name] = try bytes(name)
      try #require(new[name] != old[name], "\(name) has nothing to fix")
    }
    #expect(try all() == names.sorted())

    var random = SeededRandom(seed: 41)
    var (untouched, between, finished) = (0, 0, 0)
    var rounds = 0
    while rounds < Self.runs || untouched + between == 0 {
      rounds += 1
      // The machine may have been busier when the whole run was timed.
      if finished > 0, untouched + between == 0 { microseconds = max(1000, microseconds / 2) }
      try restore()
      let process = Process()
      process.executableURL = URL(fileURLWithPath: Paths.command)
      process.arguments = ["validate", scratch["content"], "--fix", "-q"]
      process.standardError = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      // The command reads, writes, reads again and prints its report. The moments during writing matter most.
      usleep(UInt32(microseconds / 8 + random.below(microseconds * (random.below(3) == 0 ? 8 : 4) / 10)))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      var changed = 0
      for name in names {
        let found = try bytes(name)
        if found == new[name] { changed += 1 } else { #expect(found == old[name], "\(name) is neither old nor new") }
      }
      if changed == 0 { untouched += 1 } else if changed == count { finished += 1 } else { between += 1 }
      // The next run finishes the work and leaves nothing behind.
      #expect(try Shell.fleetkit("validate", scratch["content"], "--fix", "-q").status == 0)
      for name in names { #expect(try bytes(name) == new[name]) }
      #expect(try all() == names.sorted())
    }
    print("kill -9, --fix: \(untouched) times untouched, \(between) times in between, \(finished) times finished")
  }
}
