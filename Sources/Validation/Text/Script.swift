/// A script, to the extent that rules distinguish scripts.
enum Script: Int, CaseIterable {
  case latin, cyrillic, greek, hebrew, arabic, other

  /// Classifies a letter. Fails for any other scalar.
  @inline(__always) init?(_ scalar: UInt32) {
    switch scalar {
    case 0x41...0x5A, 0x61...0x7A, 0xC0..<0x250, 0x1E00..<0x1F00: self = .latin
    case 0x400..<0x530: self = .cyrillic
    case 0x370..<0x400, 0x1F00..<0x2000: self = .greek
    case 0x590..<0x600: self = .hebrew
    case 0x600..<0x780, 0xFB50..<0xFE00, 0xFE70..<0xFEFF: self = .arabic
    case 0x530..<0x590, 0x900..<0x1E00, 0x3040..<0xD800: self = .other
    default: return nil
    }
  }

  /// The script's name in messages.
  var name: String {
    switch self {
    case .latin: "Latin"
    case .cyrillic: "Cyrillic"
    case .greek: "Greek"
    case .hebrew: "Hebrew"
    case .arabic: "Arabic"
    case .other: "other"
    }
  }
}
