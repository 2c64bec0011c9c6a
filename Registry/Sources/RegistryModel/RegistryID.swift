import Content
import Foundation

/// An id that the registry gave to a user, an item or a session: a UUID, lower case on the wire.
public struct RegistryID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The canonical spelling, 36 characters, lower case.
  public let text: String

  /// A new random id.
  public init() { text = UUID().uuidString.lowercased() }

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
