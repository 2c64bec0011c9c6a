import Content
import JSONText
import RegistryModel
import RegistryStore
import Synchronization

/// Remembers for one day which callers have forked which items, so that no caller is counted twice for an item.
///
/// Days are in UTC. Each record is a hash of the item and the caller under a random key, which is discarded with the
/// day, so it cannot be determined later who was counted. Memory is bounded: the oldest marks are forgotten first. A
/// restart forgets all of them. Any task may use it.
///
/// If several processes share a store, the key and the marks are in the store, and are deleted after a day.
package final class ForkDeduplicator: Sendable {
  /// Identifies a caller and an item while a fork is being counted.
  package struct Claim: Sendable, Equatable {
    fileprivate let day: Int64
    fileprivate let mark: Mark

    /// The key of the claim in a shared store.
    fileprivate var key: String { "day fork \(mark.high) \(mark.low)" }
  }

  fileprivate struct Mark: Hashable {
    let high: UInt64
    let low: UInt64
  }

  private struct Day {
    let number: Int64
    let key: [UInt8]
    /// The marks of forks that were counted or are being counted.
    var marks: Set<Mark> = []
    /// The marks of counted forks, in a ring.
    var counted: [Mark] = []
    /// The index of the oldest mark in a full ring.
    var oldest = 0

    init(_ number: Int64, key: [UInt8]) {
      self.number = number
      self.key = key
    }
  }

  private static let dayLength: Int64 = 24 * 3600 * 1000
  private let clock: RegistryClock
  private let store: (any RegistryStore)?
  private let capacity: Int
  private let day = Mutex<Day?>(nil)

  /// - Parameters:
  ///   - store: the store that other processes may share.
  ///   - capacity: the maximum number of marks, of about 50 bytes each.
  package init(clock: RegistryClock, store: (any RegistryStore)? = nil, capacity: Int = 1 << 18) {
    self.clock = clock
    self.store = store
    self.capacity = max(1, capacity)
  }

  /// Begins to count a fork; returns nil if the caller's fork was counted today or is being counted.
  /// - Parameter caller: the sender's key in rate limits.
  /// - Throws: the store's errors.
  package func begin(_ publicID: String, caller: String) async throws -> Claim? {
    let number = today
    try await beginDay(number)
    let claim = day.withLock { day -> Claim? in
      guard var current = day, current.number == number else { return nil }
      day = nil
      let mark = Self.mark(publicID, caller, key: current.key)
      let isNew = current.marks.insert(mark).inserted
      day = current
      return isNew ? Claim(day: number, mark: mark) : nil
    }
    guard let claim, let store else { return claim }
    let isNew = Mutex(true)
    do {
      _ = try await store.changeShared(claim.key) { numbers in
        isNew.withLock { $0 = numbers.isEmpty }
        return [1]
      }
    } catch {
      forget(claim)
      throw error
    }
    if isNew.withLock({ $0 }) { return claim }
    keep(claim)
    return nil
  }

  /// Ends a claim from `begin`; a fork that was not counted may be tried again.
  package func end(_ claim: Claim, isCounted: Bool) async {
    if isCounted { return keep(claim) }
    _ = try? await store?.changeShared(claim.key) { _ in [] }
    forget(claim)
  }

  /// Makes the key of a day, or reads the one that another process has made.
  private func beginDay(_ number: Int64) async throws {
    if day.withLock({ $0?.number }) == number { return }
    var random = SystemRandomNumberGenerator()
    let own = (0..<4).map { _ in Int64.random(in: .min ... .max, using: &random) }
    let key = Mutex(own)
    _ = try await store?.changeShared("day forks \(number)") { numbers in
      let known = numbers.isEmpty ? own : numbers
      key.withLock { $0 = known }
      return known
    }
    let bytes = key.withLock { $0 }.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    day.withLock { if $0?.number != number { $0 = Day(number, key: bytes) } }
  }

  private func forget(_ claim: Claim) {
    day.withLock { if $0?.number == claim.day { $0?.marks.remove(claim.mark) } }
  }

  private func keep(_ claim: Claim) {
    day.withLock { day in
      guard var current = day, current.number == claim.day else { return }
      day = nil
      if current.counted.count < capacity {
        current.counted.append(claim.mark)
      } else {
        current.marks.remove(current.counted[current.oldest])
        current.counted[current.oldest] = claim.mark
        current.oldest = (current.oldest + 1) % capacity
      }
      day = current
    }
  }

  /// Drops a past day's key and all marks under it.
  package func sweep() {
    let number = today
    day.withLock { if $0?.number != number { $0 = nil } }
  }

  /// The number of marks.
  package var count: Int { day.withLock { $0?.marks.count ?? 0 } }

  private var today: Int64 {
    let (days, rest) = clock.now().milliseconds.quotientAndRemainder(dividingBy: Self.dayLength)
    return rest < 0 ? days - 1 : days
  }

  /// Returns a mark. The key comes first and has a fixed length, and the hash never leaves this type, so the hash only
  /// needs to be one-way.
  private static func mark(_ publicID: String, _ caller: String, key: [UInt8]) -> Mark {
    var text = JSONOutput(capacity: 384)
    text.append(raw: key)
    text.append(utf8: publicID)
    text.append(UInt8(ascii: "\n"))
    text.append(utf8: caller)
    let hash = Digest.sha256(text.bytes.span)
    func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    return Mark(high: word(hash.prefix(8)), low: word(hash.dropFirst(8).prefix(8)))
  }
}
