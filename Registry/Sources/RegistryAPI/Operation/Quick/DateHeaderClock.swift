import Foundation
import Synchronization

/// The `Date` header of answers, formatted once a second.
/// - Source: RFC 9110, 5.6.7
package final class DateHeaderClock: Sendable {
  private let last = Mutex<(second: Int, text: [UInt8])>((.min, []))

  /// Returns the current date.
  func now() -> [UInt8] {
    let second = time(nil)
    return last.withLock { last in
      if last.second != second { last = (second, Array(Self.text(second).utf8)) }
      return last.text
    }
  }

  /// Formats a time in seconds since 1970 as `Sun, 06 Nov 1994 08:49:37 GMT`.
  package static func text(_ second: Int) -> String {
    var second = second
    var parts = tm()
    gmtime_r(&second, &parts)
    let day = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][Int(parts.tm_wday)]
    let month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][Int(parts.tm_mon)]
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let time = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    return "\(day), \(two(parts.tm_mday)) \(month) \(1900 + Int(parts.tm_year)) \(time) GMT"
  }
}
