import Content
import Interchange

/// A note that is not content but describes the folder or software. Such a note is recognized by its text. A README is
/// also recognized by its name, because it may contain any text.
enum FolderNote {
  case readme, licence, changelog

  /// Returns the kind of folder note; nil for content.
  /// - Parameter note: a note that declares no type and no id.
  static func of(_ file: VaultFile, _ note: ParsedNote, _ text: UnsafeBufferPointer<UInt8>) -> FolderNote? {
    if LicenceClassifier.begins(text) { return .licence }
    if isChangelog(note, text) { return .changelog }
    return note.judgement.type == .practiceGuide && names.contains(file.stem.lowercased()) ? .readme : nil
  }

  private static let names: Set<String> = [
    "readme", "contributing", "code_of_conduct", "security", "authors", "credits",
  ]

  /// Whether a note has the name of a changelog and version headings.
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
