import Content
import HTTPTypes
import RegistryModel
import RegistryStore
import Synchronization

/// Enforces callers' rate limits.
///
/// Memory is bounded: each kind of limit keeps a fixed number of the most recent callers. Refused requests are not
/// charged. Any task may use it; callers are distributed over separately locked tables.
///
/// If several processes share a store, the limits for changes and sign-ins are kept in the store. The limit for all
/// requests is too high for a write at each request: every process counts on its own, and adds its count to the store's
/// after each sixteenth of the limit. A caller can exceed the limit by at most this much for each process.
package final class RateLimiter: Sendable {
  /// A caller's remaining limit after a charge.
  package struct Standing: Sendable, Equatable {
    package let limit: Int
    package let remaining: Int
    /// The time until the whole limit is available again, in whole seconds.
    package let reset: Int

    package init(limit: Int, remaining: Int, reset: Int) {
      self.limit = limit
      self.remaining = remaining
      self.reset = reset
    }

    /// The header fields with these values.
    /// - Source: draft-ietf-httpapi-ratelimit-headers-06
    package var fields: HTTPFields {
      var fields = HTTPFields()
      fields[.rateLimitLimit] = String(limit)
      fields[.rateLimitRemaining] = String(remaining)
      fields[.rateLimitReset] = String(reset)
      return fields
    }
  }

  private static let partCount = 16

  private final class Part: Sendable {
    let table: Mutex<RateTable>
    init(capacity: Int) { table = Mutex(RateTable(capacity: capacity)) }
  }

  private let limits: RateLimits
  private let isEnabled: Bool
  private let clock: RegistryClock
  private let store: (any RegistryStore)?
  private let parts: [Part]

  /// - Parameters:
  ///   - store: the store that other processes may share.
  ///   - capacity: the number of callers kept for each kind of limit.
  package init(
    limits: RateLimits = RateLimits(), isEnabled: Bool = true, clock: RegistryClock,
    store: (any RegistryStore)? = nil, capacity: Int = 32_768
  ) {
    self.store = store
    self.limits = limits
    self.isEnabled = isEnabled
    self.clock = clock
    parts = (0..<RateLimitKind.allCases.count * Self.partCount).map { _ in Part(capacity: capacity / Self.partCount) }
  }

  /// Charges the sender of a request: the user for user actions, the address for all others. The remaining limit is
  /// added to the answer's fields.
  /// - Parameter cost: the number of requests that this one counts as; a cost above the limit counts as the limit.
  /// - Throws: `Problem` 429 with `Retry-After`.
  package func charge(_ kind: RateLimitKind, cost: Int = 1, _ context: RegistryContext) async throws {
    guard isEnabled else { return }
    let caller: String
    switch kind {
    case .share, .delete, .profile: caller = context.principal?.userID.text ?? AddressKey.of(context.clientAddress)
    case .signIn, .general: caller = AddressKey.of(context.clientAddress)
    }
    context.notes.record(try await chargeEverywhere(kind, cost: cost, caller: caller))
  }

  /// Charges a caller by name, in the store as well if other processes share it.
  package func chargeEverywhere(_ kind: RateLimitKind, cost: Int = 1, caller: String) async throws -> Standing? {
    guard isEnabled else { return nil }
    if kind != .general, let shared = try await chargeShared(kind, cost: cost, caller: caller) { return shared }
    let standing = try charge(kind, cost: cost, caller: caller)
    if kind == .general { try await report(kind, cost: cost, caller: caller) }
    return standing
  }

  /// Adds a caller's requests to the count of all processes, if enough of them wait.
  private func report(_ kind: RateLimitKind, cost: Int, caller: String) async throws {
    let limit = limits[kind]
    let table = part(kind, caller)
    let due = table.table.withLock { table in
      table.withWindow(of: caller) { window in
        window.unreported += cost
        guard window.unreported >= max(1, limit.count / 16) else { return 0 }
        defer { window.unreported = 0 }
        return window.unreported
      }
    }
    guard due > 0 else { return }
    do { _ = try await chargeShared(kind, cost: due, caller: caller) } catch let refusal as Problem {
      // Further requests are refused without asking the store.
      let now = clock.now().milliseconds
      table.table.withLock { table in
        table.withWindow(of: caller) { _ = $0.charge(limit.count - $0.used, limit: limit, at: now) }
      }
      throw refusal
    }
  }

  /// Charges a caller in the store; returns nil if the store is not shared.
  private func chargeShared(_ kind: RateLimitKind, cost: Int, caller: String) async throws -> Standing? {
    guard let store else { return nil }
    let limit = limits[kind]
    let now = clock.now().milliseconds
    // The key is a hash, because addresses are personal data.
    let key = Digest.hex(Digest.sha256("\(kind.rawValue) \(caller)".utf8.span))
    let charge = Mutex<Charge?>(nil)
    let isShared = try await store.changeShared(key) { numbers in
      var window = RateWindow(numbers: numbers)
      charge.withLock { $0 = Charge(cost, to: &window, limit: limit, at: now) }
      return window.numbers
    }
    return try isShared ? charge.withLock { $0 }?.standing(limit: limit) : nil
  }

  /// The result of charging a window.
  private struct Charge {
    let isGranted: Bool
    let wait: Int64
    let standing: Standing

    init(_ cost: Int, to window: inout RateWindow, limit: RateLimit, at now: Int64) {
      (isGranted, wait) = window.charge(min(max(cost, 1), limit.count), limit: limit, at: now)
      standing = Standing(
        limit: limit.count, remaining: limit.count - window.used,
        reset: RateLimiter.wholeSeconds(window.reset(limit: limit, at: now)))
    }

    /// - Throws: `Problem` 429 with `Retry-After`, if the charge was refused.
    func standing(limit: RateLimit) throws -> Standing {
      guard !isGranted else { return standing }
      let seconds = RateLimiter.wholeSeconds(wait)
      var fields = standing.fields
      fields[.retryAfter] = String(seconds)
      throw Problem(
        .tooManyRequests, "rate_limited",
        "Too many requests: at most \(limit.count) in \(limit.seconds) seconds. Try again in \(seconds) seconds.",
        headers: fields)
    }
  }

  /// Charges a caller by name; returns nil if there is no limit.
  @discardableResult public func charge(_ kind: RateLimitKind, cost: Int = 1, caller: String) throws -> Standing? {
    guard isEnabled else { return nil }
    let limit = limits[kind]
    let now = clock.now().milliseconds
    let charge = part(kind, caller).table.withLock { table in
      table.withWindow(of: caller) { Charge(cost, to: &$0, limit: limit, at: now) }
    }
    return try charge.standing(limit: limit)
  }

  /// Converts milliseconds to seconds, rounded up so that a caller who waits that long is accepted.
  private static func wholeSeconds(_ milliseconds: Int64) -> Int { Int((milliseconds + 999) / 1000) }

  private func part(_ kind: RateLimitKind, _ caller: String) -> Part {
    var hasher = Hasher()
    hasher.combine(caller)
    let place = Int(UInt(bitPattern: hasher.finalize()) % UInt(Self.partCount))
    return parts[kind.rawValue * Self.partCount + place]
  }
}

extension HTTPField.Name {
  static let rateLimitLimit = HTTPField.Name("RateLimit-Limit") ?? .retryAfter
  static let rateLimitRemaining = HTTPField.Name("RateLimit-Remaining") ?? .retryAfter
  static let rateLimitReset = HTTPField.Name("RateLimit-Reset") ?? .retryAfter
}

/// A maximum number of requests per interval.
package struct RateLimit: Sendable, Equatable {
  /// The number of requests in every interval of `seconds`; at least 1.
  package let count: Int
  package let seconds: Int

  package init(_ count: Int, per seconds: Int) {
    self.count = max(1, count)
    self.seconds = max(1, seconds)
  }
}

/// The kinds of limits. Each kind is counted separately, so that reading never uses up the limits for publishing.
package enum RateLimitKind: Int, Sendable, CaseIterable {
  /// Publishing and changing, per user.
  case share
  /// Unpublishing, per user.
  case delete
  /// Changing a profile, per user.
  case profile
  /// Signing in, per address.
  case signIn
  /// Every request to the interface, per address.
  case general
}

/// The limits of a registry.
/// - Source: the live service's numbers. The limits for profiles and for all requests are FleetKit's own; the limit for
///   all requests is high enough for a harbour behind one address.
package struct RateLimits: Sendable, Equatable {
  package var share = RateLimit(10, per: 60)
  package var delete = RateLimit(20, per: 60)
  package var profile = RateLimit(10, per: 60)
  package var signIn = RateLimit(5, per: 15 * 60)
  package var general = RateLimit(1200, per: 60)

  package init() {}

  subscript(kind: RateLimitKind) -> RateLimit {
    switch kind {
    case .share: share
    case .delete: delete
    case .profile: profile
    case .signIn: signIn
    case .general: general
    }
  }
}

/// The windows of many callers. If there are too many, the least recently used one is dropped: a client that sends
/// from a million addresses uses no more memory than the table's capacity.
package struct RateTable: Sendable {
  private struct Entry {
    var key: String
    var window: RateWindow
    var newer: Int
    var older: Int
  }

  private static let none = -1
  private let capacity: Int
  private var places: [String: Int] = [:]
  private var entries: [Entry] = []
  private var newest = RateTable.none
  private var oldest = RateTable.none

  package init(capacity: Int) { self.capacity = max(1, capacity) }

  package var count: Int { entries.count }

  /// Runs a closure on a caller's window, which is empty at first.
  package mutating func withWindow<Result>(of key: String, _ body: (inout RateWindow) -> Result) -> Result {
    let place = find(key)
    return body(&entries[place].window)
  }

  private mutating func find(_ key: String) -> Int {
    if let place = places[key] {
      if place != newest {
        unlink(place)
        pushNewest(place)
      }
      return place
    }
    if entries.count < capacity {
      let place = entries.count
      entries.append(Entry(key: key, window: RateWindow(), newer: Self.none, older: Self.none))
      places[key] = place
      pushNewest(place)
      return place
    }
    let place = oldest
    places[entries[place].key] = nil
    unlink(place)
    entries[place].key = key
    entries[place].window = RateWindow()
    places[key] = place
    pushNewest(place)
    return place
  }

  private mutating func unlink(_ place: Int) {
    let (newer, older) = (entries[place].newer, entries[place].older)
    if newer == Self.none { newest = older } else { entries[newer].older = older }
    if older == Self.none { oldest = newer } else { entries[older].newer = newer }
  }

  private mutating func pushNewest(_ place: Int) {
    entries[place].newer = Self.none
    entries[place].older = newest
    if newest != Self.none { entries[newest].newer = place }
    newest = place
    if oldest == Self.none { oldest = place }
  }
}

/// The requests of one caller within one limit's window: a log of times and costs.
///
/// No interval of the window's length ever contains more than the limit. The log is bounded: where the limit is high,
/// times close to each other are merged into one entry, which counts until its latest time has left the window.
package struct RateWindow: Sendable {
  /// The maximum number of separate times; limits up to this are exact to the millisecond.
  static let resolution = 32

  private struct Moment {
    var begin: Int64
    var last: Int64
    var cost: Int
  }

  private var moments: [Moment] = []
  private(set) var used = 0
  /// The requests that other processes do not count yet.
  var unreported = 0

  package init() {}

  /// Reads a window from a store; numbers that no window wrote count as an empty one.
  package init(numbers: [Int64]) {
    guard numbers.count.isMultiple(of: 3), numbers.allSatisfy({ $0 >= 0 && $0 < 1 << 53 }) else { return }
    moments = stride(from: 0, to: numbers.count, by: 3).map {
      Moment(begin: numbers[$0], last: numbers[$0 + 1], cost: Int(numbers[$0 + 2]))
    }
    used = moments.reduce(0) { $0 + $1.cost }
  }

  /// The window for a store: begin, end and cost of each entry.
  package var numbers: [Int64] { moments.flatMap { [$0.begin, $0.last, Int64($0.cost)] } }

  /// Drops entries that are older than the window or in the future: if the clock was set back, future entries would
  /// otherwise lock callers out until the clock caught up.
  private mutating func dropExpired(at now: Int64, window: Int64) {
    if let last = moments.last, last.last > now {
      for position in moments.indices where moments[position].last > now {
        moments[position].last = now
        moments[position].begin = min(moments[position].begin, now)
      }
    }
    guard let first = moments.first, now - first.last >= window else { return }
    let kept = moments.firstIndex { now - $0.last < window } ?? moments.endIndex
    for moment in moments[..<kept] { used -= moment.cost }
    moments.removeSubrange(..<kept)
  }

  /// Counts a cost if it fits; otherwise returns the time to wait in milliseconds, which is exact unless the caller
  /// sends other requests.
  package mutating func charge(_ cost: Int, limit: RateLimit, at now: Int64) -> (granted: Bool, wait: Int64) {
    let window = Int64(limit.seconds) * 1000
    dropExpired(at: now, window: window)
    if used + cost <= limit.count {
      used += cost
      let grain = limit.count <= Self.resolution ? 0 : window / Int64(Self.resolution)
      if let last = moments.last, now - last.begin <= grain, grain > 0 {
        moments[moments.count - 1].last = now
        moments[moments.count - 1].cost += cost
      } else {
        moments.append(Moment(begin: now, last: now, cost: cost))
      }
      return (true, 0)
    }
    var missing = used + cost - limit.count
    for moment in moments {
      missing -= moment.cost
      if missing <= 0 { return (false, max(1, moment.last + window - now)) }
    }
    return (false, window)
  }

  /// Returns the number of milliseconds until the whole limit is available again.
  func reset(limit: RateLimit, at now: Int64) -> Int64 {
    guard let last = moments.last else { return 0 }
    return max(0, last.last + Int64(limit.seconds) * 1000 - now)
  }
}
