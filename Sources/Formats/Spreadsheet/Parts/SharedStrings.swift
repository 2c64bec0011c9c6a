import ArchiveIO
import Foundation
import Interchange
import JSONText

/// The texts that cells refer to by number. The first 40 MB are kept in memory, and the rest in an unnamed file.
///
/// Every text is preceded by its length. The position of every eighth text is stored.
final class SharedStrings: @unchecked Sendable {
  /// The maximum number of bytes that are kept in memory.
  static let kept = 40 << 20
  /// The number of texts for each stored position.
  static let stride = 8

  /// The number of texts.
  private(set) var count = 0
  /// The file with the texts that are not in memory; -1 if all texts are in memory.
  private(set) var descriptor: Int32 = -1
  /// The number of bytes that are in memory.
  private(set) var inMemory = 0
  private let room: UnsafeMutableRawPointer
  private let capacity: Int
  private var places: [Int] = []
  private var onDisk = 0
  private var sink: ByteSink?

  /// Creates an empty table.
  /// - Parameter bytes: the maximum number of bytes that will be added. A generous estimate does no harm, because
  ///   unused memory is not allocated.
  init(expecting bytes: Int, kept: Int = SharedStrings.kept) {
    // A text takes at most four bytes more than in the XML, where tags surround it.
    capacity = max(64, min(bytes, kept))
    room = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit {
    room.deallocate()
    if descriptor >= 0 { close(descriptor) }
  }

  /// Adds a text.
  /// - Throws: `RunFailure` when the disk is full.
  func append(_ text: UnsafeBufferPointer<UInt8>) throws {
    if count % Self.stride == 0 { places.append(inMemory + onDisk) }
    count += 1
    var length = UInt32(text.count).littleEndian
    if sink == nil, inMemory + 4 + text.count <= capacity {
      room.storeBytes(of: length, toByteOffset: inMemory, as: UInt32.self)
      if let base = text.baseAddress { (room + inMemory + 4).copyMemory(from: base, byteCount: text.count) }
      inMemory += 4 + text.count
      return
    }
    let sink = try self.sink ?? spill()
    try withUnsafeBytes(of: &length) { try sink.write($0.bindMemory(to: UInt8.self)) }
    try sink.write(text)
    onDisk += 4 + text.count
  }

  /// Finishes the table.
  func finish() throws {
    try sink?.flush()
    sink = nil
  }

  /// Returns the position of the block that contains a text.
  func place(of index: Int) -> Int { places[index / Self.stride] }

  /// Returns a pointer to the bytes in memory, beginning at a position.
  func bytes(at place: Int) -> UnsafeRawPointer { UnsafeRawPointer(room + place) }

  private func spill() throws -> ByteSink {
    let folder = TemporaryFolder.root
    descriptor = try FileBytes.unnamed(in: folder)
    let sink = ByteSink(descriptor: descriptor, name: "a temporary file in \(folder)")
    self.sink = sink
    return sink
  }
}
