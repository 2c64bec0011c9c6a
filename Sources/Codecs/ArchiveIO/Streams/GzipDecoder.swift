import CZlib

/// Unpacks any sequence of gzip members. zlib checks each member against its CRC and its length.
final class GzipDecoder: StreamDecoder {
  private var stream = z_stream()
  private let isOpen: Bool

  init() {
    // 15 + 16 means the largest window, with gzip's frame.
    isOpen = inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
  }

  deinit { if isOpen { inflateEnd(&stream) } }

  var headLength: Int { 2 }
  private(set) var isBetween = true

  func begin(_ head: UnsafeRawBufferPointer) -> String? {
    guard head.count >= 2, head[0] == 0x1F, head[1] == 0x8B else { return "the next bytes are not a gzip member" }
    return nil
  }

  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> Result<(taken: Int, made: Int), DecodingProblem> {
    guard isOpen else { return .failure(DecodingProblem(reason: "zlib cannot be used")) }
    stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.avail_in = UInt32(input.count)
    stream.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.avail_out = UInt32(output.count)
    let status = inflate(&stream, Z_NO_FLUSH)
    let taken = input.count - Int(stream.avail_in)
    let made = output.count - Int(stream.avail_out)
    switch status {
    case Z_OK, Z_BUF_ERROR: isBetween = false
    case Z_STREAM_END:
      isBetween = true
      inflateReset(&stream)
    default:
      return .failure(DecodingProblem(reason: stream.msg.map { String(cString: $0) } ?? "zlib reports \(status)"))
    }
    return .success((taken, made))
  }
}
