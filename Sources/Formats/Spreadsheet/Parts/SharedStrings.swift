import ArchiveIO
import Foundation
import Interchange
import JSONText

/// The texts that cells name by number. The first 40 MB are kept in memory, the rest in a file without a name.
///
/// Every text stands behind its length; of every eighth one the place is known.
final class SharedStrings: @unchecked Sendable {
  /// How many bytes are kept in memory.
  static let kept = 40 << 20
  /// Of how many texts one place is known.
  static let stride = 8

  /// How many texts there are.
  private(set) var count = 0
  /// Where the texts lie that are not in memory; -1 when all are.
  private(set) var descriptor: Int32 = -1
  /// How many bytes lie in memory.
  private(set) var inMemory = 0
  private let room: UnsafeMutableRawPointer
  private let capacity: Int
  private var places: [Int] = []
  private var onDisk = 0
  private var sink: ByteSink?

  /// Makes an empty table.
  /// - Parameter bytes: no more than so many bytes come; what is not used costs nothing.
  init(expecting bytes: Int, kept: Int = SharedStrings.kept) {
    // A text takes four bytes more than in XML at most, where it has tags around it.
    capacity = max(64, min(bytes, kept))
    room = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit {
    room.deallocate()
    if descriptor >= 0 { close(descriptor) }
  }

  /// Adds a text.
  /// - Throws: `RunFailure` when there is no room on disk.
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

  /// Ends adding.
  func finish() throws {
    try sink?.flush()
    sink = nil
  }

  /// Where the block of a text begins.
  func place(of index: Int) -> Int { places[index / Self.stride] }

  /// Bytes in memory from a place on.
  func bytes(at place: Int) -> UnsafeRawPointer { UnsafeRawPointer(room + place) }

  private func spill() throws -> ByteSink {
    let folder = TemporaryFolder.root
    descriptor = try FileBytes.unnamed(in: folder)
    let sink = ByteSink(descriptor: descriptor, name: "a temporary file in \(folder)")
    self.sink = sink
    return sink
  }
}
