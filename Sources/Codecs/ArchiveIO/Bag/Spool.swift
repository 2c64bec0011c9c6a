import Foundation
import Interchange

/// Bytes in a file that only its owner can read. The file is mapped into memory when it is complete.
final class Spool: @unchecked Sendable {
  /// The path of the file; nil if it is unnamed.
  let path: String?
  private let descriptor: Int32
  private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
  private var buffered = 0
  private var pages: UnsafeMutableRawPointer?
  private var name: String { path ?? TemporaryFolder.root }
  /// The number of bytes.
  private(set) var count = 0

  /// Creates an empty unnamed file under `TMPDIR`.
  init() throws {
    path = nil
    descriptor = try FileBytes.unnamed(in: TemporaryFolder.root)
  }

  /// Creates an empty file at a path that does not exist yet.
  init(at path: String) throws {
    self.path = path
    descriptor = try FileBytes.create(path)
  }

  deinit {
    if let pages { munmap(pages, count) }
    buffer.deallocate()
    close(descriptor)
  }

  /// Appends bytes.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    if buffered + bytes.count > buffer.count { try flush() }
    if bytes.count >= buffer.count {
      try FileBytes.write(bytes, to: descriptor, name: name)
    } else {
      UnsafeMutableRawBufferPointer(rebasing: buffer[buffered...]).copyMemory(from: bytes)
      buffered += bytes.count
    }
    count += bytes.count
  }

  /// Maps the file. No bytes may be appended afterwards.
  func map() throws {
    try flush()
    guard count > 0 else { return }
    guard let mapped = mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0), mapped != MAP_FAILED else {
      throw RunFailure(.failed, "map a temporary file: \(SystemError.last)")
    }
    pages = mapped
  }

  /// Returns a range of the bytes.
  func bytes(_ start: Int, _ size: Int) -> UnsafeRawBufferPointer {
    guard let pages, size > 0, start + size <= count else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(start: pages + start, count: size)
  }

  private func flush() throws {
    try FileBytes.write(UnsafeRawBufferPointer(rebasing: buffer[..<buffered]), to: descriptor, name: name)
    buffered = 0
  }
}
