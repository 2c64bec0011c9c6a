import FleetKitCore
import Foundation

/// The text of a file that is to be changed, held in memory, and what the file was.
struct FixText: ~Copyable {
  private let buffer: ByteBuffer
  /// The file as it was opened.
  let stamp: FileStamp
  /// Its mode, without its type.
  let mode: mode_t
  let owner: uid_t
  let group: gid_t

  /// Reads a file whole.
  /// - Parameter name: for messages.
  /// - Throws: `RunFailure` when it cannot be read, is no file, or is too large to be held.
  init(path: String, name: String, limit: Int) throws {
    // Opening a pipe would wait for somebody to write.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw RunFailure(.failed, "fix '\(name)': \(SystemError.last)") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw RunFailure(.failed, "fix '\(name)': \(SystemError.last)") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw RunFailure(.failed, "fix '\(name)': it is not a file") }
    let size = Int(status.st_size)
    guard size <= limit else {
      throw RunFailure(
        .failed, "fix '\(name)': the file has \(size >> 20) MB; files are fixed up to \(limit >> 20) MB",
        advice: "Split it into smaller bundles, or correct it by hand.")
    }
    var bytes = ByteBuffer(capacity: size + 1)
    while bytes.count <= size {
      let got = bytes.append(room: size + 1 - bytes.count) { read(descriptor, $0.baseAddress, $0.count) }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw RunFailure(.failed, "fix '\(name)': \(SystemError.last)") }
      if got == 0 { break }
    }
    guard bytes.count == size else {
      throw RunFailure(
        .refused, "fix '\(name)': the file was changed meanwhile", advice: "Check it again, then fix what is found.")
    }
    buffer = bytes
    stamp = FileStamp(status)
    mode = status.st_mode & 0o7777
    owner = status.st_uid
    group = status.st_gid
  }

  /// The text, in place.
  var bytes: UnsafeBufferPointer<UInt8> { buffer.bytes }

  /// A part of it, parsed.
  func document(_ range: Range<Int>) throws(JSONError) -> JSONDocument {
    try JSONDocument(parsing: UnsafeBufferPointer(rebasing: buffer.bytes[range]))
  }
}

/// One stretch of a text and what stands there instead.
struct TextEdit: Equatable {
  let range: Range<Int>
  let text: [UInt8]
}
