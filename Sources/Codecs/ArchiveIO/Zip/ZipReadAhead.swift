import Interchange
import JSONText
import Synchronization

/// Unpacks a file in an archive on another thread, some pieces ahead of the caller.
///
/// The pieces and the errors are the same as for `ZipFile.read`. Each piece takes 256 KiB of memory.
package final class ZipReadAhead {
  /// A piece of unpacked bytes.
  private final class Piece: @unchecked Sendable {
    var bytes = ByteBuffer(capacity: 1 << 18)
    /// The number of bytes that were read from the archive up to this piece.
    var packed = 0
  }

  /// The reason why there are no more pieces.
  private enum End: Error { case abandoned, missing }

  private let queue: BoundedQueue<Piece>
  private let free: PieceShelf

  /// The pieces that are ready to be reused. Allocating new memory costs more time than writing to it.
  private final class PieceShelf: Sendable {
    private let pieces = Mutex<[Piece]>([])

    func take() -> Piece { pieces.withLock { $0.popLast() } ?? Piece() }
    func put(_ piece: Piece) { pieces.withLock { $0.append(piece) } }
  }

  /// Begins unpacking.
  /// - Parameter pieces: the largest number of waiting pieces.
  package init(_ file: ZipFile, _ name: String, pieces: Int = 8) {
    let free = PieceShelf()
    self.free = free
    queue = .filled(capacity: pieces) { queue in
      var packed = 0
      let isThere = try file.read(name, packed: { packed = $0 }) { bytes in
        let piece = free.take()
        piece.bytes.removeAll()
        piece.bytes.append(bytes.bindMemory(to: UInt8.self))
        piece.packed = packed
        guard queue.send(piece) else { throw End.abandoned }
      }
      if !isThere { throw End.missing }
    }
  }

  deinit { queue.abandon() }

  /// Passes the pieces to `take` in order. This function may be called only once.
  /// - Parameter progress: called before each piece with the number of bytes that were read from the archive.
  /// - Returns: false if there is no such file.
  /// - Throws: the errors that `ZipFile.read` and `take` throw.
  package func read(packed progress: ((Int) -> Void)?, _ take: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
    do {
      while let piece = try queue.receive() {
        progress?(piece.packed)
        try take(UnsafeRawBufferPointer(piece.bytes.bytes))
        free.put(piece)
      }
      return true
    } catch End.missing {
      return false
    }
  }
}
