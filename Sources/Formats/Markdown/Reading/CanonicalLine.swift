import Content
import JSONText

/// The canonical line of a note that is read by itself.
enum CanonicalLine {
  /// The line; nil when the note cannot be a record.
  static func of(
    _ note: ParsedNote, _ text: UnsafeBufferPointer<UInt8>, _ around: NoteJSON.Surroundings
  ) -> [UInt8]? {
    of(settled: note.settled(text, around), text, around)
  }

  /// The line of a note whose state is known, if the canonicaliser has nothing to do; nil else.
  static func asWritten(
    _ note: ParsedNote, _ text: UnsafeBufferPointer<UInt8>, _ around: NoteJSON.Surroundings
  ) -> [UInt8]? {
    var draft = ByteBuffer(capacity: text.count * 2 + 1024)
    NoteJSON(note: note, text: text).write(around, into: &draft)
    var tape = JSONTape(capacity: draft.count / 16 + 64)
    guard let parse = try? tape.parse(draft.bytes) else { return nil }
    let node = JSONNode(text: draft.start, tokens: tape.tokens, index: parse.root)
    return CanonicalCheck.isCanonical(node, kind: .item, traits: parse.traits) ? draft.copy(0..<draft.count) : nil
  }

  /// The line of a note whose state is known.
  static func of(
    settled note: ParsedNote, _ text: UnsafeBufferPointer<UInt8>, _ around: NoteJSON.Surroundings
  ) -> [UInt8]? {
    var draft = ByteBuffer(capacity: text.count + text.count / 4 + 2048)
    NoteJSON(note: note, text: text).write(around, into: &draft)
    var tape = JSONTape(capacity: draft.count / 16 + 64)
    guard let parse = try? tape.parse(draft.bytes) else { return nil }
    let node = JSONNode(text: draft.start, tokens: tape.tokens, index: parse.root)
    if CanonicalCheck.isCanonical(node, kind: .item, traits: parse.traits) { return draft.copy(0..<draft.count) }
    var canonicalizer = Canonicalizer(mode: .bundle)
    var line = ByteBuffer(capacity: draft.count + 1024)
    canonicalizer.writeRecord(node, kind: .item, derivedID: { UUIDText.zero }, into: &line)
    return canonicalizer.rejected ? nil : line.copy(0..<line.count)
  }
}
