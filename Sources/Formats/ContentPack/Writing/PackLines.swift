import Content
import Foundation

/// Renders lines for a pack's text files.
enum PackLines {
  /// Returns a string on one line: line breaks and other control characters become spaces.
  static func oneLine(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isControl = scalar.value < 0x20 || scalar.value == 0x7F || (0x80...0x9F).contains(scalar.value)
      let isLineEnd = scalar.value == 0x2028 || scalar.value == 0x2029
      out.append(isControl || isLineEnd ? " " : scalar)
    }
    return String(out).trimmingCharacters(in: .whitespaces)
  }
}

/// The time that is written to packs. The time is only set if the environment specifies it.
enum PackEpoch {
  /// The value of `SOURCE_DATE_EPOCH`, in seconds since 1970; nil if it is missing or out of range for a pack.
  /// - Source: https://reproducible-builds.org/specs/source-date-epoch/
  static var seconds: Int64? {
    guard let text = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"], let seconds = Int64(text),
      // The years 1970 to 9999 can be stored in every kind of archive.
      (0...253_402_300_799).contains(seconds)
    else { return nil }
    return seconds
  }
}

extension String {
  /// Returns the first bytes of an ASCII string.
  func utf8Prefix(_ count: Int) -> String { String(decoding: utf8.prefix(count), as: UTF8.self) }
}
