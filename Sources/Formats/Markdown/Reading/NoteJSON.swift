import Content
import JSONText

/// Writes a note as a record: what its front matter and its body say, and nothing that they do not say.
struct NoteJSON {
  /// What the record is told beside the note itself.
  struct Surroundings {
    /// The id of notes that have none.
    var derivedID: String
    /// The file's time, for notes that do not say when they were written.
    var fileTime: Timestamp
    /// What the record keeps of the note as it was typed, as the inside of a JSON object; nil for none.
    var original: [UInt8]?
  }

  let note: ParsedNote
  let text: UnsafeBufferPointer<UInt8>

  /// Appends the record.
  func write(_ around: Surroundings, into out: inout ByteBuffer) {
    let metadata = note.metadata
    out.append("{\"kind\":\"item\",\"id\":")
    if let id = metadata.member("id") {
      id.json.withUnsafeBufferPointer { out.append($0) }
    } else {
      out.appendJSONString(around.derivedID)
    }
    out.append(",\"content_type\":\"")
    out.append(utf8: note.judgement.type.rawValue)
    out.append("\",\"title\":")
    out.appendJSONString(note.title)
    for member in metadata.members where member.name != "id" && member.name != "title" {
      self.member(member.name, member.json, into: &out)
    }
    if let description = note.bodyDescription { self.text("description", description, into: &out) }
    if let language = note.inferredLanguage { member("language", NoteMetadata.json(language), into: &out) }
    let provenance = writeTimes(around, into: &out)
    out.append(",\"content_data\":{")
    writeBody(into: &out)
    for member in metadata.document { self.member(member.name, member.json, into: &out) }
    out.append(UInt8(ascii: "}"))
    writeExtras(around, provenance, into: &out)
    out.append(UInt8(ascii: "}"))
  }

  private func member(_ name: String, _ json: [UInt8], into out: inout ByteBuffer) {
    out.append(UInt8(ascii: ","))
    out.appendJSONString(name)
    out.append(UInt8(ascii: ":"))
    json.withUnsafeBufferPointer { out.append($0) }
  }

  private func text(_ name: String, _ text: SourcedText, into out: inout ByteBuffer) {
    out.append(UInt8(ascii: ","))
    out.appendJSONString(name)
    out.append(UInt8(ascii: ":"))
    text.bytes.withUnsafeBufferPointer { out.appendJSONString($0) }
  }

  // MARK: Times

  /// Times that the note does not say are those of its file, and that is noted.
  private func writeTimes(_ around: Surroundings, into out: inout ByteBuffer) -> [String] {
    var fromFile: [String] = []
    let created = note.metadata.member("created_at")
    let updated = note.metadata.member("updated_at")
    var time = around.fileTime
    if created == nil {
      // A note cannot have been made after it was changed.
      if let declared = updated.flatMap({ Self.time($0.json) }) { time = min(time, declared) }
      member("created_at", NoteMetadata.json(time.iso8601), into: &out)
      fromFile.append("created_at")
    }
    if updated == nil {
      time = around.fileTime
      if let declared = created.flatMap({ Self.time($0.json) }) { time = max(time, declared) }
      member("updated_at", NoteMetadata.json(time.iso8601), into: &out)
      fromFile.append("updated_at")
    }
    return fromFile
  }

  private static func time(_ json: [UInt8]) -> Timestamp? {
    Timestamp.parse(String(decoding: json.dropFirst().dropLast(), as: UTF8.self))?.0
  }

  private func writeExtras(_ around: Surroundings, _ fromFile: [String], into out: inout ByteBuffer) {
    let own = note.metadata.extras ?? []
    guard !own.isEmpty || !fromFile.isEmpty || around.original != nil else { return }
    out.append(",\"extras\":{")
    own.withUnsafeBufferPointer { out.append($0) }
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
      original.withUnsafeBufferPointer { out.append($0) }
      out.append(UInt8(ascii: "}"))
    }
    out.append(UInt8(ascii: "}"))
  }

  // MARK: The body

  private func writeBody(into out: inout ByteBuffer) {
    switch note.content {
    case .guide:
      out.append("\"markdown\":")
      out.appendJSONString(UnsafeBufferPointer(rebasing: text[note.body]))
    case .checklist(let checklist):
      out.append("\"sections\":[")
      for (index, section) in checklist.sections.enumerated() {
        if index > 0 { out.append(UInt8(ascii: ",")) }
        write(section, into: &out)
      }
      out.append(UInt8(ascii: "]"))
    case .deck(let deck):
      out.append("\"cards\":[")
      for (index, card) in deck.cards.enumerated() {
        if index > 0 { out.append(UInt8(ascii: ",")) }
        write(card, into: &out)
      }
      out.append(UInt8(ascii: "]"))
    }
  }

  private func write(_ section: SectionDraft, into out: inout ByteBuffer) {
    var object = MemberList(into: &out)
    object.text("id", section.id, into: &out)
    object.text("title", section.title, into: &out)
    object.text("icon", section.icon, into: &out)
    object.text("description", section.description, into: &out)
    object.json("sortOrder", section.sortOrder, into: &out)
    if section.isCollapsed { object.literal("isExpandedByDefault", "false", into: &out) }
    object.name("items", into: &out)
    out.append(UInt8(ascii: "["))
    for (index, step) in section.steps.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      write(step, into: &out)
    }
    out.append(UInt8(ascii: "]"))
    object.end(section.members, into: &out)
  }

  private func write(_ step: StepDraft, into out: inout ByteBuffer) {
    var object = MemberList(into: &out)
    object.text("id", step.id, into: &out)
    object.text("title", step.title, into: &out)
    object.text("itemDescription", step.details, into: &out)
    if step.isOptional { object.literal("isOptional", "true", into: &out) }
    if step.isRequired { object.literal("isRequired", "true", into: &out) }
    object.texts("tags", step.tags, into: &out)
    object.json("estimatedMinutes", step.minutes, into: &out)
    object.json("sortOrder", step.sortOrder, into: &out)
    object.end(step.members, into: &out)
  }

  private func write(_ card: CardDraft, into out: inout ByteBuffer) {
    var object = MemberList(into: &out)
    object.text("id", card.id, into: &out)
    object.text("front", card.front, into: &out)
    object.text("back", card.back, into: &out)
    object.texts("tags", card.tags, into: &out)
    object.text("hint", card.hint, into: &out)
    object.text("source", card.source, into: &out)
    object.json("sortOrder", card.sortOrder, into: &out)
    object.json("review", card.review, into: &out)
    object.end(card.members, into: &out)
  }
}
