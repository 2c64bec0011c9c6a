/// A text that equals another only when both have the same code points.
///
/// Swift's `String` takes `ä` written as one code point and as two for equal. JSON does not: they are two member
/// names, and a schema's `const` of one does not allow the other.
public struct ExactText: Hashable, Sendable {
  private let utf8: [UInt8]

  /// Wraps a text.
  public init(_ text: String) { utf8 = Array(text.utf8) }
}

extension String {
  /// Whether two texts have the same code points.
  package func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
