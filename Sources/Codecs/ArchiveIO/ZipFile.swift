import Foundation
import Interchange
import JSONText
import Synchronization

/// A ZIP archive with random access to its files by name.
///
/// It is used for formats that are ZIP files, such as workbooks. Like packs, such archives are rejected if they contain
/// overlapping files, differing names, encryption, wrong sizes or bombs. Names need not be safe for a disk, because no
/// file is written under these names.
package final class ZipFile: Sendable {
  /// The path of the archive as the user specified it.
  package let path: String
  /// The size of the archive in bytes.
  package let size: Int

  private let descriptor: Int32
  private let limits: ArchiveLimits
  private let members: [String: ZipMember]

  /// Reads the directory of an archive.
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - name: the name of the file in messages.
  /// - Throws: `RunFailure` with status 5 if the archive is damaged, 2 if it is rejected or cannot be read.
  package init(_ path: String, name: String, limits: ArchiveLimits = .standard) throws {
    self.path = name
    self.limits = limits
    let (descriptor, size) = try FileBytes.open(path)
    self.descriptor = descriptor
    self.size = size
    do {
      var members: [String: ZipMember] = [:]
      for member in try ZipDirectory(name, descriptor, size: size, limits: limits).members where !member.isFolder {
        let key = Self.key(String(decoding: member.name, as: UTF8.self))
        guard members.updateValue(member, forKey: key) == nil else {
          throw RunFailure(
            .failed, "read '\(name)': refused: it has two files named \(MemberName.shown(member.name))",
            advice: "Nothing was written. Do not trust this archive.")
        }
      }
      self.members = members
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit { close(descriptor) }

  /// The names of all files, in lower case and sorted.
  package var names: [String] { members.keys.sorted() }

  /// Returns whether the archive has a file with this name. Case is ignored, as in Office files (ECMA-376 part 2).
  package func has(_ name: String) -> Bool { members[Self.key(name)] != nil }

  /// Returns the size of a file in bytes, or nil if it is missing.
  package func size(of name: String) -> Int? { members[Self.key(name)]?.size }

  /// Returns the packed size of a file in bytes, or nil if it is missing.
  package func packedSize(of name: String) -> Int? { members[Self.key(name)]?.packedSize }

  /// Passes the bytes of a file to `body` in pieces. Several threads may read at the same time.
  /// - Parameter progress: called before each piece with the number of bytes that were read from the archive.
  /// - Returns: false if there is no such file.
  /// - Throws: `RunFailure` with status 5 if the file is damaged, 2 if it is rejected, or an error that `body` throws.
  package func read(
    _ name: String, packed progress: ((Int) -> Void)? = nil, _ body: (Span<UInt8>) throws -> Void
  ) throws -> Bool {
    guard let member = members[Self.key(name)] else { return false }
    if let oddity = member.oddity {
      throw RunFailure(.failed, "read '\(path)': refused: \(MemberName.shown(member.name)) is \(oddity)")
    }
    let unpacker = ZipUnpacker(path, descriptor, limits: limits)
    try unpacker.read(member) { bytes in
      progress?(unpacker.done)
      try body(bytes)
    }
    return true
  }

  /// Returns the form in which names are compared: lower case, without a leading slash, and with slashes instead of
  /// backslashes.
  private static func key(_ name: String) -> String {
    let slashes = name.utf8.map { $0 == 0x5C ? 0x2F : (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
    return String(decoding: slashes.drop { $0 == 0x2F }, as: UTF8.self)
  }
}

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

    func acquire() -> Piece { pieces.withLock { $0.popLast() } ?? Piece() }
    func release(_ piece: Piece) { pieces.withLock { $0.append(piece) } }
  }

  /// Begins unpacking.
  /// - Parameter pieces: the largest number of waiting pieces.
  package init(_ file: ZipFile, _ name: String, pieces: Int = 8) {
    let free = PieceShelf()
    self.free = free
    queue = .filled(capacity: pieces) { queue in
      var packed = 0
      let isThere = try file.read(name, packed: { packed = $0 }) { bytes in
        let piece = free.acquire()
        piece.bytes.removeAll()
        piece.bytes.append(bytes)
        piece.packed = packed
        guard queue.send(piece) else { throw End.abandoned }
      }
      if !isThere { throw End.missing }
    }
  }

  deinit { queue.abandon() }

  /// Passes the pieces to `body` in order. This function may be called only once.
  /// - Parameter progress: called before each piece with the number of bytes that were read from the archive.
  /// - Returns: false if there is no such file.
  /// - Throws: the errors that `ZipFile.read` and `body` throw.
  package func read(packed progress: ((Int) -> Void)?, _ body: (Span<UInt8>) throws -> Void) throws -> Bool {
    do {
      while let piece = try queue.receive() {
        progress?(piece.packed)
        try body(piece.bytes.bytes.span)
        free.release(piece)
      }
      return true
    } catch End.missing {
      return false
    }
  }
}

/// Reads the files of a ZIP archive in the order of their bytes.
///
/// The source reads exactly the content that was checked: the directory is read once and checked against the local
/// headers, and files are unpacked from the offsets in the directory.
final class ZipSource: ArchiveSource {
  private let descriptor: Int32
  private let size: Int
  private let unpacker: ZipUnpacker
  private var members: [ZipMember] = []
  private var at = 0

  /// Reads the directory of an open file, which this object closes at the end.
  init(_ path: String, descriptor: Int32, size: Int, limits: ArchiveLimits) throws {
    self.descriptor = descriptor
    self.size = size
    unpacker = ZipUnpacker(path, descriptor, limits: limits)
    members = try ZipDirectory(path, descriptor, size: size, limits: limits).members
  }

  deinit { close(descriptor) }

  func next() throws -> RawEntry? {
    guard at < members.count else { return nil }
    let member = members[at]
    at += 1
    return RawEntry(name: member.name, kind: member.kind, size: member.size)
  }

  func read(_ body: (Span<UInt8>) throws -> Void) throws {
    try unpacker.read(members[at - 1], body)
  }

  var knownNames: [[UInt8]] { members.map(\.name) }

  var progress: (done: Int, total: Int?) { (unpacker.done, size) }
}
