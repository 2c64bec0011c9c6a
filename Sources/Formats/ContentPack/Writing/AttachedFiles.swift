import ArchiveIO
import Content
import Foundation
import Interchange

/// The attachment files of a pack. Each file is stored once, even if several attachments refer to it.
struct AttachedFiles {
  private var files: [String: String] = [:]
  private var known: Set<String> = []

  /// Adds an attachment's file, if the source has it.
  /// - Throws: `RunFailure` with status 5 if the file does not match the attachment's checksum, 2 if it cannot be read.
  mutating func add(_ record: Record) throws -> Bool {
    guard let file = record.mediaPath, let root = (try? record.document())?.root,
      let sha256 = root["sha256"]?.string, Self.isHash(sha256)
    else { return false }
    let path = root["path"]?.string
    let name = root["name"]?.string ?? root["file_name"]?.string ?? path ?? ""
    if known.insert(sha256).inserted {
      let found = try FileDigest.sha256(of: file)
      guard found == sha256 else {
        throw RunFailure(
          .mismatch, "read '\(file)': the checksum of the attachment \(record.id) does not match; nothing was written",
          advice: "Put back the original file, or leave the attachment out.")
      }
    }
    let last = name.utf8.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self) } ?? ""
    files[PackPaths.media(sha256: sha256, name: last)] = file
    return true
  }

  /// Writes the files in the order of their names.
  func write(to bag: BagWriter) throws {
    for (path, file) in files.sorted(by: { PackNames.isBefore($0.key, $1.key) }) {
      let member = try bag.add(PackPaths.payload + path, file: file)
      guard path.utf8.starts(with: "\(PackPaths.media)/\(member.sha256)".utf8) else {
        throw RunFailure(
          .failed, "read '\(file)': it changed while it was being read; nothing was written", advice: "Run it again.")
      }
      try Interruption.check()
    }
  }

  /// Whether a string consists of 64 lower-case hexadecimal digits. Only such a string may be used as a file name.
  private static func isHash(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { $0 &- 0x30 < 10 || $0 >= 0x61 && $0 <= 0x66 }
  }
}
