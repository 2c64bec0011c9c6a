import Content
import Foundation

/// An id that the registry assigned to a user, an item or a session: a UUID, in lower case in JSON.
public struct RegistryID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The canonical spelling, 36 characters in lower case.
  public let text: String

  /// Creates a random id (RFC 9562, version 4) from the system's generator.
  ///
  /// Foundation's `UUID` is not used, because it opens `/dev/urandom` for each id and writes upper case.
  public init() {
    var random = SystemRandomNumberGenerator()
    self.init(high: random.next() & ~0xF000 | 0x4000, low: Self.variant(random.next()))
  }

  /// Creates an id that sorts after the ids created in earlier milliseconds (RFC 9562, version 7), with 74 random bits.
  ///
  /// Such ids are for numerous records whose time is not secret: their index grows at one end instead of changing a
  /// random page for each id.
  public init(at time: Timestamp) {
    var random = SystemRandomNumberGenerator()
    let milliseconds = UInt64(truncatingIfNeeded: max(0, time.milliseconds))
    self.init(high: milliseconds << 16 | 0x7000 | random.next() & 0x0FFF, low: Self.variant(random.next()))
  }

  /// Returns the low half of an id with the bits that RFC 9562 requires.
  private static func variant(_ low: UInt64) -> UInt64 { low & ~(0b11 << 62) | 0b10 << 62 }

  /// Creates an id from the two halves of its number.
  public init(high: UInt64, low: UInt64) {
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

  /// Parses an id in either case; returns nil for anything that is not a UUID.
  public init?(_ text: String) {
    guard text.utf8.count == 36, UUID(uuidString: text) != nil else { return nil }
    self.text = text.lowercased()
  }

  /// Creates an id from a stored `text`.
  public init(stored text: String) { self.text = text }

  /// The canonical spelling.
  public var description: String { text }

  /// Compares ids by bytes, as stores order them.
  public static func < (left: RegistryID, right: RegistryID) -> Bool { left.text < right.text }
}
