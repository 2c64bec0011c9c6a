import Foundation
import JSONText
import TestSupport
import Testing

/// Runs `fleetkit sync` over a bad network, until it ends or is killed.
struct FaultSync {
  private let world: FaultWorld
  private let registry: LocalRegistry
  private let proxy: FaultProxy
  private var random: SeededRandom
  /// The number of runs that were killed before their end.
  private(set) var killed = 0
  /// The number of times that the user had to sign in.
  private(set) var signIns = 0
  /// The number of runs that ended without being killed, by exit status.
  private var ends: [Int32: Int] = [:]
  private var requests = (count: 0, seconds: 0.0)
  private var reasons: [String: Int] = [:]
  private var courses: [String] = []
  private var operations = (sent: 0, failed: 0)

  init(_ world: FaultWorld, _ registry: LocalRegistry, _ proxy: FaultProxy, seed: UInt64) throws {
    (self.world, self.registry, self.proxy) = (world, registry, proxy)
    random = SeededRandom(seed: seed &+ 1)
    try signIn()
  }

  private var arguments: [String] {
    [
      "sync", world.path, "--registry", proxy.url, "--token-file", world.scratch["token.json"], "--timeout", "0.7",
      "--json", "--retry-failed",
    ]
  }

  /// Signs in again after a session has expired, without using the bad network.
  private mutating func signIn() throws {
    let tokens = try registry.signIn()
    let file = try world.scratch.write(
      "token.json", "{\"access_token\":\"\(tokens.access)\",\"refresh_token\":\"\(tokens.refresh ?? "")\"}")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    signIns += 1
  }

  /// Kills a run at a random moment, while the owner may continue to work.
  mutating func killed(asking count: Int) throws {
    proxy.offersBatches = random.below(3) > 0
    let isBefore = random.below(2) == 0
    if isBefore, count > 0 { try world.ask(count) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Paths.command)
    process.arguments = arguments
    let output = world.scratch["killed"]
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    if !isBefore, count > 0 { try world.ask(count) }
    let end = ContinuousClock.now + .milliseconds(30 + random.below(1500))
    while ContinuousClock.now < end, process.isRunning { usleep(5000) }
    if process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    if process.terminationReason == .uncaughtSignal {
      killed += 1
    } else {
      try note(process.terminationStatus, (try? world.scratch.text("killed")) ?? "")
    }
    try world.look()
  }

  /// Completes a run without killing it.
  mutating func whole() throws {
    proxy.offersBatches = random.below(3) > 0
    let answer = try Shell.run(Paths.command, arguments)
    try note(answer.status, answer.output, answer.errors)
    try world.look()
  }

  private mutating func note(_ status: Int32, _ output: String, _ errors: String = "") throws {
    ends[status, default: 0] += 1
    // Sent, some failed, registry unreachable, or signed out: every other status is a bug in FleetKit.
    #expect([0, 3, 69, 77].contains(status), "exit \(status): \(output) \(errors)")
    if status == 77 { try signIn() }
    guard let root = try? JSONDocument(parsing: output).root else { return }
    let sent = root["sent"]?.members.reduce(0) { $0 + ($1.value.integer ?? 0) } ?? 0
    let waiting = root["waiting"]?.elements.first.map {
      " (\($0["operation"]?.string ?? ""): \($0["reason"]?.string ?? ""))"
    }
    operations.sent += Int(sent)
    operations.failed += Int(root["failed"]?.integer ?? 0)
    courses.append(
      "\(root["live_before"]?.integer ?? 0) → \(root["live_after"]?.integer ?? 0)\(waiting ?? ""), \(sent) sent, "
        + "\(root["failed"]?.integer ?? 0) failed, \(root["retried"]?.integer ?? 0) retried, "
        + "\(root["seconds"]?.double ?? 0) s, \(root["end"]?.string ?? "")")
    for failure in root["failures"]?.elements ?? [] {
      reasons[failure["code"]?.string ?? failure["reason"]?.string ?? "?", default: 0] += 1
    }
    requests.count += root["metrics"]?["requests"]?.integer.map(Int.init) ?? 0
    requests.seconds += root["metrics"]?["request_seconds"]?["sum"]?.double ?? 0
  }

  /// The percentage of the reported operations that were sent and did not fail.
  var successRate: Double {
    let all = operations.sent + operations.failed
    return all == 0 ? 100 : (10_000 * Double(operations.sent) / Double(all)).rounded() / 100
  }

  /// A readable summary.
  var figures: String {
    let tally = proxy.tally
    let faults = tally.faults.values.reduce(0, +)
    let names = tally.faults.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key) \($0.value)" }
    return """
      \(tally.requests) requests, \(faults) faults (\(names.joined(separator: ", ")))
      the registry answered \(tally.statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })
      latency \(Int(1000 * requests.seconds / Double(max(1, requests.count)))) ms on average over \(requests.count) requests
      runs ended \(ends.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }), failures \(reasons)
      \(courses.joined(separator: "\n"))
      """
  }
}
