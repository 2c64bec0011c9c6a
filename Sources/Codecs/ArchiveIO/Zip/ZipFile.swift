import Foundation
import Interchange

/// A ZIP archive with random access to its files by name.
///
/// Used for formats that are ZIP files, such as workbooks. Refuses what packs refuse: overlapping files, names that
/// differ, encryption, wrong sizes, bombs. Names need not be safe for a disk, because nothing is written under them.
package final class ZipFile: Sendable {
  /// The archive as the user named it.
  package let path: String
  /// Its size in bytes.
  package let size: Int

  private let descriptor: Int32
  private let limits: ArchiveLimits
  private let members: [String: ZipMember]

  /// Reads the directory of an archive.
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - name: its name in messages.
  /// - Throws: `RunFailure` with status 5 if it is damaged, 2 if it is refused or cannot be read.
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
            .failed, "read '\(name)': refused: it has two files \(MemberName.shown(member.name))",
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

  /// Whether there is a file of this name; case does not matter, as in Office files (ECMA-376 part 2).
  package func has(_ name: String) -> Bool { members[Self.key(name)] != nil }

  /// Returns the size of a file in bytes; nil if it is missing.
  package func size(of name: String) -> Int? { members[Self.key(name)]?.size }

  /// Returns the packed size of a file in bytes; nil if it is missing.
  package func packedSize(of name: String) -> Int? { members[Self.key(name)]?.packedSize }

  /// Passes the bytes of a file on in pieces. Several threads may read at the same time.
  /// - Parameter progress: called before each piece with the number of bytes of the archive that were read.
  /// - Returns: false if there is no such file.
  /// - Throws: `RunFailure` with status 5 if it is damaged, 2 if it is refused; also what `take` throws.
  package func read(
    _ name: String, packed progress: ((Int) -> Void)? = nil, _ take: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Bool {
    guard let member = members[Self.key(name)] else { return false }
    if let oddity = member.oddity {
      throw RunFailure(.failed, "read '\(path)': refused: \(MemberName.shown(member.name)) is \(oddity)")
    }
    let unpacker = ZipUnpacker(path, descriptor, limits: limits)
    try unpacker.read(member) { bytes in
      progress?(unpacker.done)
      try take(bytes)
    }
    return true
  }

  /// The form in which names are compared: lower case, no leading slash, slashes only.
  private static func key(_ name: String) -> String {
    let slashes = name.utf8.map { $0 == 0x5C ? 0x2F : (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
    return String(decoding: slashes.drop { $0 == 0x2F }, as: UTF8.self)
  }
}
