import Foundation
import Interchange

/// The bytes that a packed file holds, unpacked on another thread.
///
/// Whoever reads works on one piece while the next ones are unpacked. The file must end where a frame ends; what
/// follows, what is cut off and what is damaged is named by its offset in the packed file.
package final class UnpackedStream {
  /// Bytes that were unpacked.
  package final class Piece: @unchecked Sendable {
    fileprivate static let capacity = 1 << 18
    fileprivate let room = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 64)
    fileprivate var count = 0
    /// How much of the packed file was read by then.
    package fileprivate(set) var packed = 0

    deinit { room.deallocate() }

    /// The bytes, valid while the piece is.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: room[..<count]) }
  }

  /// The file as the user named it.
  let path: String
  /// How many bytes it has.
  let size: Int

  private let descriptor: Int32
  private let queue: BoundedQueue<Piece>

  /// Begins to unpack an open file, which this closes in the end.
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

  /// Begins to unpack a file of gzip.
  /// - Throws: `RunFailure` with status 2 when it cannot be read.
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

  /// The next bytes; nil when the file has ended as it should.
  /// - Throws: `RunFailure`: 5 when it is damaged, 2 when it unpacks to too much.
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
        .mismatch, "read '\(path)': damaged at byte \(offset + start), in what begins at byte \(frame): \(reason)")
    }
    while true {
      // What begins must be seen whole; inside of it, any bytes will do.
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
        if let problem = decoder.begin(bytes) { throw damage(problem) }
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
        throw damage("it ends in the middle; the rest is missing")
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
