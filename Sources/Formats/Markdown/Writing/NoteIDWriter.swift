import Content
import Foundation
import Interchange
import JSONText
import MarkdownText
import SourceFolders

/// Writes an item's id into the front matter of its note, and changes nothing else in the note.
///
/// Each file is replaced atomically, so at any moment it is either the old or the new file.
public enum NoteIDWriter {
  /// Writes an id.
  /// - Throws: `RunFailure` if the file cannot be read or written.
  public static func write(_ id: String, into file: String) throws -> IDWriteOutcome {
    guard isInItsVault(file) else { return .left("the file is a link to a path outside the vault") }
    var bytes = ByteBuffer(capacity: 1 << 14)
    try NoteBytes.read(file, size: 1 << 14, into: &bytes)
    guard let decoded = DecodedText.decode(bytes.bytes.span) else { return .left("the file is not text") }
    guard decoded.encoding == .utf8 else {
      return .left("the file is in \(decoded.encoding.rawValue); save it as UTF-8 first")
    }
    let old = bytes.copy(0..<bytes.count)
    let start = decoded.range?.lowerBound ?? 0
    let outcome = edited(old.span.extracting(droppingFirst: start), id)
    guard case .success(let text) = outcome else {
      if case .failure(let reason) = outcome { return reason.outcome }
      return .hasID
    }
    try replace(file, with: Array(old[..<start]) + text)
    return .written
  }

  /// The outcome that explains why a note is not changed.
  private struct Reason: Error { let outcome: IDWriteOutcome }

  private static func edited(_ text: Span<UInt8>, _ id: String) -> Result<[UInt8], Reason> {
    let parser = NoteParser(infer: .never)
    let before = parser.parse(text, path: "note.md")
    if before.metadata.member("id") != nil { return .failure(Reason(outcome: .hasID)) }
    if before.yamlError != nil { return .failure(Reason(outcome: .left("the front matter is not YAML"))) }
    var new: [UInt8]
    if let block = before.frontMatterBlock {
      var frontMatter = OriginalFrontMatter(Array(text.extracting(block)))
      guard frontMatter.change(MetadataKeys.id, to: NoteMetadata.json(id)) else {
        return .failure(Reason(outcome: .left("the front matter cannot be edited line by line")))
      }
      new = frontMatter.typed + Array(text.extracting(before.body))
    } else {
      let end = text.withUnsafeBufferPointer { LineEnd.first(in: $0) } ?? LineEnd.standard
      new = Array("---".utf8) + end + Array("id: \(id)".utf8) + end + Array("---".utf8) + end + Array(text)
    }
    // The change is written only if the new note differs by exactly this id.
    let after = parser.parse(new.span, path: "note.md")
    let isRight =
      after.metadata.member("id")?.json == NoteMetadata.json(id)
      && new.span.extracting(after.body).equals(text.extracting(before.body))
    return isRight ? .success(new) : .failure(Reason(outcome: .left("no id can be added to the front matter")))
  }

  /// Whether a file is not a symbolic link, or is a link to a note in the same vault. Vaults may come from anywhere,
  /// and a link in a vault may point to any of the user's files.
  private static func isInItsVault(_ file: String) -> Bool {
    if VaultPath.entry(at: file) != .other { return true }
    let vault = SourceFolder(around: SourceFolder.parent(of: file)).path
    guard let target = LinkPath.real(file), let root = LinkPath.real(vault) else { return false }
    return VaultFile.isNote(target) && target.utf8.starts(with: (root == "/" ? root : root + "/").utf8)
  }

  private static func replace(_ file: String, with bytes: [UInt8]) throws {
    // A link remains a link; only the file that it points to is replaced.
    let target = LinkPath.real(file)
    var status = stat()
    let mode = stat(file, &status) == 0 ? status.st_mode & 0o7777 : 0o644
    let new = try AtomicFile(target ?? file, overwrites: true)
    let sink = ByteSink(descriptor: new.descriptor, name: file)
    try sink.write(bytes.span)
    try sink.flush()
    fchmod(new.descriptor, mode)
    try new.publish()
  }
}
