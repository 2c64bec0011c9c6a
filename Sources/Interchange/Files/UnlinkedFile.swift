import Foundation

/// A temporary file that has no name any more: gone with the process.
package final class UnlinkedFile {
  /// Open for reading and writing.
  let descriptor: Int32
  /// What messages call it.
  let name: String

  /// Makes it in a folder, or in the one for temporary files.
  /// - Throws: `RunFailure` when that folder cannot be written.
  init(in folder: String = TemporaryFolder.root) throws {
    name = "a temporary file in \(folder)"
    descriptor = try Self.descriptor(in: folder)
  }

  /// Makes one for whoever closes it.
  /// - Returns: its descriptor, open for reading and writing.
  /// - Throws: `RunFailure` when the folder cannot be written.
  package static func descriptor(in folder: String = TemporaryFolder.root) throws -> Int32 {
    var template = Array((folder + "/fleetkit-XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else {
      throw RunFailure(
        .failed, "make a temporary file in '\(folder)': \(SystemError.last)",
        advice: "Set TMPDIR to a folder that can be written.")
    }
    unlink(template)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }

  deinit { close(descriptor) }

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
