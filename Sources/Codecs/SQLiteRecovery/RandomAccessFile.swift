import Foundation

/// A file that is read at arbitrary offsets and never written.
final class RandomAccessFile: Sendable {
  private let descriptor: Int32
  /// The size of the file in bytes when it was opened.
  let size: Int

  /// Opens a regular file.
  /// - Throws: `RecoveryFailure.open` if it cannot be opened, `.notAFile` if it is a folder, a pipe or a device.
  init(_ path: String) throws(RecoveryFailure) {
    // With O_NONBLOCK, opening a pipe does not wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .open(path: path, errno: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .notAFile(path: path)
    }
    self.descriptor = descriptor
    size = max(0, Int(status.st_size))
  }

  deinit { close(descriptor) }

  /// Reads `count` bytes at `offset` into the start of `buffer`, which is resized to that size.
  ///
  /// Bytes that are past the end of the file or cannot be read are set to zero.
  /// - Returns: the number of bytes that were read.
  @discardableResult
  func read(_ count: Int, at offset: Int, into buffer: inout [UInt8]) -> Int {
    if buffer.count != count { buffer = Array(repeating: 0, count: max(0, count)) }
    guard count > 0, offset >= 0 else { return 0 }
    return buffer.withUnsafeMutableBytes { bytes in
      var done = 0
      while done < count {
        guard let base = bytes.baseAddress else { break }
        let result = pread(descriptor, base + done, count - done, off_t(offset + done))
        if result < 0, errno == EINTR { continue }
        if result <= 0 { break }
        done += result
      }
      if done < count, let base = bytes.baseAddress { memset(base + done, 0, count - done) }
      return done
    }
  }

  /// Reads a big-endian 32-bit number. Bytes past the end of the file are zero.
  func number32(at offset: Int) -> UInt32 {
    var value: UInt32 = 0
    guard offset >= 0 else { return 0 }
    let count = withUnsafeMutableBytes(of: &value) { bytes in pread(descriptor, bytes.baseAddress, 4, off_t(offset)) }
    return count == 4 ? UInt32(bigEndian: value) : 0
  }
}

/// Reads numbers of the file format. An offset outside the bytes reads as zero and never traps.
/// - Source: https://sqlite.org/fileformat2.html, sections 1.3 and 1.6
extension Array where Element == UInt8 {
  @inline(__always)
  func byte(_ offset: Int) -> UInt8 {
    offset >= 0 && offset < count ? self[offset] : 0
  }

  @inline(__always)
  func number16(_ offset: Int) -> Int {
    Int(byte(offset)) << 8 | Int(byte(offset &+ 1))
  }

  @inline(__always)
  func number32(_ offset: Int) -> UInt32 {
    UInt32(number16(offset)) << 16 | UInt32(number16(offset &+ 2))
  }

  /// Reads a varint of one to nine bytes.
  /// - Returns: its value and the offset after it; nil if it does not end before `end`.
  @inline(__always)
  func varint(_ offset: Int, before end: Int) -> (value: Int64, next: Int)? {
    guard offset >= 0, offset < end, end <= count else { return nil }
    let first = self[offset]
    if first < 0x80 { return (Int64(first), offset + 1) }
    return longVarint(offset, before: end)
  }

  private func longVarint(_ offset: Int, before end: Int) -> (value: Int64, next: Int)? {
    var value: UInt64 = 0
    for index in 0..<9 {
      let position = offset + index
      guard position < end else { return nil }
      let byte = self[position]
      if index == 8 { return (Int64(bitPattern: value << 8 | UInt64(byte)), position + 1) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return (Int64(bitPattern: value), position + 1) }
    }
    return nil
  }

  /// Returns whether the bytes at `offset` equal `prefix`.
  func holds(_ prefix: [UInt8], at offset: Int = 0) -> Bool {
    guard offset >= 0, offset + prefix.count <= count else { return false }
    return prefix.indices.allSatisfy { self[offset + $0] == prefix[$0] }
  }
}
