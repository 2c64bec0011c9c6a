import FleetKit
import Foundation

/// Numbers, formatted for people.
enum Figures {
  /// Returns a size in decimal units: `4.2 MB`.
  static func bytes(_ count: Int) -> String {
    if count < 1000 { return "\(count) bytes" }
    var value = Double(count)
    var unit = 0
    let units = ["bytes", "KB", "MB", "GB", "TB"]
    while value >= 1000, unit < units.count - 1 {
      value /= 1000
      unit += 1
    }
    return String(format: value < 10 ? "%.1f %@" : "%.0f %@", value, units[unit] as NSString)
  }

  /// Returns a duration: `0.42 s`, `3 min 20 s`.
  static func duration(_ seconds: Double) -> String {
    if seconds < 10 { return String(format: "%.2f s", seconds) }
    if seconds < 120 { return String(format: "%.0f s", seconds) }
    return "\(Int(seconds) / 60) min \(Int(seconds) % 60) s"
  }

  /// Returns a number with a space between thousands, independent of the locale: `45 678`.
  static func count(_ number: Int) -> String {
    var digits = Array(String(number).utf8)
    var at = digits.count - 3
    while at > 0 {
      digits.insert(0x20, at: at)
      at -= 3
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Returns a number and its noun: `45 678 records`, `1 record`.
  /// - Parameter many: the plural, if it is not the singular with an s.
  static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(count(number)) \(Plural.word(number, one, many))"
  }

  /// Returns the number of records of a kind: `3 items`, `1 item`.
  static func count(_ number: Int, _ kind: RecordKind) -> String {
    Plural.count(number, kind.name.replacing("_", with: " "), kind.plural)
  }
}
