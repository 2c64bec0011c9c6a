import Content
import JSONText

/// How a note says the state of synchronisation: `sync_status: synced 3f2a9c0d11ee`, the word and what the item said
/// when the word was true.
///
/// An item that says something else by now is pending, as the app would have it, without a second line that changes:
/// who edits a step has changed one line, and nothing else.
enum NoteStatus {
  /// How many hexadecimal digits of the content's hash are written.
  private static let digits = 12

  /// The value to write for a record; nil for `pending`, which needs no word.
  static func written(_ status: String, line: UnsafeBufferPointer<UInt8>) -> String? {
    guard status != "pending", let hash = try? ContentHash.of(line: line) else { return nil }
    return status + " " + hash.prefix(digits)
  }

  /// Takes a value apart; nil for a word alone, which is what it is.
  static func parts(_ value: String) -> (status: String, hash: String)? {
    guard let blank = value.lastIndex(of: " ") else { return nil }
    let hash = value[value.index(after: blank)...]
    guard hash.utf8.count == digits, hash.utf8.allSatisfy({ $0 &- 0x30 < 10 || $0 &- 0x61 < 6 }) else { return nil }
    return (String(value[..<blank]), String(hash))
  }
}

extension ParsedNote {
  /// The note with the state that it is in now: the one that it names, while it says what it said then.
  func settled(_ text: UnsafeBufferPointer<UInt8>, _ around: NoteJSON.Surroundings) -> ParsedNote {
    guard let member = metadata.member("sync_status"),
      let value = try? JSONDocument(parsing: member.json).root.string, let (status, hash) = NoteStatus.parts(value)
    else { return self }
    var note = self
    note.metadata.setStatus(status)
    let line = CanonicalLine.of(settled: note, text, around)
    let now = line.flatMap { line in line.withUnsafeBufferPointer { try? ContentHash.of(line: $0) } }
    if now?.hasPrefix(hash) != true { note.metadata.setStatus("pending") }
    return note
  }
}
