import Content
import Interchange
import JSONText

/// What both sides of an import changed, side by side, as a page in Markdown beside the rejected records.
///
/// Made at the first conflict; gets its name when the run succeeds.
final class ConflictPage {
  private let target: String
  private var file: AtomicFile?
  private var sink: ByteSink?
  /// Where it is; nil when there was no conflict, or when the run came to nothing.
  private(set) var path: String?

  init(_ path: String) { target = path }

  /// Adds a record and its conflicts.
  func add(_ record: MergedRecord, _ conflicts: [MergeConflict]) throws {
    if sink == nil {
      let file = try AtomicFile(target, overwrites: true)
      self.file = file
      sink = ByteSink(descriptor: file.descriptor, name: file.target)
      try sink?.write(
        """
        # Conflicts

        Both sides changed these. The library keeps what it says; what the source says is in the file of rejects. Settle
        them in the source or in the app and import again, or let one side win with `--ours` or `--theirs`.

        """)
    }
    try sink?.write(ConflictText.section(record, conflicts))
  }

  /// Gives the page its name.
  func publish() throws {
    guard let file else { return }
    try sink?.flush()
    try file.publish()
    path = target
  }

  /// Removes the page unless it was published.
  func discard() {
    file?.discard()
    if path == nil { file = nil }
  }
}
