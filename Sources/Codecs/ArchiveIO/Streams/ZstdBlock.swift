import CZstd
import Interchange

/// Packs a block of bytes, such as rows of a store or entries of a journal, as one Zstandard frame with a checksum.
public enum ZstdBlock {
  /// Packs bytes.
  /// - Parameter level: the compression level. 1 is the fastest level that packs well.
  /// - Throws: `RunFailure` with status 70 if packing fails, which happens only if there is not enough memory.
  public static func pack(_ bytes: UnsafeRawBufferPointer, level: Int = 1) throws -> [UInt8] {
    guard let context = ZSTD_createCCtx() else { throw failure("pack", "out of memory") }
    defer { ZSTD_freeCCtx(context) }
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Int32(clamping: level))
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    var code = 0
    let packed = [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { out, count in
      code = ZSTD_compress2(context, out.baseAddress, out.count, bytes.baseAddress, bytes.count)
      count = ZSTD_isError(code) == 0 ? code : 0
    }
    guard ZSTD_isError(code) == 0 else { throw failure("pack", String(cString: ZSTD_getErrorName(code))) }
    return packed
  }

  /// Unpacks a block that `pack` made. Returns nil if the block is damaged or has more than `limit` bytes.
  public static func unpack(_ packed: UnsafeRawBufferPointer, limit: Int) -> [UInt8]? {
    let size = ZSTD_getFrameContentSize(packed.baseAddress, packed.count)
    guard size <= UInt64(limit) else { return nil }
    var isSound = false
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(size)) { out, count in
      let code = ZSTD_decompress(out.baseAddress, out.count, packed.baseAddress, packed.count)
      isSound = ZSTD_isError(code) == 0 && code == Int(size)
      count = isSound ? code : 0
    }
    return isSound ? bytes : nil
  }

  private static func failure(_ doing: String, _ why: String) -> RunFailure {
    RunFailure(.internalError, "\(doing) a block: \(why)", advice: "Please report this.")
  }
}
