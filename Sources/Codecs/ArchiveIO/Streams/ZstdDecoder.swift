import CZstd

/// Unpacks any valid sequence of zstd frames with windows of up to 128 MiB. Skippable frames, which have no content,
/// are skipped.
final class ZstdDecoder: StreamDecoder {
  private let context = ZSTD_createDCtx()

  init() { ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 27) }

  deinit { ZSTD_freeDCtx(context) }

  var headLength: Int { 4 }
  private(set) var isBetween = true

  func begin(_ head: UnsafeRawBufferPointer) -> String? {
    guard head.count >= 4 else { return "there are too few bytes left for a frame" }
    let magic = UInt32(littleEndian: head.loadUnaligned(as: UInt32.self))
    return magic == 0xFD2F_B528 || magic & 0xFFFF_FFF0 == 0x184D_2A50 ? nil : "the next bytes are not a zstd frame"
  }

  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> Result<(taken: Int, made: Int), DecodingProblem> {
    var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    let status = ZSTD_decompressStream(context, &target, &source)
    if ZSTD_isError(status) != 0 {
      let code = ZSTD_getErrorCode(status)
      let isWindow = code == ZSTD_error_frameParameter_windowTooLarge
      return .failure(
        DecodingProblem(
          reason: isWindow ? "it needs more than 128 MiB of memory" : String(cString: ZSTD_getErrorName(status)),
          isRefusal: isWindow || code == ZSTD_error_memory_allocation))
    }
    isBetween = status == 0
    return .success((source.pos, target.pos))
  }
}
