import FleetKit
import Foundation

/// Numbers as people read them.
enum Figures {
  /// `4.2 MB`; decimal units.
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

  /// `0.42 s`, `3 min 20 s`.
  static func duration(_ seconds: Double) -> String {
    if seconds < 10 { return String(format: "%.2f s", seconds) }
    if seconds < 120 { return String(format: "%.0f s", seconds) }
    return "\(Int(seconds) / 60) min \(Int(seconds) % 60) s"
  }

  /// `3 items`, `1 item`.
  static func count(_ number: Int, _ kind: RecordKind) -> String {
    "\(number) " + (number == 1 ? kind.name.replacing("_", with: " ") : kind.plural)
  }
}
