import HTTPTypes
import RegistryModel
import Synchronization

/// Enforces callers' rate limits.
///
/// Memory is bounded: each kind of limit keeps a fixed number of the most recent callers. Refused requests are not
/// charged. Any task may use it; callers are distributed over separately locked tables.
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
  private let parts: [Part]

  /// - Parameter capacity: the number of callers kept for each kind of limit.
  package init(limits: RateLimits = RateLimits(), isEnabled: Bool = true, clock: RegistryClock, capacity: Int = 32_768)
  {
    self.limits = limits
    self.isEnabled = isEnabled
    self.clock = clock
    parts = (0..<RateLimitKind.allCases.count * Self.partCount).map { _ in Part(capacity: capacity / Self.partCount) }
  }

  /// Charges the sender of a request: the user for user actions, the address for all others. The remaining limit is
  /// added to the answer's fields.
  /// - Parameter cost: the number of requests that this one counts as; a cost above the limit counts as the limit.
  /// - Throws: `Problem` 429 with `Retry-After`.
  package func charge(_ kind: RateLimitKind, cost: Int = 1, _ context: RegistryContext) throws {
    guard isEnabled else { return }
    let caller: String
    switch kind {
    case .share, .delete, .profile: caller = context.principal?.userID.text ?? AddressKey.of(context.clientAddress)
    case .signIn, .general: caller = AddressKey.of(context.clientAddress)
    }
    context.notes.note(try charge(kind, cost: cost, caller: caller))
  }

  /// Charges a caller by name; returns nil when there is no limit.
  @discardableResult public func charge(_ kind: RateLimitKind, cost: Int = 1, caller: String) throws -> Standing? {
    guard isEnabled else { return nil }
    let limit = limits[kind]
    let charged = min(max(cost, 1), limit.count)
    let now = clock.now().milliseconds
    let (granted, wait, standing) = part(kind, caller).table.withLock { table in
      table.withWindow(of: caller) { window in
        let (granted, wait) = window.charge(charged, limit: limit, at: now)
        let left = window.reset(limit: limit, at: now)
        let standing = Standing(
          limit: limit.count, remaining: limit.count - window.used, reset: Self.wholeSeconds(left))
        return (granted, wait, standing)
      }
    }
    guard !granted else { return standing }
    let seconds = Self.wholeSeconds(wait)
    var fields = standing.fields
    fields[.retryAfter] = String(seconds)
    throw Problem(
      .tooManyRequests, "rate_limited",
      "Too many requests: at most \(limit.count) in \(limit.seconds) seconds. Try again in \(seconds) seconds.",
      headers: fields)
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
