import Interchange
import JSONText
import Synchronization

/// Unpacks a file of an archive on another thread, some pieces ahead of whoever takes them.
///
/// The pieces are the same as those of `ZipFile.read`, and so is how they end. Memory is 256 KiB for each piece.
package final class ZipReadAhead {
  /// Some unpacked bytes.
  private final class Piece: @unchecked Sendable {
    var bytes = ByteBuffer(capacity: 1 << 18)
    /// How many bytes of the archive were read up to here.
    var packed = 0
  }

  /// Why there are no more pieces.
  private enum End: Error { case abandoned, missing }

  private let queue: BoundedQueue<Piece>
  private let free: PieceShelf

  /// Pieces that were taken, to be filled again: new memory costs more than what is written to it.
  private final class PieceShelf: Sendable {
    private let pieces = Mutex<[Piece]>([])

    func take() -> Piece { pieces.withLock { $0.popLast() } ?? Piece() }
    func put(_ piece: Piece) { pieces.withLock { $0.append(piece) } }
  }

  /// Begins.
  /// - Parameter pieces: how many may wait.
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

  /// Hands out the pieces in order, once.
  /// - Parameter progress: told how many bytes of the archive were read, before each piece.
  /// - Returns: false when there is no such file.
  /// - Throws: as `ZipFile.read`; what `take` throws.
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
