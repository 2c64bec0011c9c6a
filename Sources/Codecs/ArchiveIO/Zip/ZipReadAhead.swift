import Interchange
import JSONText
import Synchronization

/// Unpacks a file of an archive on another thread, some pieces ahead of the caller.
///
/// The pieces and the errors are the same as those of `ZipFile.read`. Memory is 256 KiB for each piece.
package final class ZipReadAhead {
  /// Some unpacked bytes.
  private final class Piece: @unchecked Sendable {
    var bytes = ByteBuffer(capacity: 1 << 18)
    /// The number of bytes of the archive that were read up to here.
    var packed = 0
  }

  /// Why there are no more pieces.
  private enum End: Error { case abandoned, missing }

  private let queue: BoundedQueue<Piece>
  private let free: PieceShelf

  /// Pieces that are ready to be filled again: new memory costs more than writing to it.
  private final class PieceShelf: Sendable {
    private let pieces = Mutex<[Piece]>([])

    func take() -> Piece { pieces.withLock { $0.popLast() } ?? Piece() }
    func put(_ piece: Piece) { pieces.withLock { $0.append(piece) } }
  }

  /// Begins to unpack.
  /// - Parameter pieces: how many pieces may wait.
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

  /// Passes the pieces on in order, once.
  /// - Parameter progress: called before each piece with the number of bytes of the archive that were read.
  /// - Returns: false if there is no such file.
  /// - Throws: the errors of `ZipFile.read`, and what `take` throws.
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
