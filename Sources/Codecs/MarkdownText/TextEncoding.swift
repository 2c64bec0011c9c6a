/// How the letters of a text file are written as bytes.
public enum TextEncoding: String, Sendable, CaseIterable {
  case utf8 = "utf-8"
  case utf16LittleEndian = "utf-16le"
  case utf16BigEndian = "utf-16be"
  /// Cyrillic, as Windows wrote it.
  case windows1251 = "windows-1251"
  /// Western Europe, as Windows wrote it; holds ISO 8859-1.
  case windows1252 = "windows-1252"
}
