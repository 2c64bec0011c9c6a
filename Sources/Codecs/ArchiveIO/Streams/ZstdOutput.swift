import CZstd
import Foundation
import Interchange

/// Packs bytes as zstd frames of 4 MiB. Each frame has its length and a checksum.
///
/// Other threads pack the frames, which are written in order, so the bytes do not depend on the number of threads. The
/// checksum of a frame detects a flipped byte. The memory use is limited to a few pieces.
final class ZstdOutput: PackedOutput {
  /// The number of unpacked bytes in a frame.
  static let piece = 4 << 20

  private let descriptor: Int32
  private let name: String
  private let level: Int
  private let threads: Int
  /// The frames that are full.
  private let queue: BoundedQueue<ZstdFrame>
  private var packed: OrderedMap<ZstdFrame>?
  /// The number of frames that are being packed.
  private var waiting = 0
  private var spare: [ZstdFrame] = []
  private var current: ZstdFrame?
  private var written = 0
  private var taken = 0

  /// Creates an output that writes to an open file. `name` is used in messages.
  init(descriptor: Int32, name: String, level: Int, threads: Int = 2) {
    self.descriptor = descriptor
    self.name = name
    self.level = level
    self.threads = max(1, threads)
    queue = BoundedQueue(capacity: self.threads + 1)
  }

  deinit { queue.end(.success(())) }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes
    while !rest.isEmpty {
      let frame = current ?? spare.popLast() ?? ZstdFrame()
      current = frame
      rest = frame.take(rest)
      if frame.isFull { try pack(frame) }
    }
  }

  func finish() throws -> Int {
    if let current { try pack(current) }
    while waiting > 0 { try writeOldest() }
    defer { written = 0 }
    return written
  }

  private func pack(_ frame: ZstdFrame) throws {
    if packed == nil {
      let (queue, level) = (queue, level)
      packed = OrderedMap(AnyIterator { try? queue.receive() }, threads: threads, ahead: threads + 1) { _ in
        let pack = ZstdFrame.packer(level: level)
        return { frame, packed in
          try pack(frame)
          _ = packed.send(frame)
        }
      }
    }
    current = nil
    _ = queue.send(frame)
    waiting += 1
    while waiting > threads { try writeOldest() }
  }

  private func writeOldest() throws {
    try Interruption.check()
    guard let frame = try packed?.next() else { throw RunFailure(.internalError, "a packed frame is missing") }
    waiting -= 1
    let bytes = frame.frame
    taken += frame.count
    try stretch(bytes.count, of: frame.count)
    try FileBytes.write(bytes, to: descriptor, name: name)
    written += bytes.count
    frame.reset()
    spare.append(frame)
  }

  /// Writes an empty frame before a frame that packs so well that readers would reject it as a bomb. A library whose
  /// deleted pages were overwritten with zeros is not a bomb, and its backup must be restorable.
  private func stretch(_ packed: Int, of plain: Int) throws {
    let missing = plain / CompressionRatioGuard.ratio - packed
    guard missing > 0, taken > CompressionRatioGuard.free else { return }
    var frame = [UInt8](repeating: 0, count: 8 + missing)
    for (index, byte) in [UInt8(0x50), 0x2A, 0x4D, 0x18].enumerated() { frame[index] = byte }
    for index in 0..<4 { frame[4 + index] = UInt8(truncatingIfNeeded: missing >> (8 * index)) }
    try frame.withUnsafeBytes { try FileBytes.write($0, to: descriptor, name: name) }
    written += frame.count
  }
}
