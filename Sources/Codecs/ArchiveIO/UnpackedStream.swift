import CZlib
import CZstd
import Foundation
import Interchange

/// The unpacked bytes of a packed file. They are unpacked on another thread.
///
/// The caller can process one piece while the next ones are unpacked. The file must end at the end of a frame. Errors
/// state the offset of trailing, truncated or damaged bytes in the packed file.
package final class UnpackedStream {
  /// A piece of unpacked bytes.
  package final class Piece: @unchecked Sendable {
    fileprivate static let capacity = 1 << 18
    fileprivate let room = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 64)
    fileprivate var count = 0
    /// The number of bytes of the packed file that were read up to this piece.
    package fileprivate(set) var packed = 0

    deinit { room.deallocate() }

    /// The bytes, which are valid as long as the piece exists.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: room[..<count]) }
  }

  /// The path of the file as the user specified it.
  let path: String
  /// The size of the file in bytes.
  let size: Int

  private let descriptor: Int32
  private let queue: BoundedQueue<Piece>

  /// Begins unpacking an open file, which this object closes at the end.
  init(_ path: String, _ descriptor: Int32, size: Int, kind: ArchiveKind, limits: ArchiveLimits) {
    self.path = path
    self.descriptor = descriptor
    self.size = size
    let isGzip = kind == .tarGzip
    queue = .filled(capacity: 4) { queue in
      let decoder: any StreamDecoder = isGzip ? GzipDecoder() : ZstdDecoder()
      try Self.unpack(path, descriptor, decoder, limits, queue)
    }
  }

  /// Begins unpacking a gzip file.
  /// - Throws: `RunFailure` with status 2 if the file cannot be read.
  package convenience init(gzip path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
      throw RunFailure(.failed, "read '\(path)': \(SystemError.last)")
    }
    self.init(path, descriptor, size: Int(status.st_size), kind: .tarGzip, limits: .standard)
  }

  deinit {
    queue.abandon()
    close(descriptor)
  }

  /// Returns the next bytes, or nil after a complete file.
  /// - Throws: `RunFailure` with status 5 if the file is damaged, 2 if it unpacks to too many bytes.
  package func next() throws -> Piece? { try queue.receive() }

  private static func unpack(
    _ path: String, _ descriptor: Int32, _ decoder: any StreamDecoder, _ limits: ArchiveLimits,
    _ queue: BoundedQueue<Piece>
  ) throws {
    let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
    defer { input.deallocate() }
    var (start, end, offset, frame, made) = (0, 0, 0, 0, 0)
    var isAtEnd = false
    var piece = Piece()
    func damage(_ reason: String) -> RunFailure {
      RunFailure(
        .mismatch, "read '\(path)': damaged at byte \(offset + start), in the frame at byte \(frame): \(reason)")
    }
    while true {
      // The head of a unit must be complete before it is examined. Inside a unit, any number of bytes is enough.
      if !isAtEnd, end - start < (decoder.isBetween ? decoder.headLength : 1) {
        input.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[start..<end]))
        (offset, end, start) = (offset + start, end - start, 0)
        let got = FileRead.some(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: input[end...]))
        guard got >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
        isAtEnd = got == 0
        end += got
        continue
      }
      let bytes = UnsafeRawBufferPointer(rebasing: input[start..<end])
      if decoder.isBetween {
        if bytes.isEmpty { break }
        frame = offset + start
        if let problem = decoder.begin(bytes.assumingMemoryBound(to: UInt8.self).span) { throw damage(problem) }
      }
      let room = UnsafeMutableRawBufferPointer(rebasing: piece.room[piece.count...])
      let (taken, came): (Int, Int)
      switch decoder.step(bytes, into: room) {
      case .success(let step): (taken, came) = (step.taken, step.made)
      case .failure(let problem):
        guard problem.isRefusal else { throw damage(problem.reason) }
        throw RunFailure(.failed, "read '\(path)': refused at byte \(offset + start): \(problem.reason)")
      }
      start += taken
      made += came
      piece.count += came
      piece.packed = offset + start
      if made > limits.freeBytes, made / limits.ratio > offset + start {
        throw RunFailure(
          .failed,
          "read '\(path)': refused at byte \(offset + start): it unpacks to more than \(limits.ratio) times its size",
          advice: "Nothing was written. Do not trust this archive.")
      }
      guard made <= limits.bytes + limits.bytes / 8 else {
        throw RunFailure(.failed, "read '\(path)': refused: it unpacks to more than \(limits.bytes) bytes")
      }
      if taken == 0, came == 0, !decoder.isBetween, isAtEnd, bytes.isEmpty {
        throw damage("it ends in the middle of a frame")
      }
      if piece.count == Piece.capacity {
        guard queue.send(piece) else { return }
        piece = Piece()
      } else if taken == 0, came == 0, !bytes.isEmpty {
        throw damage("it cannot be unpacked")
      }
    }
    if piece.count > 0 { _ = queue.send(piece) }
  }
}

/// Unpacks one kind of stream.
protocol StreamDecoder: AnyObject {
  /// The number of bytes that are needed to recognize the beginning of a unit.
  var headLength: Int { get }
  /// Whether the decoder is between two units, so that the stream may end here.
  var isBetween: Bool { get }
  /// Examines the beginning of a unit. Returns the reason why the unit cannot be unpacked, or nil if it can.
  func begin(_ head: Span<UInt8>) -> String?
  /// Unpacks some bytes.
  /// - Returns: the numbers of bytes that were consumed and produced, or the problem.
  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> Result<(taken: Int, made: Int), DecodingProblem>
}

/// A problem in a packed stream.
struct DecodingProblem: Error {
  /// The description of the problem.
  let reason: String
  /// Whether the stream is rejected because of the resources that it needs, not because of damage.
  var isRefusal = false
}

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

  func begin(_ head: Span<UInt8>) -> String? {
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

/// Unpacks any valid sequence of zstd frames with windows of up to 128 MiB. Skippable frames, which have no content,
/// are skipped.
final class ZstdDecoder: StreamDecoder {
  private let context = ZSTD_createDCtx()

  init() { ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 27) }

  deinit { ZSTD_freeDCtx(context) }

  var headLength: Int { 4 }
  private(set) var isBetween = true

  func begin(_ head: Span<UInt8>) -> String? {
    guard head.count >= 4 else { return "there are too few bytes left for a frame" }
    let magic = head.halfWord(at: 0)
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
