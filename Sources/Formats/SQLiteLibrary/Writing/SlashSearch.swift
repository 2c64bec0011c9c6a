import Foundation

/// Finds slashes fast: most content has few or none.
enum SlashSearch {
  /// Offset of the next `/`, nil when there is none. In canonical JSON a slash is never escaped.
  @inline(__always)
  static func next(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int? {
    guard count > 0, let found = memchr(bytes, 0x2F, count) else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(bytes)
  }
}
