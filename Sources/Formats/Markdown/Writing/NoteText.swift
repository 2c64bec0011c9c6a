import Content
import Foundation
import JSONText
import MarkdownText

/// Writes an item as the text of a note.
///
/// The note says everything that the record says: front matter the metadata, the body the content. Where the record
/// was read from a note that somebody wrote by hand, that note is used, and only what has changed is changed in it.
/// - Source: formats/markdown.md
struct NoteText: Sendable {
  /// Reads what was written, so that nothing is lost unnoticed; nil trusts the writing.
  let check: (any NoteCheck)?

  /// The text of a note.
  /// - Parameter path: where the note will stand in its vault.
  /// - Returns: nil when no note can say the record without losing something.
  func text(of record: NoteRecord, at path: String) -> [UInt8]? {
    guard let check else { return canonical(record) }
    if let original = record.original {
      return edited(original, record, path, check).flatMap { says($0, record, path, check) ? $0 : nil }
    }
    guard let text = canonical(record) else { return nil }
    // What a part of the note proves nobody need read as a whole.
    return saysByParts(text, record, path, check) || says(text, record, path, check) ? text : nil
  }

  /// Whether a guide's note says the record: front matter read again, and the body, which is its own text, by its bytes.
  ///
  /// False where the parts are no proof, as where the body is mistaken for front matter; the whole may be one still.
  func saysByParts(_ text: [UInt8], _ record: NoteRecord, _ path: String, _ check: any NoteCheck) -> Bool {
    guard let bare = record.withoutBody(),
      let body = record.withBody({ $0.kind == .string ? $0.textBytes : nil }),
      Self.ends(text, with: body)
    else { return false }
    return check.lineWithoutBody(of: text, from: text.count - body.count, at: path)?
      .withUnsafeBufferPointer { NoteRecord($0) }.map(bare.means) ?? false
  }

  private static func ends(_ text: [UInt8], with body: [UInt8]) -> Bool {
    text.withUnsafeBytes { text in
      body.withUnsafeBytes { body in
        guard body.count <= text.count, let end = text.baseAddress, let start = body.baseAddress else {
          return body.isEmpty
        }
        return memcmp(end + (text.count - body.count), start, body.count) == 0
      }
    }
  }

  /// Whether a note, read as a whole, says the record.
  func says(_ text: [UInt8], _ record: NoteRecord, _ path: String, _ check: any NoteCheck) -> Bool {
    read(text, path, record, check).map(record.means) ?? false
  }

  private func read(
    _ text: [UInt8], _ path: String, _ record: NoteRecord, _ check: any NoteCheck
  ) -> NoteRecord? {
    // A note whose path is its id has another one at another place; what hangs on the id hangs together all the same.
    let id = record.original?.hasDerivedID ?? false ? record.id : nil
    return check.line(of: text, at: path, id: id)?.withUnsafeBufferPointer { NoteRecord($0) }
  }

  /// Whether a note is what a record was read from, byte for byte; false where the record does not keep all of it.
  func isOriginal(_ text: [UInt8], of record: NoteRecord) -> Bool {
    guard let original = record.original, let body = original.body else { return false }
    let typed = (original.frontMatter?.typed ?? []) + body
    return text.withUnsafeBufferPointer { all in
      guard let decoded = DecodedText.decode(all) else { return false }
      return decoded.withText(of: all) { $0.elementsEqual(typed) }
    }
  }

  // MARK: From nothing

  private func canonical(_ record: NoteRecord) -> [UInt8]? {
    var out = ByteBuffer(capacity: 4096)
    out.append("---\n")
    record.writeFrontMatter(into: &out)
    out.append("---\n")
    return appendBody(of: record, into: &out) ? Array(out.bytes) : nil
  }

  /// Appends the body in our own notation; false when it cannot be said.
  private func appendBody(of record: NoteRecord, into out: inout ByteBuffer) -> Bool {
    switch record.type {
    case .practiceGuide:
      let isText = record.withBody { body -> Bool? in
        guard body.kind == .string else { return nil }
        body.appendText(to: &out)
        return true
      }
      guard isText ?? false else { return false }
    case .checklist:
      guard let draft = record.withBody(DraftsFromRecord.checklist) else { return false }
      ChecklistText.write(draft, language: record.language, into: &out)
    case .flashcardDeck:
      guard let draft = record.withBody(DraftsFromRecord.deck) else { return false }
      DeckText.write(draft, into: &out)
    }
    return true
  }

  // MARK: From the note that somebody wrote

  private func edited(
    _ original: NoteRecord.Original, _ record: NoteRecord, _ path: String, _ check: any NoteCheck
  ) -> [UInt8]? {
    guard var body = originalBody(original, record) else { return nil }
    var before = read(Self.join(original, original.frontMatter, body), path, record, check)
    if record.type != .practiceGuide {
      // Ids of steps hang on the item's; in a vault where the note would have another one, it will say its own.
      var same = before
      if let found = before, found.id != record.id {
        let text = Self.join(original, original.frontMatter, body)
        same = check.line(of: text, at: path, id: record.id)?.withUnsafeBufferPointer { NoteRecord($0) }
      }
      let own = ownBody(of: record)
      if !(same?.saysTheSameBody(as: record) ?? false) {
        guard let other = withIDs(original, body, same, record, path, check) ?? own else { return nil }
        body = other
      } else if let own, AddedIDs.areAll(of: own, to: body) {
        body = own
      }
    }
    var frontMatter = original.frontMatter
    let implied = record.impliedKeys
    // What one key says may follow from another one (extras tell which times are the file's), so changes are looked
    // at once more.
    for _ in 0..<3 {
      let text = Self.join(original, frontMatter, body)
      if frontMatter != original.frontMatter { before = read(text, path, record, check) }
      let changes = MetadataKeys.all.filter { key in
        !implied.contains(key.name)
          && !(before.map { NoteRecord.same($0.value(of: key, withID: false), record.value(of: key)) } ?? false)
      }
      if changes.isEmpty { return text }
      var edited = frontMatter ?? OriginalFrontMatter(lineEnd: LineEnd.first(in: body) ?? LineEnd.standard)
      for key in changes where !edited.change(key, to: record.written(key)) { return nil }
      frontMatter = edited
    }
    return Self.join(original, frontMatter, body)
  }

  /// The body as it stands, with ids behind the steps that have got other words; nil where that is not all that changed.
  private func withIDs(
    _ original: NoteRecord.Original, _ body: [UInt8], _ same: NoteRecord?, _ record: NoteRecord, _ path: String,
    _ check: any NoteCheck
  ) -> [UInt8]? {
    let text = Self.join(original, original.frontMatter, body)
    guard let same, let titles = check.stepTitles(of: text, at: path),
      let marked = StepIDMarks(titles: titles).added(to: text, read: same, record: record),
      let line = check.line(of: marked, at: path, id: record.id),
      line.withUnsafeBufferPointer({ NoteRecord($0) })?.saysTheSameBody(as: record) ?? false
    else { return nil }
    // Front matter has no steps, so it is as it was.
    return Array(marked[(text.count - body.count)...])
  }

  /// The body in our own notation, as it stands below front matter.
  private func ownBody(of record: NoteRecord) -> [UInt8]? {
    var out = ByteBuffer(capacity: 4096)
    let fence = "---\n"
    out.append(utf8: fence)
    return appendBody(of: record, into: &out) ? Array(out.bytes.dropFirst(fence.utf8.count)) : nil
  }

  /// The body as it stood: of guides the text itself, of lists what was kept; else our own.
  private func originalBody(_ original: NoteRecord.Original, _ record: NoteRecord) -> [UInt8]? {
    if record.type != .practiceGuide, let body = original.body { return body }
    return ownBody(of: record)
  }

  /// Puts front matter and body together.
  private static func join(
    _ original: NoteRecord.Original, _ frontMatter: OriginalFrontMatter?, _ body: [UInt8]
  ) -> [UInt8] {
    let mark: [UInt8] = original.hasMark ? [0xEF, 0xBB, 0xBF] : []
    guard let frontMatter else { return mark + body }
    // A fence at the very end of a note needs no line end.
    return mark + (body.isEmpty ? frontMatter.typed : frontMatter.bytes) + body
  }
}
