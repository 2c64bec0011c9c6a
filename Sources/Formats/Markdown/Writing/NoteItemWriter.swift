import Content
import Interchange

extension MarkdownFormat {
  /// What writes single items as notes that say all of them.
  public func itemWriter() -> any ItemTextWriter { NoteItemWriter() }
}

/// Writes an item as a note that can be read at any place: it says its id itself, and nothing of it follows from a path.
///
/// Every note is read again before it is taken: what Markdown cannot say, this writer does not say either. An item that
/// keeps how its note was typed has more to say than a note can that stands somewhere else.
struct NoteItemWriter: ItemTextWriter {
  private let text = NoteText(check: VaultCheck(vault: nil))

  func text(of item: Record, at path: String) -> [UInt8]? {
    guard let record = NoteRecord(item), !record.keepsItsNote else { return nil }
    return text.text(of: record, at: path)
  }
}
