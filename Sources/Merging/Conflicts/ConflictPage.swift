import Content
import Interchange
import JSONText

/// What both sides of an import or a pull changed, side by side, as a page in Markdown beside the rejected records.
///
/// Made at the first conflict; gets its name when the run succeeds.
final class ConflictPage {
  private let name: String
  private let folder: OpenFolder
  private let words: ConflictWords
  private var file: AtomicFile?
  private var sink: ByteSink?
  /// Where it is; nil when there was no conflict, or when the run came to nothing.
  private(set) var path: String?

  init(_ name: String, in folder: OpenFolder, _ words: ConflictWords) {
    self.name = name
    self.folder = folder
    self.words = words
  }

  /// Adds a record and its conflicts.
  func add(_ record: MergedRecord, _ conflicts: [MergeConflict]) throws {
    if sink == nil {
      let file = try AtomicFile(name, in: folder, overwrites: true)
      self.file = file
      sink = ByteSink(descriptor: file.descriptor, name: file.target)
      try sink?.write("# Conflicts\n\n\(words.introduction)\n")
    }
    try sink?.write(ConflictText.section(record, conflicts, words))
  }

  /// Gives the page its name.
  func publish() throws {
    guard let file else { return }
    try sink?.flush()
    try file.publish()
    path = file.target
  }

  /// Removes the page unless it was published.
  func discard() {
    file?.discard()
    if path == nil { file = nil }
  }
}
