import Content
import Foundation

/// Tells libraries of one name apart, by where they are: two boats may each have an `anyfleet.sqlite`.
///
/// Only a hash goes into a backup: where somebody keeps files is nobody else's business.
/// - Source: formats/backup.md, "What it says about itself"
enum LibraryOrigin {
  /// The first 16 digits of the SHA-256 of a library's real absolute path; nil when it is not there.
  static func of(_ library: String) -> String? {
    guard let real = realpath(library, nil) else { return nil }
    defer { free(real) }
    let bytes = UnsafeRawBufferPointer(start: real, count: strlen(real)).bindMemory(to: UInt8.self)
    return String(Digest.hex(Digest.sha256(bytes)).prefix(16))
  }
}
