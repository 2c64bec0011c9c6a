import Content
import Foundation

/// An id that the registry gave to a user, an item or a session: a UUID, lower case on the wire.
public struct RegistryID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The canonical spelling, 36 characters, lower case.
  public let text: String

  /// A new random id (RFC 9562, version 4), from the system's own generator.
  ///
  /// Foundation's opens `/dev/urandom` for each one, and writes upper case.
  public init() {
    var random = SystemRandomNumberGenerator()
    self.init(high: random.next() & ~0xF000 | 0x4000, low: random.next())
  }

  /// A new id that sorts behind those of earlier milliseconds (RFC 9562, version 7), its other 74 bits random.
  ///
  /// For what is many and says its time anyway: an index of such ids grows at one end, and does not change a page
  /// somewhere for each of them.
  public init(at time: Timestamp) {
    var random = SystemRandomNumberGenerator()
    let milliseconds = UInt64(truncatingIfNeeded: max(0, time.milliseconds))
    self.init(high: milliseconds << 16 | 0x7000 | random.next() & 0x0FFF, low: random.next())
  }

  private init(high: UInt64, low: UInt64) {
    let low = low & ~(0b11 << 62) | 0b10 << 62
    text = String(unsafeUninitializedCapacity: 36) { text in
      var at = 0
      for nibble in 0..<32 {
        if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 {
          text[at] = UInt8(ascii: "-")
          at += 1
        }
        let word = nibble < 16 ? high : low
        let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (nibble & 15)) & 15)
        text[at] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        at += 1
      }
      return at
    }
  }

  /// Reads an id in either case; nil for anything that is no UUID.
  public init?(_ text: String) {
    guard text.utf8.count == 36, UUID(uuidString: text) != nil else { return nil }
    self.text = text.lowercased()
  }

  /// An id from a store, which wrote it by `text`.
  public init(stored text: String) { self.text = text }

  /// The canonical spelling.
  public var description: String { text }

  /// By bytes, as stores order them.
  public static func < (left: RegistryID, right: RegistryID) -> Bool { left.text < right.text }
}
