/// The queue that a row belongs to.
package enum QueuePlace: UInt8, Sendable, CaseIterable {
  /// The app's own table, in the library.
  case library
  /// The table in the sidecar for decks, which the app has no table for.
  case beside
}

/// The id of a queue row, as people write it: `12` in the library, `d12` in the sidecar.
package struct OperationID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The queue.
  package let place: QueuePlace
  /// The row's number in that queue.
  package let number: Int64

  /// Creates an instance from its members.
  package init(_ place: QueuePlace, _ number: Int64) {
    self.place = place
    self.number = number
  }

  /// Parses an id as people type it; returns nil when the string is not an id.
  package init?(_ text: String) {
    let digits = text.hasPrefix("d") ? text.dropFirst() : text[...]
    guard let number = Int64(digits), number > 0, digits.allSatisfy(\.isNumber) else { return nil }
    self.init(text.hasPrefix("d") ? .beside : .library, number)
  }

  package var description: String { place == .library ? String(number) : "d\(number)" }

  package static func < (left: OperationID, right: OperationID) -> Bool {
    left.place == right.place ? left.number < right.number : left.place.rawValue < right.place.rawValue
  }
}
