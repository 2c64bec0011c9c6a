import CZstd
import Interchange

/// A piece of bytes and the frame that it is packed into. The thread that fills the piece passes it to the thread that
/// packs it.
final class ZstdFrame: @unchecked Sendable {
  private let plain = UnsafeMutableRawBufferPointer.allocate(byteCount: ZstdOutput.piece, alignment: 64)
  private let packed = UnsafeMutableRawBufferPointer.allocate(
    byteCount: ZSTD_compressBound(ZstdOutput.piece), alignment: 64)
  /// The number of bytes in the piece.
  private(set) var count = 0
  private var packedCount = 0

  deinit {
    plain.deallocate()
    packed.deallocate()
  }

  /// Whether no more bytes fit.
  var isFull: Bool { count == plain.count }

  /// Copies the bytes that fit and returns the rest.
  func take(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let taken = min(bytes.count, plain.count - count)
    UnsafeMutableRawBufferPointer(rebasing: plain[count...]).copyMemory(
      from: UnsafeRawBufferPointer(rebasing: bytes[..<taken]))
    count += taken
    return UnsafeRawBufferPointer(rebasing: bytes[taken...])
  }

  /// The packed frame, which is valid until `reset`.
  var frame: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: packed[..<packedCount]) }

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
