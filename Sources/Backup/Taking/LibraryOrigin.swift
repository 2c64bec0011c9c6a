import Content
import Foundation

/// Distinguishes libraries with the same name by their paths, because two boats may each have an `anyfleet.sqlite`.
///
/// A backup contains only a hash, because a user's folders are private.
/// - Source: formats/backup.md, "What it records about itself"
enum LibraryOrigin {
  /// Returns the first 16 digits of the SHA-256 of a library's real absolute path; nil if the library does not exist.
  static func of(_ library: String) -> String? {
    guard let real = realpath(library, nil) else { return nil }
    defer { free(real) }
    let bytes = UnsafeRawBufferPointer(start: real, count: strlen(real)).bindMemory(to: UInt8.self)
    return String(Digest.hex(Digest.sha256(bytes)).prefix(16))
  }
}
