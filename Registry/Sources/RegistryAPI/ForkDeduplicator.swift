import Content
import JSONText
import RegistryModel
import Synchronization

/// Remembers for one day which callers have forked which items, so that no caller is counted twice for an item.
///
/// Days are in UTC. Each record is a hash of the item and the caller under a random key. The key is discarded with the
/// day and is never written anywhere, so it cannot be determined later who was counted. Memory is bounded: the oldest
/// marks are forgotten first. A restart forgets all of them. Any task may use it.
package final class ForkDeduplicator: Sendable {
  /// Identifies a caller and an item while a fork is being counted.
  package struct Claim: Sendable, Equatable {
    fileprivate let day: Int64
    fileprivate let mark: Mark
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

    init(_ number: Int64) {
      self.number = number
      var random = SystemRandomNumberGenerator()
      key = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }
  }

  private static let dayLength: Int64 = 24 * 3600 * 1000
  private let clock: RegistryClock
  private let capacity: Int
  private let day = Mutex<Day?>(nil)

  /// - Parameter capacity: the maximum number of marks, of about 50 bytes each.
  package init(clock: RegistryClock, capacity: Int = 1 << 18) {
    self.clock = clock
    self.capacity = max(1, capacity)
  }

  /// Begins to count a fork; returns nil if the caller's fork was counted today or is being counted.
  /// - Parameter caller: the sender's key in rate limits.
  package func begin(_ publicID: String, caller: String) -> Claim? {
    let number = today
    return day.withLock { day in
      var current = day.flatMap { $0.number == number ? $0 : nil } ?? Day(number)
      day = nil
      let mark = Self.mark(publicID, caller, key: current.key)
      let isNew = current.marks.insert(mark).inserted
      day = current
      return isNew ? Claim(day: number, mark: mark) : nil
    }
  }

  /// Ends a claim from `begin`; a fork that was not counted may be tried again.
  package func end(_ claim: Claim, isCounted: Bool) {
    day.withLock { day in
      guard var current = day, current.number == claim.day else { return }
      day = nil
      if !isCounted {
        current.marks.remove(claim.mark)
      } else if current.counted.count < capacity {
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
