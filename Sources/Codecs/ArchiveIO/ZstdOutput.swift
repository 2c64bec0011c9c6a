import CZstd
import Foundation
import Interchange

/// Packs bytes as zstd frames of 4 MiB. Each frame records its length and a checksum.
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

  func write(_ bytes: Span<UInt8>) throws {
    var rest = bytes
    while !rest.isEmpty {
      let frame = current ?? spare.popLast() ?? ZstdFrame()
      current = frame
      rest = rest.extracting(droppingFirst: frame.fill(from: rest))
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
    taken += frame.count
    try stretch(frame.packedCount, of: frame.count)
    try FileBytes.write(frame.packed.bytes.extracting(first: frame.packedCount), to: descriptor, name: name)
    written += frame.packedCount
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
    try FileBytes.write(frame.span.bytes, to: descriptor, name: name)
    written += frame.count
  }
}

/// A piece of bytes and the frame that it is packed into. The thread that fills the piece passes it to the thread that
/// packs it.
final class ZstdFrame: @unchecked Sendable {
  private let plain = UnsafeMutableRawBufferPointer.allocate(byteCount: ZstdOutput.piece, alignment: 64)
  fileprivate let packed = UnsafeMutableRawBufferPointer.allocate(
    byteCount: ZSTD_compressBound(ZstdOutput.piece), alignment: 64)
  /// The number of bytes in the piece.
  private(set) var count = 0
  /// The number of bytes in the packed frame.
  fileprivate var packedCount = 0

  deinit {
    plain.deallocate()
    packed.deallocate()
  }

  /// Whether no more bytes fit.
  var isFull: Bool { count == plain.count }

  /// Copies the bytes that fit and returns their number.
  func fill(from bytes: Span<UInt8>) -> Int {
    let taken = min(bytes.count, plain.count - count)
    bytes.extracting(first: taken).withUnsafeBytes {
      UnsafeMutableRawBufferPointer(rebasing: plain[count...]).copyMemory(from: $0)
    }
    count += taken
    return taken
  }

  /// Empties the piece.
  func reset() { count = 0 }

  /// Returns a function that packs frames one by one. Only one thread may call it.
  static func packer(level: Int) -> (ZstdFrame) throws -> Void {
    let context = Context()
    ZSTD_CCtx_setParameter(context.pointer, ZSTD_c_compressionLevel, Int32(clamping: level))
    ZSTD_CCtx_setParameter(context.pointer, ZSTD_c_checksumFlag, 1)
    return { frame in
      let count = ZSTD_compress2(
        context.pointer, frame.packed.baseAddress, frame.packed.count, frame.plain.baseAddress, frame.count)
      guard ZSTD_isError(count) == 0 else {
        throw RunFailure(.internalError, "pack a frame: \(String(cString: ZSTD_getErrorName(count)))")
      }
      frame.packedCount = count
    }
  }

  private final class Context {
    let pointer = ZSTD_createCCtx()

    deinit { ZSTD_freeCCtx(pointer) }
  }
}

/// Packs a block of bytes, such as rows of a store or entries of a journal, as one Zstandard frame with a checksum.
public enum ZstdBlock {
  /// Packs bytes.
  /// - Parameter level: the compression level. 1 is the fastest level that packs well.
  /// - Throws: `RunFailure` with status 70 if packing fails, which happens only if there is not enough memory.
  public static func pack(_ bytes: Span<UInt8>, level: Int = 1) throws -> [UInt8] {
    guard let context = ZSTD_createCCtx() else { throw failure("pack", "out of memory") }
    defer { ZSTD_freeCCtx(context) }
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Int32(clamping: level))
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    var code = 0
    let packed = [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { out, count in
      code = bytes.withUnsafeBytes { ZSTD_compress2(context, out.baseAddress, out.count, $0.baseAddress, $0.count) }
      count = ZSTD_isError(code) == 0 ? code : 0
    }
    guard ZSTD_isError(code) == 0 else { throw failure("pack", String(cString: ZSTD_getErrorName(code))) }
    return packed
  }

  /// Unpacks a block that `pack` made. Returns nil if the block is damaged or has more than `limit` bytes.
  public static func unpack(_ packed: Span<UInt8>, limit: Int) -> [UInt8]? {
    let size = packed.withUnsafeBytes { ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
    guard size <= UInt64(limit) else { return nil }
    var isSound = false
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(size)) { out, count in
      let code = packed.withUnsafeBytes { ZSTD_decompress(out.baseAddress, out.count, $0.baseAddress, $0.count) }
      isSound = ZSTD_isError(code) == 0 && code == Int(size)
      count = isSound ? code : 0
    }
    return isSound ? bytes : nil
  }

  private static func failure(_ doing: String, _ why: String) -> RunFailure {
    RunFailure(.internalError, "\(doing) a block: \(why)", advice: "Please report this.")
  }
}
