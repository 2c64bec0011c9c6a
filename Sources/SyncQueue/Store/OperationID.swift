/// Which of a library's two queues a row stands in.
package enum QueuePlace: UInt8, Sendable, CaseIterable {
  /// The app's own table, in the library.
  case library
  /// The table beside the library, for decks, which the app has no table for.
  case beside
}

/// What people call a row of a queue: `12` in the library, `d12` beside it.
package struct OperationID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The queue.
  package let place: QueuePlace
  /// The row's number there.
  package let number: Int64

  /// Makes it of its parts.
  package init(_ place: QueuePlace, _ number: Int64) {
    self.place = place
    self.number = number
  }

  /// Reads what people typed; nil when it is no id.
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
