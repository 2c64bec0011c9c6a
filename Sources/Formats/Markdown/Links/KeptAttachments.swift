import Content
import Foundation
import JSONText

/// Attachments of a library that the vault was written from: their records stand in `.fleetkit/library.jsonl`, their
/// bytes among the notes.
struct KeptAttachments {
  /// One of them.
  struct Kept {
    let id: String
    let sha256: String?
    /// The canonical line.
    let line: [UInt8]
  }

  private(set) var byPath: [String: Kept] = [:]
  /// Those that no file of the vault belongs to.
  private(set) var others: [Kept] = []

  /// Takes the attachments out of a batch.
  mutating func take(from batch: RecordBatch) {
    batch.keep { record in
      guard record.kind == .attachment else { return true }
      let root = (try? record.document())?.root
      let kept = Kept(id: record.id, sha256: root?["sha256"]?.string, line: record.bytes)
      let path = root.flatMap(Self.path)
      if let path, byPath[path] == nil { byPath[path] = kept } else { others.append(kept) }
      return false
    }
  }

  /// Where the bytes of an attachment lie in a vault: at its `path`, when that leads nowhere else, or under
  /// `attachments/` by its name. Nil when it has neither.
  static func path(of attachment: JSONValue) -> String? {
    if let path = attachment["path"]?.string, isInside(path) { return path }
    guard let name = attachment["name"]?.string ?? attachment["file_name"]?.string else { return nil }
    let path = "attachments/" + name
    return isInside(path) && !name.utf8.contains(UInt8(ascii: "/")) ? path : nil
  }

  /// Whether a path stays in its folder, is nothing hidden, and is no note's.
  private static func isInside(_ path: String) -> Bool {
    path.utf8.count <= 1024 && !path.utf8.contains { $0 < 0x20 || $0 == UInt8(ascii: "\\") }
      && VaultPath.parts(of: path).allSatisfy { !$0.isEmpty && $0.first != "." && String($0).utf8.count <= 255 }
      && !VaultFile.isNote(path)
  }
}
