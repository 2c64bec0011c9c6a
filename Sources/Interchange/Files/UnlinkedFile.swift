import Foundation

/// A temporary file that has no name any more: gone with the process.
final class UnlinkedFile {
  /// Open for reading and writing.
  let descriptor: Int32
  /// What messages call it.
  let name: String

  /// Makes it in a folder, or in the one for temporary files.
  /// - Throws: `RunFailure` when that folder cannot be written.
  init(in folder: String = TemporaryFolder.root) throws {
    var template = Array((folder + "/fleetkit-XXXXXX").utf8CString)
    descriptor = mkstemp(&template)
    name = "a temporary file in \(folder)"
    guard descriptor >= 0 else {
      throw RunFailure(
        .failed, "make a temporary file in '\(folder)': \(SystemError.last)",
        advice: "Set TMPDIR to a folder that can be written.")
    }
    unlink(template)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Lends a stretch of it in pieces.
  /// - Throws: `RunFailure` when it cannot be read; what `body` throws.
  func read(_ stretch: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
    var piece = [UInt8](repeating: 0, count: min(stretch.count, 1 << 16))
    var at = stretch.lowerBound
    while at < stretch.upperBound {
      let room = min(piece.count, stretch.upperBound - at)
      let got = piece.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, room, off_t(at)) }
      guard got > 0 else { throw RunFailure(.failed, "read \(name): \(SystemError.last)") }
      try piece.withUnsafeBufferPointer { try body(UnsafeBufferPointer(rebasing: $0[..<got])) }
      at += got
    }
  }
}
