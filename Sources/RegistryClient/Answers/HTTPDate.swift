import Content

/// Reads times from HTTP headers.
enum HTTPDate {
  /// Returns the seconds until the time in `Retry-After`, which is a number of seconds or a date; nil when it is
  /// neither.
  /// - Parameters:
  ///   - sent: the answer's own date, so that a wrong local clock does not matter.
  ///   - now: the local time, for answers without a date.
  static func seconds(until text: String, from sent: String?, now: Timestamp) -> Double? {
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return Double(text).map { min($0, longest) }
    }
    guard let then = parse(text) else { return nil }
    let start = sent.flatMap(parse) ?? now
    return min(longest, max(0, Double(then.milliseconds - start.milliseconds) / 1000))
  }

  /// The maximum wait, about three years, in seconds. A longer wait is shortened to this, so that times can be computed
  /// with it.
  private static let longest = 100_000_000.0

  /// Parses a date like `Sun, 06 Nov 1994 08:49:37 GMT`.
  /// - Source: RFC 9110, section 5.6.7; the two obsolete formats are not supported.
  static func parse(_ text: String) -> Timestamp? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: String(parts[2])) else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    return Timestamp.parse("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")?.0
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
