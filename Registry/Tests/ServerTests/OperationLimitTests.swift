import Content
import HTTPTypes
import PostgreSQLStore
import RegistryAPI
import RegistryModel
import RegistryTestSupport
import Testing

@Suite struct OperationLimitTests {
  let clock = HandClock()

  private func limiter(_ change: (inout RateLimits) -> Void = { _ in }, capacity: Int = 1024) -> RateLimiter {
    var limits = RateLimits()
    change(&limits)
    return RateLimiter(limits: limits, clock: clock.clock, capacity: capacity)
  }

  /// Returns how many seconds a refused caller has to wait; nil if the caller was accepted.
  private func wait(_ limiter: RateLimiter, _ kind: RateLimitKind, _ caller: String, cost: Int = 1) throws -> Int? {
    do {
      try limiter.charge(kind, cost: cost, caller: caller)
      return nil
    } catch let problem as Problem {
      #expect(problem.status == .tooManyRequests)
      #expect(problem.code == "rate_limited")
      return Int(problem.headers[.retryAfter] ?? "")
    }
  }

  @Test(arguments: [(RateLimitKind.share, 10, 60), (.delete, 20, 60), (.signIn, 5, 900), (.general, 1200, 60)])
  func theLiveServicesNumbersHold(kind: RateLimitKind, count: Int, seconds: Int) throws {
    let limiter = limiter()
    for _ in 0..<count { #expect(try wait(limiter, kind, "a") == nil) }
    #expect(try wait(limiter, kind, "a") == seconds)
    #expect(try wait(limiter, kind, "b") == nil, "callers have nothing to do with each other")
    clock.advance(seconds: Double(seconds) - 0.001)
    #expect(try wait(limiter, kind, "a") == 1)
    clock.advance(seconds: 0.001)
    #expect(try wait(limiter, kind, "a") == nil)
  }

  @Test func whoWaitsAsToldIsLetIn() throws {
    let limiter = limiter()
    var random = SeededNumbers(seed: 7)
    for _ in 0..<2000 {
      clock.advance(seconds: Double(random.below(8000)) / 1000)
      let cost = 1 + random.below(10)
      guard let seconds = try wait(limiter, .share, "a", cost: cost) else { continue }
      #expect((1...60).contains(seconds))
      clock.advance(seconds: Double(seconds))
      #expect(try wait(limiter, .share, "a", cost: cost) == nil)
    }
  }

  @Test(arguments: [1, 3, 10, 32, 33, 100, 1200])
  func noStretchOfAWindowHoldsMoreThanTheLimit(count: Int) throws {
    let limiter = limiter { $0.share = RateLimit(count, per: 60) }
    var random = SeededNumbers(seed: UInt64(count))
    var granted: [Int64] = []
    for _ in 0..<6000 {
      clock.advance(seconds: Double(random.below(60_000 / count + 2)) / 1000)
      if try wait(limiter, .share, "a") == nil { granted.append(clock.now.milliseconds) }
    }
    #expect(granted.count > count)
    for (place, time) in granted.enumerated() where place >= count {
      #expect(time - granted[place - count] >= 60_000)
    }
  }

  @Test func aBatchCostsMoreAndNeverMoreThanAll() throws {
    let limiter = limiter()
    #expect(try wait(limiter, .share, "a", cost: 9) == nil)
    #expect(try wait(limiter, .share, "a", cost: 2) == 60)
    #expect(try wait(limiter, .share, "a", cost: 1) == nil)
    clock.advance(seconds: 60)
    #expect(try wait(limiter, .share, "a", cost: 500) == nil)
    #expect(try wait(limiter, .share, "a") == 60)
  }

  @Test func aClockThatIsSetBackLocksNobodyOut() throws {
    let limiter = limiter()
    for _ in 0..<10 { #expect(try wait(limiter, .share, "a") == nil) }
    clock.advance(seconds: -86_400)
    #expect(try wait(limiter, .share, "a") == 60)
    clock.advance(seconds: 60)
    #expect(try wait(limiter, .share, "a") == nil)
  }

  @Test func aMillionCallersTakeNoMoreThanTheirPlaces() throws {
    var table = RateTable(capacity: 100)
    for caller in 0..<100_000 {
      _ = table.withWindow(of: "\(caller)") { $0.charge(1, limit: RateLimit(1, per: 60), at: 0) }
    }
    #expect(table.count == 100)
    // The most recent callers are kept, and the others are forgotten.
    #expect(!table.withWindow(of: "99999") { $0.charge(1, limit: RateLimit(1, per: 60), at: 1).granted })
    #expect(!table.withWindow(of: "99900") { $0.charge(1, limit: RateLimit(1, per: 60), at: 1).granted })
    #expect(table.withWindow(of: "5") { $0.charge(1, limit: RateLimit(1, per: 60), at: 1).granted })
    #expect(table.count == 100)
  }

  @Test func severalProcessesShareTheLimitForAllRequests() async throws {
    let database = try ScratchDatabase()
    let stores = try (0..<3).map { _ in try PostgreSQLStore(database.address) }
    var limits = RateLimits()
    limits.general = RateLimit(64, per: 60)
    let limiters = stores.map { RateLimiter(limits: limits, clock: clock.clock, store: $0) }
    var granted = 0
    for number in 0..<600 {
      if (try? await limiters[number % 3].chargeEverywhere(.general, caller: "a")) != nil { granted += 1 }
    }
    // Each process reports every fourth request.
    #expect(granted >= 64 - 3 * 3 && granted <= 64 + 3 * 3, "\(granted)")
    clock.advance(seconds: 61)
    #expect(try await limiters[1].chargeEverywhere(.general, caller: "a") != nil)
    for store in stores { try await store.close() }
  }

  @Test func withLimitsOffEverythingPasses() throws {
    let limiter = RateLimiter(isEnabled: false, clock: clock.clock)
    for _ in 0..<100 { #expect(try limiter.charge(.signIn, caller: "a") == nil) }
  }

  @Test func theStandingSaysWhatIsLeft() throws {
    let limiter = limiter()
    #expect(try limiter.charge(.share, caller: "a") == .init(limit: 10, remaining: 9, reset: 60))
    clock.advance(seconds: 30)
    #expect(try limiter.charge(.share, cost: 4, caller: "a") == .init(limit: 10, remaining: 5, reset: 60))
  }

  @Test(arguments: [
    ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"), ("::FFFF:c000:207", "192.0.2.7"),
    ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
    ("fe80::1%eth0", "fe80:0:0:0::/64"), ("::1", "0:0:0:0::/64"), ("::", "0:0:0:0::/64"), ("local", "local"),
    ("1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8:9"), ("1::2::3", "1::2::3"), (":1", ":1"), ("1:", "1:"),
  ])
  func addressesAreTakenByLine(address: String, key: String) { #expect(AddressKey.of(address) == key) }

  @Test(
    arguments: [
      ("203.0.113.9", "203.0.113.9"), ("evil, 198.51.100.1", "198.51.100.1"), ("198.51.100.1, ", nil),
      ("1.2.3.4 ,\t198.51.100.1:4711 ", "198.51.100.1"), ("[2001:db8::1]:443", "2001:db8::1"),
      ("2001:db8::1", "2001:db8::1"), ("unknown", nil), ("", nil), ("999.1.1.1", nil), ("_hidden", nil),
    ] as [(String, String?)])
  func theLastHopCounts(list: String, address: String?) { #expect(ForwardedAddress.address(in: list) == address) }
}

/// A generator of numbers that are the same in every run.
struct SeededNumbers {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func below(_ bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(bound))
  }
}
