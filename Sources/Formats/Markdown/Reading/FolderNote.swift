import Content
import Interchange

/// A note of a folder that is not content: it is about the folder, or about software. It is recognized by its text, and
/// a README also by its name, because it may contain any text.
enum FolderNote {
  case readme, licence, changelog

  /// Returns the kind of a note; nil for content.
  /// - Parameter note: a note without declarations: it has no type and no id.
  static func of(_ file: VaultFile, _ note: ParsedNote, _ text: UnsafeBufferPointer<UInt8>) -> FolderNote? {
    if LicenceClassifier.begins(text) { return .licence }
    if isChangelog(note, text) { return .changelog }
    return note.judgement.type == .practiceGuide && names.contains(file.stem.lowercased()) ? .readme : nil
  }

  private static let names: Set<String> = [
    "readme", "contributing", "code_of_conduct", "security", "authors", "credits",
  ]

  /// Whether a note is named like a changelog and has headings of versions.
  private static func isChangelog(_ note: ParsedNote, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard ["changelog", "change log", "changes", "release notes", "releases"].contains(note.title.lowercased()) else {
      return false
    }
    return note.tree.blocks.contains { block in
      guard case .heading = block.kind, block.lines.lowerBound < note.tree.lines.count else { return false }
      let line = String(decoding: text[note.tree.lines[block.lines.lowerBound]], as: UTF8.self)
      return line.firstMatch(of: /^#+ *\[?v?\d+\.\d+|Unreleased/) != nil
    }
  }
}
