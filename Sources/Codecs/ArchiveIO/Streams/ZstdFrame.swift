import CZstd
import Foundation
import Interchange

/// One piece of bytes and the frame that is made of it; goes from the thread that fills it to the one that packs it.
final class ZstdFrame: @unchecked Sendable {
  private let plain = UnsafeMutableRawBufferPointer.allocate(byteCount: ZstdOutput.piece, alignment: 64)
  private let packed = UnsafeMutableRawBufferPointer.allocate(
    byteCount: ZSTD_compressBound(ZstdOutput.piece), alignment: 64)
  private let done = DispatchSemaphore(value: 0)
  /// How many bytes it holds.
  private(set) var count = 0
  private var packedCount = 0

  deinit {
    plain.deallocate()
    packed.deallocate()
  }

  /// Whether no more bytes fit.
  var isFull: Bool { count == plain.count }

  /// Takes what fits and answers the rest.
  func take(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let taken = min(bytes.count, plain.count - count)
    UnsafeMutableRawBufferPointer(rebasing: plain[count...]).copyMemory(
      from: UnsafeRawBufferPointer(rebasing: bytes[..<taken]))
    count += taken
    return UnsafeRawBufferPointer(rebasing: bytes[taken...])
  }

  /// Waits for the frame, which is valid until `reset`.
  func wait() throws -> UnsafeRawBufferPointer {
    done.wait()
    guard ZSTD_isError(packedCount) == 0 else {
      throw RunFailure(.internalError, "pack a frame: \(String(cString: ZSTD_getErrorName(packedCount)))")
    }
    return UnsafeRawBufferPointer(rebasing: packed[..<packedCount])
  }

  /// Makes it empty again.
  func reset() { count = 0 }

  /// Packs frames as they come, until no more do.
  static func packAll(_ queue: BoundedQueue<ZstdFrame>, level: Int) throws {
    let context = ZSTD_createCCtx()
    defer { ZSTD_freeCCtx(context) }
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Int32(clamping: level))
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    while let frame = try queue.receive() {
      frame.packedCount = ZSTD_compress2(
        context, frame.packed.baseAddress, frame.packed.count, frame.plain.baseAddress, frame.count)
      frame.done.signal()
    }
  }
}
