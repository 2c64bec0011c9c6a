import CZlib
import Foundation
import Interchange

/// Packs bytes and writes them to a file.
protocol PackedOutput: AnyObject {
  /// Adds bytes.
  /// - Throws: `RunFailure` with status 2 if the disk is full.
  func write(_ bytes: Span<UInt8>) throws

  /// Packs and writes the remaining bytes. Bytes that are added later begin a new unit that can be unpacked
  /// independently.
  /// - Returns: the number of bytes that this output has written to the file.
  func finish() throws -> Int
}

/// Detects content that packs so well that readers would reject its archive as a bomb.
///
/// The bounds are about half of the limits in `ArchiveLimits`, because readers check them while they read and not only
/// at the end.
enum CompressionRatioGuard {
  /// The number of bytes to which each byte of a written archive may unpack.
  static let ratio = ArchiveLimits.standard.ratio * 2 / 5

  /// The number of bytes to which an archive may unpack before the ratio is checked.
  static let free = ArchiveLimits.standard.freeBytes * 3 / 8

  /// Checks that content can be stored in a format without padding.
  /// - Throws: `RunFailure` with status 4 if the content packs too well.
  static func check(_ plain: Int, packed: Int, of name: String) throws {
    guard plain > free, plain / ratio > packed else { return }
    throw RunFailure(
      .refused, "write '\(name)': the content packs so well that readers would reject the archive as a bomb",
      advice: "Write a .fleetpack, which can hold such content.")
  }
}

/// Packs bytes as gzip members without a name or time.
final class GzipOutput: PackedOutput {
  private let name: String
  private let deflater: Deflater
  /// Whether a member has begun.
  private var isOpen = false
  private var taken = 0

  /// Creates an output that writes to an open file. `name` is used in messages.
  init(descriptor: Int32, name: String, level: Int) {
    self.name = name
    deflater = Deflater(descriptor, name: name, level: level, .gzip)
  }

  func write(_ bytes: Span<UInt8>) throws {
    try Interruption.check()
    if !isOpen { try deflater.begin() }
    isOpen = true
    try deflater.add(bytes)
    taken += bytes.count
    try CompressionRatioGuard.check(taken, packed: deflater.written, of: name)
  }

  func finish() throws -> Int {
    guard isOpen else { return 0 }
    try deflater.end()
    isOpen = false
    return deflater.written
  }
}

/// Packs byte sequences with zlib, one by one, and writes the results to an open file.
final class Deflater {
  /// The format around the packed bytes.
  enum Frame: Int32 {
    /// No frame, as in ZIP.
    case none = -15
    /// gzip's header and trailer. zlib writes no name, a time of 0, and Unix as the operating system.
    case gzip = 31
  }

  /// The number of bytes that were written since `begin`.
  private(set) var written = 0

  private let descriptor: Int32
  private let name: String
  private let level: Int32
  private let frame: Frame
  private var stream = z_stream()
  private var isOpen = false
  private let room = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 18)

  /// Creates a deflater that writes to an open file. `name` is used in messages. Level 3, zstd's default, means zlib's
  /// default.
  init(_ descriptor: Int32, name: String, level: Int, _ frame: Frame) {
    self.descriptor = descriptor
    self.name = name
    // zlib has levels 1 to 9; 6 is its default.
    self.level = level == 3 ? 6 : Int32(min(9, max(1, level)))
    self.frame = frame
  }

  deinit {
    if isOpen { deflateEnd(&stream) }
    room.deallocate()
  }

  /// Begins a sequence.
  func begin() throws {
    written = 0
    if isOpen {
      deflateReset(&stream)
      return
    }
    // 15 means the largest window.
    let opened = deflateInit2_(
      &stream, level, Z_DEFLATED, frame.rawValue, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard opened == Z_OK else { throw RunFailure(.internalError, "pack '\(name)': zlib reports \(opened)") }
    isOpen = true
  }

  /// Packs bytes of the sequence.
  func add(_ bytes: Span<UInt8>) throws {
    var rest = bytes
    while !rest.isEmpty {
      // zlib counts in 32 bits.
      let piece = rest.extracting(first: 1 << 30)
      try piece.withUnsafeBufferPointer { piece in
        stream.next_in = UnsafeMutablePointer(mutating: piece.baseAddress)
        stream.avail_in = UInt32(piece.count)
        while stream.avail_in > 0 { try step(Z_NO_FLUSH) }
      }
      rest = rest.extracting(droppingFirst: piece.count)
    }
  }

  /// Ends the sequence.
  func end() throws {
    stream.next_in = nil
    stream.avail_in = 0
    while try step(Z_FINISH) != Z_STREAM_END {}
  }

  @discardableResult
  private func step(_ flush: Int32) throws -> Int32 {
    stream.next_out = room.baseAddress
    stream.avail_out = UInt32(room.count)
    let status = deflate(&stream, flush)
    guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
      throw RunFailure(.internalError, "pack '\(name)': zlib reports \(status)")
    }
    let count = room.count - Int(stream.avail_out)
    try FileBytes.write(room.span.bytes.extracting(first: count), to: descriptor, name: name)
    written += count
    return status
  }
}
