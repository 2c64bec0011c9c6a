import Content
import JSONText

/// Writes a note as a record that has exactly the values of the note's front matter and body.
struct NoteJSON {
  /// The record values that come from outside the note.
  struct Surroundings {
    /// The id for a note without an id.
    var derivedID: String
    /// The file's modification time, for a note without times.
    var fileTime: Timestamp
    /// The original of the note as it was typed, which the record keeps, as the members of a JSON object without the
    /// braces; nil to keep no original.
    var original: [UInt8]?
  }

  let note: ParsedNote

  /// Appends the record of a note with the given text. A guide's record has its members in order and its defaults written, so that it is canonical
  /// unless the front matter contains unusual values.
  func write(_ text: Span<UInt8>, _ around: Surroundings, into out: inout ByteBuffer) {
    let shape = Shapes.item
    let times = times(around)
    var known = [[UInt8]?](repeating: nil, count: shape.members.count)
    var others: [NoteMetadata.Member] = []
    for member in note.metadata.members {
      if let index = MetadataKeys.positions[member.name] { known[index] = member.json } else { others.append(member) }
    }
    out.append("{\"kind\":\"item\"")
    for index in 1..<shape.members.count {
      let member = shape.members[index]
      switch index {
      case MetadataKeys.extrasPosition: writeExtras(around, times.fromFile, into: &out)
      case MetadataKeys.documentPosition:
        out.append(UInt8(ascii: ","))
        out.append(member.key.span)
        writeDocument(text, known, times, around, into: &out)
      default:
        out.append(UInt8(ascii: ","))
        out.append(member.key.span)
        writeValue(index, member, known, times, around, into: &out)
      }
    }
    for member in others { self.member(member.name, member.json, into: &out) }
    out.append(UInt8(ascii: "}"))
  }

  private func writeValue(
    _ index: Int, _ member: ShapeMember, _ known: [[UInt8]?], _ times: Times, _ around: Surroundings,
    into out: inout ByteBuffer
  ) {
    switch index {
    case MetadataKeys.idPosition where known[index] == nil: out.appendJSONString(around.derivedID)
    case MetadataKeys.typePosition:
      out.append(UInt8(ascii: "\""))
      out.append(utf8: note.judgement.type.rawValue)
      out.append(UInt8(ascii: "\""))
    case MetadataKeys.titlePosition: out.appendJSONString(note.title)
    case MetadataKeys.createdPosition: out.append(times.created.span)
    case MetadataKeys.updatedPosition: out.append(times.updated.span)
    default:
      if let json = known[index] {
        out.append(json.span)
      } else if index == MetadataKeys.descriptionPosition, let text = note.bodyDescription {
        out.appendJSONString(text.bytes.span)
      } else if index == MetadataKeys.languagePosition, let language = note.inferredLanguage {
        out.appendJSONString(language)
      } else if member.absent == .literal {
        out.append(member.literal.span)
      } else {
        out.append("null")
      }
    }
  }

  /// Appends a guide's document in the order of its shape. The canonicaliser orders the members of other documents.
  private func writeDocument(
    _ text: Span<UInt8>, _ known: [[UInt8]?], _ times: Times, _ around: Surroundings, into out: inout ByteBuffer
  ) {
    func repeated(_ index: Int) { writeValue(index, Shapes.item.members[index], known, times, around, into: &out) }
    guard case .guide = note.content, note.metadata.document.isEmpty else {
      out.append(UInt8(ascii: "{"))
      note.content.write(guide: text.extracting(note.body), into: &out)
      for member in note.metadata.document { self.member(member.name, member.json, into: &out) }
      return out.append(UInt8(ascii: "}"))
    }
    out.append("{\"id\":")
    repeated(MetadataKeys.idPosition)
    out.append(",\"title\":")
    repeated(MetadataKeys.titlePosition)
    out.append(",\"description\":")
    repeated(MetadataKeys.descriptionPosition)
    out.append(UInt8(ascii: ","))
    note.content.write(guide: text.extracting(note.body), into: &out)
    out.append(",\"tags\":")
    repeated(MetadataKeys.tagsPosition)
    out.append(",\"creatorID\":null,\"createdAt\":")
    repeated(MetadataKeys.createdPosition)
    out.append(",\"updatedAt\":")
    repeated(MetadataKeys.updatedPosition)
    out.append(",\"syncStatus\":")
    repeated(MetadataKeys.statusPosition)
    out.append(UInt8(ascii: "}"))
  }

  private func member(_ name: String, _ json: [UInt8], into out: inout ByteBuffer) {
    out.append(UInt8(ascii: ","))
    out.appendJSONString(name)
    out.append(UInt8(ascii: ":"))
    out.append(json.span)
  }

  // MARK: Times

  /// The times of a record as JSON, and which times are missing in the note.
  private struct Times {
    var created: [UInt8]
    var updated: [UInt8]
    var fromFile: [String] = []
  }

  /// Returns the times. A time that is missing in the note is taken from the vault, or else from the file, and is
  /// marked accordingly.
  private func times(_ around: Surroundings) -> Times {
    let created = note.metadata.member("created_at")?.json
    let updated = note.metadata.member("updated_at")?.json
    var times = Times(created: created ?? [], updated: updated ?? [])
    if created == nil, let known = note.times.created {
      times.created = known
      times.fromFile.append("created_at")
    } else if created == nil {
      // A note cannot have been created after its last change.
      let time = updated.flatMap(Self.time).map { min(around.fileTime, $0) } ?? around.fileTime
      times.created = NoteMetadata.json(time.iso8601)
      times.fromFile.append("created_at")
    }
    if updated == nil, let known = note.times.updated {
      times.updated = known
      times.fromFile.append("updated_at")
    } else if updated == nil {
      let time = created.flatMap(Self.time).map { max(around.fileTime, $0) } ?? around.fileTime
      times.updated = NoteMetadata.json(time.iso8601)
      times.fromFile.append("updated_at")
    }
    return times
  }

  private static func time(_ json: [UInt8]) -> Timestamp? {
    Timestamp.parse(String(decoding: json.dropFirst().dropLast(), as: UTF8.self))?.0
  }

  private func writeExtras(_ around: Surroundings, _ fromFile: [String], into out: inout ByteBuffer) {
    let own = note.metadata.extras ?? []
    guard !own.isEmpty || !fromFile.isEmpty || around.original != nil else { return }
    out.append(",\"extras\":{")
    out.append(own.span)
    var isEmpty = own.isEmpty
    if !fromFile.isEmpty {
      if !isEmpty { out.append(UInt8(ascii: ",")) }
      isEmpty = false
      out.append("\"provenance\":{")
      for (index, name) in fromFile.enumerated() {
        if index > 0 { out.append(UInt8(ascii: ",")) }
        out.appendJSONString(name)
        out.append(":\"file\"")
      }
      out.append(UInt8(ascii: "}"))
    }
    if let original = around.original {
      if !isEmpty { out.append(UInt8(ascii: ",")) }
      out.append("\"markdown\":{")
      out.append(original.span)
      out.append(UInt8(ascii: "}"))
    }
    out.append(UInt8(ascii: "}"))
  }
}

/// Makes the canonical line of a note that is read individually.
enum CanonicalLine {
  /// Returns the line; nil if the note cannot be a record.
  static func of(
    _ note: ParsedNote, _ text: Span<UInt8>, _ around: NoteJSON.Surroundings
  ) -> [UInt8]? {
    of(current: note.withCurrentStatus(text, around), text, around)
  }

  /// Returns the line of a note whose state is known; nil if the line is not already canonical as written.
  static func asWritten(
    _ note: ParsedNote, _ text: Span<UInt8>, _ around: NoteJSON.Surroundings
  ) -> [UInt8]? {
    var draft = ByteBuffer(capacity: text.count * 2 + 1024)
    NoteJSON(note: note).write(text, around, into: &draft)
    var tape = JSONTape(capacity: draft.count / 16 + 64)
    guard let parse = try? tape.parse(draft.bytes.span) else { return nil }
    let node = JSONNode(text: draft.start, tokens: tape.tokens, index: parse.root)
    return CanonicalCheck.isCanonical(node, kind: .item, traits: parse.traits) ? draft.copy(0..<draft.count) : nil
  }

  /// Returns the line of a note whose state is known.
  static func of(
    current note: ParsedNote, _ text: Span<UInt8>, _ around: NoteJSON.Surroundings
  ) -> [UInt8]? {
    var draft = ByteBuffer(capacity: text.count + text.count / 4 + 2048)
    NoteJSON(note: note).write(text, around, into: &draft)
    var tape = JSONTape(capacity: draft.count / 16 + 64)
    guard let parse = try? tape.parse(draft.bytes.span) else { return nil }
    let node = JSONNode(text: draft.start, tokens: tape.tokens, index: parse.root)
    if CanonicalCheck.isCanonical(node, kind: .item, traits: parse.traits) { return draft.copy(0..<draft.count) }
    var canonicalizer = Canonicalizer(mode: .bundle)
    var line = ByteBuffer(capacity: draft.count + 1024)
    canonicalizer.writeRecord(node, kind: .item, derivedID: { CanonicalUUID.zero }, into: &line)
    return canonicalizer.rejected ? nil : line.copy(0..<line.count)
  }
}

/// The synchronization state in a note, such as `sync_status: synced 3f2a9c0d11ee`: the state, and a hash of the item's
/// content at the time when the state was true.
///
/// An item whose content has changed since then is pending, as in the app. Therefore, when a step is edited, only the
/// step's line changes.
enum NoteStatus {
  /// The number of hexadecimal digits of the content hash that are written.
  private static let digits = 12

  /// Returns the value to write for a record; nil for the state `pending`, which is not written.
  static func written(_ status: String, line: Span<UInt8>) -> String? {
    guard status != "pending", let hash = try? ContentHash.of(line: line) else { return nil }
    return status + " " + hash.prefix(digits)
  }

  /// Splits a value into its state and hash; nil for a state without a hash.
  static func parts(_ value: String) -> (status: String, hash: String)? {
    guard let blank = value.lastIndex(of: " ") else { return nil }
    let hash = value[value.index(after: blank)...]
    guard hash.utf8.count == digits, hash.utf8.allSatisfy({ $0 &- 0x30 < 10 || $0 &- 0x61 < 6 }) else { return nil }
    return (String(value[..<blank]), String(hash))
  }
}

extension ParsedNote {
  /// Returns the note with its current state: the written state if the content still has the written hash, otherwise
  /// pending.
  func withCurrentStatus(_ text: Span<UInt8>, _ around: NoteJSON.Surroundings) -> ParsedNote {
    guard let member = metadata.member("sync_status"),
      let value = try? JSONDocument(parsing: member.json).root.string, let (status, hash) = NoteStatus.parts(value)
    else { return self }
    var note = self
    note.metadata.setStatus(status)
    let line = CanonicalLine.of(current: note, text, around)
    let now = line.flatMap { try? ContentHash.of(line: $0.span) }
    if now?.hasPrefix(hash) != true { note.metadata.setStatus("pending") }
    return note
  }
}
