import Content
import Foundation

/// Texts of a pack that consist of lines.
enum PackLines {
  /// A text on one line: line ends and other control characters become spaces.
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

/// The time used in packs: none, unless the environment sets it.
enum PackEpoch {
  /// The value of `SOURCE_DATE_EPOCH`, in seconds since 1970; nil if it is missing or does not fit a pack.
  /// - Source: https://reproducible-builds.org/specs/source-date-epoch/
  static var seconds: Int64? {
    guard let text = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"], let seconds = Int64(text),
      // From 1970 to 9999, the range that every archive can store.
      (0...253_402_300_799).contains(seconds)
    else { return nil }
    return seconds
  }
}

extension String {
  /// The first bytes of an ASCII text.
  func utf8Prefix(_ count: Int) -> String { String(decoding: utf8.prefix(count), as: UTF8.self) }
}
