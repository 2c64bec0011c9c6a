import Foundation
import JSONText
import TestSupport
import Testing

/// A process that is killed repeatedly publishes over a bad network. In the end, the registry has exactly the state
/// that the library's owner requested.
///
/// `FLEETKIT_FAULT_OPERATIONS` and `FLEETKIT_FAULT_KILLS` set the length (`make test-crash`), and `FLEETKIT_FAULT_SEED`
/// sets the seed.
@Suite(.serialized, .enabled(if: LocalRegistry.isThere, LocalRegistry.reason)) struct FaultRunTests {
  private static func setting(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap(Int.init) }
  private static let operations = setting("FLEETKIT_FAULT_OPERATIONS") ?? 150
  private static let kills = setting("FLEETKIT_FAULT_KILLS") ?? 5
  private static let seed = UInt64(setting("FLEETKIT_FAULT_SEED") ?? 8)

  @Test func nothingIsLostAndNothingIsDoneTwice() throws {
    let registry = try LocalRegistry()
    let proxy = try FaultProxy(to: registry.port, seed: Self.seed)
    defer { proxy.stop() }
    let world = try FaultWorld(items: max(40, Self.operations / 4), seed: Self.seed)
    var run = try FaultSync(world, registry, proxy, seed: Self.seed)
    let start = ContinuousClock.now

    // Half of the operations wait before the first sync. The rest are queued during and between syncs.
    try world.ask(Self.operations / 2)
    let wave = max(1, (Self.operations - Self.operations / 2) / Self.kills)
    var attempts = 0
    while run.killed < Self.kills, attempts < Self.kills * 4 {
      attempts += 1
      // Without operations to send, a run would end before it can be killed.
      try run.killed(asking: world.operations < Self.operations ? wave : 5)
    }
    if world.operations < Self.operations { try world.ask(Self.operations - world.operations) }
    #expect(run.killed == Self.kills)

    var runs = 0
    while runs < 20, try !world.open().isEmpty {
      runs += 1
      try run.whole()
    }
    proxy.drain()
    try world.look()
    let open = try world.open()
    #expect(
      open.isEmpty, "after \(runs) runs: \(open.prefix(5).map { "\($0.operation) \($0.slug) \($0.tries) \($0.error)" })"
    )

    try FaultJudge(world, registry, proxy).judge()
    let seconds = start.duration(to: .now) / .seconds(1)
    print(
      """
      fault run: \(world.operations) operations, \(world.rows.count) rows, \(run.killed) kills, \(runs) whole runs, \
      \(run.signIns) sign-ins, \(Int(seconds)) s, success rate \(run.successRate) %
      \(run.figures)
      """)
  }
}
