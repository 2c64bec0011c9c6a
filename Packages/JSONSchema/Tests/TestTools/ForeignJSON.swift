import Foundation

/// JSON as Foundation parses it, which serves as a second opinion on the meaning of a text.
public enum ForeignJSON {
  /// Parses a text; nil if Foundation refuses it.
  public static func parse(_ text: String) -> NSObject? {
    (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: [.fragmentsAllowed])) as? NSObject
  }

  /// Whether two texts have the same meaning as JSON, or are identical if they are not JSON.
  public static func same(_ left: String, _ right: String) -> Bool {
    if left == right { return true }
    guard let first = parse(left), let second = parse(right) else { return false }
    return first.isEqual(second)
  }
}
