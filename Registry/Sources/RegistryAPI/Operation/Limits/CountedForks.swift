import Content
import JSONText
import RegistryModel
import Synchronization

/// Knows for a day whose forks of which item were counted, so that nobody counts twice.
///
/// A day is one in UTC. Kept is a hash of item and caller under a random key; the key goes with the day and is never
/// written anywhere, so nobody can tell afterwards who was counted. Memory is bounded: marks made longest ago are
/// forgotten first. A restart forgets all of them. Safe from any task.
package final class CountedForks: Sendable {
  /// Stands for one caller and one item while a fork is being counted.
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
    /// Counted, or about to be.
    var marks: Set<Mark> = []
    /// Those that were counted, in a ring.
    var counted: [Mark] = []
    /// The oldest of a full ring.
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

  /// - Parameter capacity: marks kept at most, of some 50 bytes each.
  package init(clock: RegistryClock, capacity: Int = 1 << 18) {
    self.clock = clock
    self.capacity = max(1, capacity)
  }

  /// Begins to count a fork; nil when the caller's was counted today, or is being counted.
  /// - Parameter caller: what stands for the sender in limits.
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

  /// Ends what `begin` began; what was not counted may be tried again.
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

  /// Drops the key of a day that is over, and everything under it.
  package func sweep() {
    let number = today
    day.withLock { if $0?.number != number { $0 = nil } }
  }

  /// Marks that are kept.
  package var count: Int { day.withLock { $0?.marks.count ?? 0 } }

  private var today: Int64 {
    let (days, rest) = clock.now().milliseconds.quotientAndRemainder(dividingBy: Self.dayLength)
    return rest < 0 ? days - 1 : days
  }

  /// The key comes first and has one length, and what is made of it leaves this type nowhere: no more is asked of the
  /// hash than that nobody can invert it.
  private static func mark(_ publicID: String, _ caller: String, key: [UInt8]) -> Mark {
    var text = JSONOutput(capacity: 384)
    text.append(raw: key)
    text.append(utf8: publicID)
    text.append(UInt8(ascii: "\n"))
    text.append(utf8: caller)
    let hash = Digest.sha256(text.bytes)
    func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    return Mark(high: word(hash.prefix(8)), low: word(hash.dropFirst(8).prefix(8)))
  }
}
