import Content
import Foundation
import JSONText
import MarkdownText

/// Writes an item as the text of a note.
///
/// The note contains the whole record: the metadata in the front matter, and the content in the body. If the record was
/// read from a note that a person wrote, only the changed parts of that note are edited.
/// - Source: formats/markdown.md
struct NoteRenderer: Sendable {
  /// A note, and the values that the note does not contain.
  struct Written {
    var bytes: [UInt8]
    var supplement = NoteSupplement()
    /// Whether the body is in FleetKit's notation, because the note's own notation could not express the record.
    var isRewritten = false
    /// Whether nested steps begin with the new titles of the steps above, although their titles in the record do not.
    var followsTitles = false
  }

  /// Reads written notes back, so that no loss goes unnoticed.
  let check: any NoteCheck
  /// Whether the vault can keep the values that a note does not contain (`NoteSupplements`).
  var hasSupplements = false

  /// Returns the text of a note.
  /// - Parameter path: the note's future path in its vault.
  /// - Returns: nil if no note can express the record without loss.
  func text(of record: NoteRecord, at path: String) -> [UInt8]? { written(record, at: path)?.bytes }

  /// Returns a note that expresses a record.
  /// - Parameters:
  ///   - path: the note's future path in its vault.
  ///   - isNameless: whether a note without an id already exists at the path. Such a note gets no id.
  /// - Returns: nil if no note can express the record without loss.
  func written(_ record: NoteRecord, at path: String, isNameless: Bool = false) -> Written? {
    if let original = record.original {
      var supplement = hasSupplements ? NoteSupplement(timesOf: record) : NoteSupplement()
      // A note whose id is derived from its path would get a different id at another path. Keep the id, because other
      // ids are derived from it.
      if isNameless && hasSupplements || original.hasDerivedID { supplement.id = record.id }
      guard var written = edited(original, record, path, supplement),
        let read = read(written.bytes, path, written.supplement),
        record.means(read) || written.followsTitles && record.withBody(of: read)?.means(read) ?? false
      else { return nil }
      if hasSupplements {
        written.supplement.tie(to: Self.decoded(written.bytes), read: read) {
          self.read(written.bytes, path, $0)
        }
        if !isNameless { written.supplement.id = nil }
      } else {
        written.supplement = NoteSupplement()
      }
      return written
    }
    guard let text = rendered(record) else { return nil }
    // If comparing the parts is sufficient proof, the whole note need not be read.
    let isSame = isEquivalentByParts(text, to: record, at: path) || isEquivalent(text, to: record, at: path)
    return isSame ? Written(bytes: text) : nil
  }

  /// Whether a guide's note expresses the record. The front matter is read back; the body, which is the guide's text,
  /// is compared bytewise.
  ///
  /// The result is false if the parts are not sufficient proof, for example if the body is mistaken for front matter.
  /// In this case, the whole note may still express the record.
  func isEquivalentByParts(_ text: [UInt8], to record: NoteRecord, at path: String) -> Bool {
    guard let bare = record.withoutBody(),
      let body = record.withBody({ $0.kind == .string ? $0.textBytes : nil }),
      Self.ends(text, with: body)
    else { return false }
    return check.lineWithoutBody(of: text, from: text.count - body.count, at: path)
      .flatMap { NoteRecord($0.span) }.map(bare.means) ?? false
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

  /// Whether a note, read as a whole, expresses the record.
  func isEquivalent(_ text: [UInt8], to record: NoteRecord, at path: String) -> Bool {
    var supplement = NoteSupplement()
    if record.original?.hasDerivedID ?? false { supplement.id = record.id }
    return read(text, path, supplement).map(record.means) ?? false
  }

  private func read(
    _ text: [UInt8], _ path: String, _ supplement: NoteSupplement
  ) -> NoteRecord? {
    check.line(of: text, at: path, supplement).flatMap { NoteRecord($0.span) }
  }

  /// Returns the text of a file in UTF-8, without a byte order mark.
  static func decoded(_ bytes: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBufferPointer { all in DecodedText.decode(all.span).map { $0.withText(of: all) { Array($0) } } }
      ?? bytes
  }

  /// Whether a record was read from exactly these bytes; false if the record does not keep the whole original note.
  func isOriginal(_ text: [UInt8], of record: NoteRecord) -> Bool {
    guard let original = record.original else { return false }
    let decoded = Self.decoded(text)
    let head = original.frontMatter?.typed ?? []
    guard decoded.starts(with: head) else { return false }
    let body = decoded[head.count...]
    return original.body.map { body.elementsEqual($0) }
      ?? original.bodyHash.map { NoteSupplement.hash(body) == $0 } ?? false
  }

  /// Returns a note in the encoding of the note that it replaces.
  /// - Parameters:
  ///   - bytes: the new note, in UTF-8.
  ///   - there: the bytes of the existing file.
  /// - Returns: nil if the encoding lacks a character of the note, or if the result would be detected as another
  ///   encoding.
  static func encoded(_ bytes: [UInt8], as there: [UInt8]) -> [UInt8]? {
    let old = DecodedText.decode(there.span).map { ($0.encoding, $0.hadBOM) }
    guard let (encoding, hadBOM) = old, encoding != .utf8 else { return bytes }
    guard let encoded = encoding.encode(decoded(bytes), hasMark: hadBOM), decoded(encoded) == decoded(bytes) else {
      return nil
    }
    return encoded
  }

  // MARK: New notes

  /// Returns the note for a record in FleetKit's own notation, without reading it back; nil if the notation cannot
  /// express the record.
  func rendered(_ record: NoteRecord) -> [UInt8]? {
    var out = ByteBuffer(capacity: 4096)
    out.append("---\n")
    record.writeFrontMatter(into: &out)
    out.append("---\n")
    return appendBody(of: record, into: &out) ? Array(out.bytes) : nil
  }

  /// Appends the body in FleetKit's notation. Returns false if the notation cannot express the body.
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
      ChecklistRenderer.write(draft, language: record.language, into: &out)
    case .flashcardDeck:
      guard let draft = record.withBody(DraftsFromRecord.deck) else { return false }
      DeckRenderer.write(draft, into: &out)
    }
    return true
  }

  // MARK: Existing notes

  private func edited(
    _ original: NoteRecord.Original, _ record: NoteRecord, _ path: String,
    _ supplement: NoteSupplement
  ) -> Written? {
    guard var body = originalBody(original, record) else { return nil }
    var supplement = supplement
    var isRewritten = false
    var followsTitles = false
    var before = read(Self.join(original, original.frontMatter, body), path, supplement)
    if record.type != .practiceGuide {
      // Step ids are derived from the item's id. If the note would have a different id in this vault, its own id is
      // written.
      var same = before
      if let found = before, found.id != record.id {
        var own = supplement
        own.id = record.id
        same = read(Self.join(original, original.frontMatter, body), path, own)
      }
      let own = ownBody(of: record)
      let isSame = same?.hasSameBody(as: record) ?? false
      if isSame, let own, AddedIDs.areAll(of: own, to: body) {
        body = own
      } else if !isSame || !(same?.hasSameHead(as: record) ?? false),
        let changed = changed(original, body, record, path, supplement)
      {
        (body, supplement.parts, followsTitles) = changed
      } else if !isSame {
        guard let own else { return nil }
        // A note that FleetKit wrote stays in FleetKit's notation.
        isRewritten = original.body != nil && before.flatMap { ownBody(of: $0) } != body
        body = own
      }
      before = read(Self.join(original, original.frontMatter, body), path, supplement)
    }
    var frontMatter = original.frontMatter
    let implied = record.impliedKeys
    // The value of one key may depend on another key (the extras record which times were taken from the file), so
    // changes are checked again.
    for _ in 0..<3 {
      let text = Self.join(original, frontMatter, body)
      if frontMatter != original.frontMatter { before = read(text, path, supplement) }
      let changes = MetadataKeys.all.filter { key in
        !implied.contains(key.name)
          && !(before.map { NoteRecord.same($0.value(of: key, withID: false), record.value(of: key)) } ?? false)
      }
      if changes.isEmpty {
        return Written(
          bytes: text, supplement: supplement, isRewritten: isRewritten, followsTitles: followsTitles)
      }
      var edited = frontMatter ?? OriginalFrontMatter(lineEnd: LineEnd.first(in: body) ?? LineEnd.standard)
      for key in changes where !edited.change(key, to: record.written(key)) { return nil }
      frontMatter = edited
    }
    return Written(
      bytes: Self.join(original, frontMatter, body), supplement: supplement, isRewritten: isRewritten,
      followsTitles: followsTitles)
  }

  /// Returns the changed body of a checklist or a deck in the note's own notation, and the ids that the body does not
  /// contain. Also returns whether nested steps begin with the new titles of the steps above, although their titles in
  /// the record do not. Returns nil if the body's notation cannot express the record.
  private func changed(
    _ original: NoteRecord.Original, _ body: [UInt8], _ record: NoteRecord, _ path: String,
    _ supplement: NoteSupplement
  ) -> ([UInt8], PartIDs, followsTitles: Bool)? {
    let text = Self.join(original, original.frontMatter, body)
    func read(_ text: [UInt8], _ ids: PartIDs = PartIDs()) -> NoteRecord? {
      var supplement = supplement
      supplement.id = record.id
      supplement.parts = ids
      return self.read(text, path, supplement)
    }
    guard let before = read(text),
      var edited = check.edited(text, at: path, read: before, wanted: record), var after = read(edited)
    else { return nil }
    var ids = PartIDs()
    if hasSupplements {
      guard let found = PartIDs(read: after, wanted: record) else { return nil }
      ids = found
    } else if let titles = check.stepTitles(of: edited, at: path),
      let marked = StepIDMarks(titles: titles).added(to: edited, read: after, record: record)
    {
      edited = marked
    }
    guard let again = read(edited, ids) else { return nil }
    after = again
    let isSame = after.hasSameBody(as: record)
    guard isSame || check.follows(edited, text, at: path, before: before, after: after, wanted: record) else {
      return nil
    }
    // The front matter is unchanged, so the rest of the bytes is the body.
    return (Array(edited[(text.count - body.count)...]), ids, !isSame)
  }

  /// Returns the body in FleetKit's notation, as it is written below front matter.
  private func ownBody(of record: NoteRecord) -> [UInt8]? {
    var out = ByteBuffer(capacity: 4096)
    let fence = "---\n"
    out.append(utf8: fence)
    return appendBody(of: record, into: &out) ? Array(out.bytes.dropFirst(fence.utf8.count)) : nil
  }

  /// Returns the original body: the text of a guide, or the body that the record keeps for a checklist or a deck. If
  /// there is no such body, returns the body in FleetKit's notation.
  private func originalBody(_ original: NoteRecord.Original, _ record: NoteRecord) -> [UInt8]? {
    if record.type != .practiceGuide, let body = original.body { return body }
    return ownBody(of: record)
  }

  /// Joins the front matter and the body.
  private static func join(
    _ original: NoteRecord.Original, _ frontMatter: OriginalFrontMatter?, _ body: [UInt8]
  ) -> [UInt8] {
    let mark: [UInt8] = original.hasMark ? [0xEF, 0xBB, 0xBF] : []
    guard let frontMatter else { return mark + body }
    // A fence at the very end of a note needs no line end.
    return mark + (body.isEmpty ? frontMatter.typed : frontMatter.bytes) + body
  }
}

/// Adds ids to single steps of a note that contains no ids.
///
/// A step whose title was changed in the library is still the same step and keeps the ticks of charters. However, its
/// id can no longer be derived from its title, so the id is written on the step's line. Every other line stays
/// unchanged.
struct StepIDMarks {
  /// The ranges of the step titles in the parsed text of the note, section by section.
  let titles: [[Range<Int>]]

  /// Returns the text with the ids of the record that could not be read from the note.
  /// - Returns: nil if the note and the record do not have the same number of sections and steps, or if no id would be
  ///   added.
  func added(to text: [UInt8], read: NoteRecord, record: NoteRecord) -> [UInt8]? {
    guard let theirs = Self.ids(read), let mine = Self.ids(record), mine.map(\.count) == theirs.map(\.count),
      mine.map(\.count) == titles.map(\.count)
    else { return nil }
    var marks: [(at: Int, id: String)] = []
    for (section, ids) in mine.enumerated() {
      for (step, id) in ids.enumerated() where id != theirs[section][step] {
        let start = titles[section][step].upperBound
        guard start <= text.count else { return nil }
        // The step's other attributes are between its title and the end of the line.
        var end = text[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? text.count
        while end > start, text[end - 1] == 0x20 || text[end - 1] == 0x09 { end -= 1 }
        marks.append((end, id))
      }
    }
    if marks.isEmpty { return nil }
    var out = text
    for mark in marks.sorted(by: { $0.at > $1.at }) {
      out.insert(contentsOf: Array(" <!-- id=\(mark.id) -->".utf8), at: mark.at)
    }
    return out
  }

  private static func ids(_ record: NoteRecord) -> [[String]]? {
    guard record.type == .checklist else { return nil }
    return record.withBody { sections in
      var all: [[String]] = []
      sections.forEachElement { section in
        var ids: [String] = []
        section.member("items")?.forEachElement { ids.append($0.member("id")?.string ?? "") }
        all.append(ids)
      }
      return all
    }
  }
}

/// Recognizes bodies that were written in FleetKit's notation but do not contain all ids.
///
/// If a step was added to a note that FleetKit wrote, the step's line gets an id, so that ticks stay with the step when
/// its title changes. Every other line stays unchanged.
enum AddedIDs {
  /// Whether a body differs from the note's original body only by additional ids.
  fileprivate static func areAll(of own: [UInt8], to original: [UInt8]) -> Bool {
    // A person wrote a note without ids, so no ids are added to its body.
    guard contains(original, Array("<!-- id=".utf8)) else { return false }
    let mine = own.split(separator: 0x0A, omittingEmptySubsequences: false)
    let theirs = original.split(separator: 0x0A, omittingEmptySubsequences: false)
    var next = 0
    for line in mine {
      if next < theirs.count, adds(line, to: theirs[next]) {
        next += 1
      } else if !isComment(line) {
        return false
      }
    }
    return next == theirs.count
  }

  /// Whether a line is equal to another line, or to the other line with an id appended.
  private static func adds(_ line: ArraySlice<UInt8>, to other: ArraySlice<UInt8>) -> Bool {
    guard line.starts(with: other) else { return false }
    let rest = line.dropFirst(other.count)
    return rest.isEmpty || (rest.first == 0x20 && isComment(rest.dropFirst()))
  }

  /// Whether text is a comment that contains only an id.
  private static func isComment(_ text: ArraySlice<UInt8>) -> Bool {
    let start = Array("<!-- id=".utf8)
    let end = Array(" -->".utf8)
    guard text.count > start.count + end.count, text.starts(with: start), text.reversed().starts(with: end.reversed())
    else { return false }
    return text.dropFirst(start.count).dropLast(end.count).allSatisfy { $0 != 0x20 }
  }

  private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    var start = text.startIndex
    while let at = text[start...].firstIndex(of: part[0]) {
      if text[at...].starts(with: part) { return true }
      start = at + 1
    }
    return false
  }
}
