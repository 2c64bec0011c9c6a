import Foundation
import Interchange

/// Reads shared texts for one thread. Texts on disk are read through a window that grows as long as they are requested
/// in order.
///
/// The cursor is a value type, so that frequent changes to it are cheap.
struct SharedStringCursor: ~Copyable {
  private let strings: SharedStrings
  private let texts: Int
  private let inMemory: Int
  private var window = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var start = 0
  private var count = 0
  private var last = -1
  private var next = 0

  /// Starts reading from a complete table.
  init(_ strings: SharedStrings) {
    self.strings = strings
    (texts, inMemory) = (strings.count, strings.inMemory)
  }

  deinit { window.deallocate() }

  /// Returns a text, which is valid until the next request.
  /// - Returns: the text; nil if no text has this number.
  /// - Throws: `RunFailure` when the file cannot be read.
  mutating func text(_ index: Int) throws -> UnsafeBufferPointer<UInt8>? {
    guard index >= 0, index < texts else { return nil }
    var (at, place) = (index - index % SharedStrings.stride, 0)
    if last >= at, last < index { (at, place) = (last + 1, next) } else { place = strings.place(of: at) }
    while true {
      let length = try length(at: place)
      if at == index {
        let base = try bytes(at: place + 4, length)
        (last, next) = (index, place + 4 + length)
        return UnsafeBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: length)
      }
      place += 4 + length
      at += 1
    }
  }

  @inline(__always) private mutating func length(at place: Int) throws -> Int {
    Int(UInt32(littleEndian: try bytes(at: place, 4).loadUnaligned(as: UInt32.self)))
  }

  @inline(__always)
  private mutating func bytes(at place: Int, _ length: Int) throws -> UnsafeRawPointer {
    if place < inMemory { return strings.bytes(at: place) }
    let offset = place - inMemory
    if offset < start || offset + length > start + count { try fill(offset, length) }
    return UnsafeRawPointer(window.baseAddress.unsafelyUnwrapped + (offset - start))
  }

  private mutating func fill(_ offset: Int, _ length: Int) throws {
    // If the text is near the last one, read ahead. After a jump, read only a little.
    let isNear = offset >= start && offset - (start + count) < 4096
    let wanted = max(length, isNear ? 1 << 16 : 4096)
    if wanted > window.count {
      window.deallocate()
      window = .allocate(byteCount: wanted, alignment: 16)
    }
    (start, count) = (offset, 0)
    while count < wanted {
      let room = UnsafeMutableRawBufferPointer(rebasing: window[count..<wanted])
      let got = pread(strings.descriptor, room.baseAddress, room.count, off_t(offset + count))
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw RunFailure(.failed, "read a temporary file: \(SystemError.last)") }
      if got == 0 { break }
      count += got
    }
    guard count >= length else { throw RunFailure(.internalError, "read a temporary file: it ends too early") }
  }
}
