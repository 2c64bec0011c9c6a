import Content
import Foundation
import JSONText

/// A canonical item that is prepared for a note, with access to its metadata key by key and to its body.
struct NoteRecord {
  /// The location of the record's tokens.
  private enum Tokens {
    case own(JSONDocument)
    /// A batch that has parsed the record and does not change while the record is used.
    case batch(RecordBatch, RecordSlot)
  }

  private let tokens: Tokens
  let type: ContentType
  let id: String
  let title: String

  /// Parses a canonical line.
  /// - Returns: nil for records that no note can express: records that are not items, unknown content types, and items
  ///   without content.
  init?(_ line: Span<UInt8>) {
    guard RecordLine.kind(of: line) == .item, let id = RecordLine.id(of: line),
      let document = try? JSONDocument(parsing: line),
      let type = document.root["content_type"]?.string.flatMap(ContentType.init(rawValue:)),
      let title = document.root["title"]?.string, document.root["content_data"]?.kind == .object
    else { return nil }
    tokens = .own(document)
    self.type = type
    self.id = id
    self.title = title
  }

  /// Uses a record in a batch, which must not change while the record is used.
  /// - Returns: nil for records that no note can express.
  init?(_ record: Record) {
    let slot = record.slot
    guard let root = record.batch.node(slot) else {
      guard let made = record.withLine({ NoteRecord($0.span) }) else { return nil }
      self = made
      return
    }
    let line = record.batch.line(slot).span
    guard RecordLine.kind(of: line) == .item, let id = RecordLine.id(of: line),
      let type = root.member("content_type")?.string.flatMap(ContentType.init(rawValue:)),
      let title = root.member("title")?.string, root.member("content_data")?.kind == .object
    else { return nil }
    tokens = .batch(record.batch, slot)
    self.type = type
    self.id = id
    self.title = title
  }

  /// The language of the item; English if the language is not a string.
  var language: String { withRoot { $0.member("language")?.string } ?? "en" }

  /// Calls a closure with the outermost object.
  func withRoot<Result>(_ body: (JSONNode) -> Result) -> Result {
    switch tokens {
    case .own(let document): return document.withNode(document.root.tokenIndex, body)
    case .batch(let batch, let slot):
      defer { withExtendedLifetime(batch) {} }
      return body(JSONNode(text: batch.base(slot), tokens: batch.tape.tokens, index: slot.root))
    }
  }

  /// Calls a closure with the content of the note's body: the sections, the cards, or the text of a guide. Returns nil
  /// if the content is missing.
  func withBody<Result>(_ body: (JSONNode) -> Result?) -> Result? {
    withRoot { root -> Result? in
      guard let content = root.member("content_data") else { return nil }
      let value: JSONNode? =
        switch type {
        case .checklist: content.member("sections")
        case .practiceGuide: content.member("markdown")
        case .flashcardDeck: content.member("cards")
        }
      return value.flatMap(body)
    }
  }

  /// Returns the guide with an empty body; nil for other records, and for a body with escapes that do not encode a
  /// character.
  func withoutBody() -> NoteRecord? {
    guard type == .practiceGuide,
      let span = withBody({ $0.kind == .string && !Self.hasNumbers($0.inner.span) ? $0.span : nil })
    else { return nil }
    return withRoot { root in
      let (text, start) = (root.raw, root.span.lowerBound)
      var line: [UInt8] = []
      line.reserveCapacity(text.count - span.count + 2)
      line += text[..<(span.lowerBound - start)]
      line += [UInt8(ascii: "\""), UInt8(ascii: "\"")]
      line += text[(span.upperBound - start)...]
      return NoteRecord(line.span)
    }
  }

  /// Returns the record with the sections or cards of another record; nil if either record has neither.
  func withBody(of other: NoteRecord) -> NoteRecord? {
    guard type == other.type, let span = withBody({ $0.span }), let body = other.withBody({ Array($0.raw) }) else {
      return nil
    }
    return withRoot { root in
      let (text, start) = (root.raw, root.span.lowerBound)
      let line = Array(text[..<(span.lowerBound - start)]) + body + Array(text[(span.upperBound - start)...])
      return NoteRecord(line.span)
    }
  }

  /// Whether the content of a string has numeric escapes, some of which may encode half a character.
  private static func hasNumbers(_ inner: Span<UInt8>) -> Bool {
    var from = 0
    while let at = inner.firstIndex(of: 0x5C, from: from) {
      if at + 1 < inner.count, inner[at + 1] == UInt8(ascii: "u") { return true }
      from = at + 2
    }
    return false
  }

  // MARK: Metadata

  /// The keys that the original note did not have, because their values are derived from the note's path and its file.
  /// These keys are not written into the note either.
  var impliedKeys: Set<String> {
    guard original != nil else { return [] }
    let (created, updated) = timesOfFile
    return Set((created ? [MetadataKeys.created.name] : []) + (updated ? [MetadataKeys.updated.name] : []))
  }

  /// For each of the item's times, whether it was missing in the note.
  var timesOfFile: (created: Bool, updated: Bool) {
    withRoot { root in
      let provenance = root.member("extras")?.member("provenance")
      return (
        provenance?.member("created_at")?.equals("file") ?? false,
        provenance?.member("updated_at")?.equals("file") ?? false
      )
    }
  }

  /// Returns the record's value for a key, as JSON; nil if the record has no such member.
  /// - Parameter withID: whether the original text of a non-UUID id counts as part of the extras. It does not if the
  ///   note itself contains the text.
  func value(of key: MetadataKey, withID: Bool? = nil) -> [UInt8]? {
    withRoot { root in
      switch key.home {
      case .envelope:
        if key.name == MetadataKeys.extras.name { return Self.extras(root, withID: withID ?? (original == nil)) }
        return Self.member(key.member, of: root).map { Array($0.raw) }
      case .content:
        guard let content = root.member("content_data"), type == .checklist else { return nil }
        return Self.member(key.member, of: content).map { Array($0.raw) }
      case .document: return documentMembers(root)
      case .members: return Self.unknownMembers(root)
      }
    }
  }

  /// Returns the value of a key in its written form; nil if the note does not need the key.
  func written(_ key: MetadataKey) -> [UInt8]? {
    let value = value(of: key)
    if key.member == "sync_status", let status = withRoot({ $0.member("sync_status")?.string }) {
      let text = withRoot { NoteStatus.written(status, line: $0.raw.span) }
      return text.map(NoteMetadata.json)
    }
    switch key.writing {
    case .always: return value ?? Array(key.standard.utf8)
    case .unlessStandard:
      guard let value, !value.elementsEqual(key.standard.utf8), !value.elementsEqual("null".utf8) else { return nil }
      return value
    }
  }

  /// Appends the record as front matter, one key after another.
  func writeFrontMatter(into out: inout ByteBuffer) {
    withRoot { root in
      let document = root.member("content_data")
      for key in MetadataKeys.all {
        guard let place = plainPlace(of: key, root, document) else {
          // The value must be assembled, or is the default of a missing member.
          if let value = written(key) { MetadataWriter.writeLine(value, as: key, into: &out) }
          continue
        }
        if key.writing == .unlessStandard, place.isNull || Self.isEqual(place.raw.span, key.standard) { continue }
        MetadataWriter.writeLine(place, as: key, into: &out)
      }
    }
  }

  /// Returns the value of a key if it can be written unchanged; nil if the value must be assembled.
  private func plainPlace(of key: MetadataKey, _ root: JSONNode, _ document: JSONNode?) -> JSONNode? {
    switch key.home {
    case .envelope:
      if key.name == MetadataKeys.extras.name || key.member == "sync_status" { return nil }
      return Self.member(key.member, of: root)
    case .content: return type == .checklist ? document.flatMap { Self.member(key.member, of: $0) } : nil
    case .document, .members: return nil
    }
  }

  /// Returns the extras without the note's original and without the values that were derived from its file.
  static func extras(_ root: JSONNode, withID: Bool) -> [UInt8]? {
    guard let extras = root.member("extras") else { return nil }
    guard extras.kind == .object else { return Array(extras.raw) }
    let hasOriginal = extras.member("markdown")?.kind == .object
    let rest = object(of: extras) { name, value in
      if !withID, name.equals("raw"), holdsOnlyTheID(value, root) { return false }
      return !(hasOriginal && name.equals("markdown")) && !name.equals("provenance")
    }
    return rest.count > 2 ? rest : nil
  }

  /// Whether the original values in a record consist only of an id that is not a UUID, from which the record's id is
  /// derived.
  private static func holdsOnlyTheID(_ raw: JSONNode, _ root: JSONNode) -> Bool {
    guard let written = raw.member("id")?.string, let id = root.member("id")?.string,
      CanonicalUUID.canonical(written) == id
    else { return false }
    var count = 0
    raw.forEachMember { _, _ in count += 1 }
    return count == 1
  }

  /// Returns the document members that cannot be derived from the envelope or the body.
  private func documentMembers(_ root: JSONNode) -> [UInt8]? {
    guard let content = root.member("content_data") else { return nil }
    let body = MetadataKeys.bodyMember(of: type)
    return Self.object(of: content) { name, value in
      if Self.isEqual(name.inner.span, body) { return false }
      if type == .checklist, name.equals("checklistType") { return false }
      if name.equals("creatorID") { return !value.isNull }
      guard let repeats = name.string.flatMap({ Shapes.repeats[$0] }), let envelope = root.member(named: repeats)
      else { return true }
      return !envelope.raw.span.equals(value.raw.span)
    }
  }

  private static func unknownMembers(_ root: JSONNode) -> [UInt8]? {
    object(of: root) { name, _ in Shapes.item.index(of: name.inner.span, from: 0) < 0 }
  }

  private static func member(_ name: String, of node: JSONNode) -> JSONNode? {
    guard node.kind == .object else { return nil }
    let name = name.utf8.span
    let end = Int(node.token.next)
    var child = node.index + 1
    while child < end {
      if node.at(child).inner.span.equals(name) { return node.at(child + 1) }
      child = Int(node.tokens[child + 1].next)
    }
    return nil
  }

  /// Whether bytes are equal to a string.
  private static func isEqual(_ bytes: Span<UInt8>, _ text: String) -> Bool {
    bytes.equals(text.utf8.span)
  }

  /// Returns an object with some of the members of another object.
  static func object(of node: JSONNode, _ isIncluded: (_ name: JSONNode, _ value: JSONNode) -> Bool) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(256)
    out.append(UInt8(ascii: "{"))
    node.forEachMember { name, value in
      guard isIncluded(name, value) else { return }
      if out.count > 1 { out.append(UInt8(ascii: ",")) }
      out += name.raw
      out.append(UInt8(ascii: ":"))
      out += value.raw
    }
    out.append(UInt8(ascii: "}"))
    return out
  }

  // MARK: The original

  /// The note from which the record was read, if its text is not canonical.
  struct Original {
    /// The note's path in its vault, unchecked.
    var path: String?
    /// The front matter with its fences; nil if the note had no front matter.
    var frontMatter: OriginalFrontMatter?
    /// The original body, for checklists and decks.
    var body: [UInt8]?
    /// A hash of the original body, for guides.
    var bodyHash: [UInt8]?
    var hasMark: Bool
    /// Whether the note was in an encoding other than UTF-8.
    var isEncoded = false
    /// Whether the note had no id, so that the id is derived from its path.
    var hasDerivedID: Bool
    /// The id that was derived from the note's vault and path, if the note had no id.
    var pathID: String?
  }

  /// Whether the record keeps the original spelling of a note, or keeps track of the values that were derived from its
  /// file.
  var keepsItsNote: Bool {
    withRoot { root in
      let extras = root.member("extras")
      return extras?.member("markdown") != nil || extras?.member("provenance") != nil
    }
  }

  /// The content of `extras.markdown`.
  var original: Original? {
    withRoot { root in
      guard let kept = root.member("extras")?.member("markdown"), kept.kind == .object else { return nil }
      let path = kept.member("path")?.string
      // A card folder is written as a single note.
      if path?.hasSuffix("/") ?? false { return nil }
      let encoding = kept.member("encoding")
      return Original(
        path: path,
        frontMatter: kept.member("front_matter").flatMap {
          $0.kind == .string ? OriginalFrontMatter($0.textBytes) : nil
        },
        body: kept.member("text").flatMap { $0.kind == .string ? $0.textBytes : nil },
        bodyHash: kept.member("text_hash")?.string.map { Array($0.utf8) },
        hasMark: kept.member("bom")?.bool == true && (encoding == nil || encoding?.equals("utf-8") == true),
        isEncoded: encoding.map { !$0.equals("utf-8") } ?? false,
        hasDerivedID: kept.member("derived_id")?.bool ?? false, pathID: kept.member("path_id")?.string)
    }
  }

  // MARK: Comparing

  /// Whether two records are equal in meaning, except for their originals and the values that are derived from their
  /// files.
  func means(_ other: NoteRecord) -> Bool {
    if isPlainlyEqual(other) { return true }
    let implied = impliedKeys
    let envelope = Set(MetadataKeys.all.filter { implied.contains($0.name) }.map(\.member))
    let content = Set(Shapes.repeats.filter { envelope.contains($0.value) }.keys)
    return withRoot { mine in
      other.withRoot { theirs in
        let isSame = mine.means(theirs) {
          $0.equals("extras") || $0.equals("content_data") || Self.isIn(envelope, $0)
        }
        guard isSame, let own = mine.member("content_data"), let their = theirs.member("content_data"),
          own.means(their, ignoring: { Self.isIn(content, $0) })
        else { return false }
        return Self.same(
          Self.extras(mine, withID: original == nil), Self.extras(theirs, withID: original == nil))
      }
    }
  }

  /// Whether the bodies of two records are equal in meaning.
  func hasSameBody(as other: NoteRecord) -> Bool {
    guard type == other.type else { return false }
    let isSame = withBody { mine in
      other.withBody { theirs in mine.raw.span.equals(theirs.raw.span) || mine.means(theirs) } ?? false
    }
    return isSame ?? (other.withBody { _ in true } == nil)
  }

  /// Whether two records have the same title and description, both of which may be in a note's body.
  func hasSameHead(as other: NoteRecord) -> Bool {
    func description(_ record: NoteRecord) -> String? { record.withRoot { $0.member("description")?.string } }
    return title.utf8.elementsEqual(other.title.utf8)
      && (description(self) ?? "").utf8.elementsEqual((description(other) ?? "").utf8)
  }

  /// Whether two records without extras have the same members in the same order, byte by byte. If not, the records may
  /// still be equal in meaning.
  private func isPlainlyEqual(_ other: NoteRecord) -> Bool {
    withRoot { mine in
      other.withRoot { theirs in
        Self.hasSameMembers(mine, theirs) { name, left, right in
          if name.equals("extras") { return false }
          guard name.equals("content_data") else { return left.raw.span.equals(right.raw.span) }
          return Self.hasSameMembers(left, right) { $1.raw.span.equals($2.raw.span) }
        }
      }
    }
  }

  private static func hasSameMembers(
    _ left: JSONNode, _ right: JSONNode, _ same: (_ name: JSONNode, _ left: JSONNode, _ right: JSONNode) -> Bool
  ) -> Bool {
    guard left.kind == .object, right.kind == .object else { return false }
    let (leftEnd, rightEnd) = (Int(left.token.next), Int(right.token.next))
    var (one, two) = (left.index + 1, right.index + 1)
    while one < leftEnd, two < rightEnd {
      guard left.at(one).inner.span.equals(right.at(two).inner.span),
        same(left.at(one), left.at(one + 1), right.at(two + 1))
      else { return false }
      one = Int(left.tokens[one + 1].next)
      two = Int(right.tokens[two + 1].next)
    }
    return one >= leftEnd && two >= rightEnd
  }

  private static func isIn(_ names: Set<String>, _ name: JSONNode) -> Bool {
    !names.isEmpty && names.contains(String(decoding: name.inner, as: UTF8.self))
  }

  /// Whether two JSON texts are equal in meaning.
  static func same(_ left: [UInt8]?, _ right: [UInt8]?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    if left == right { return true }
    guard let first = try? JSONDocument(parsing: left), let second = try? JSONDocument(parsing: right) else {
      return false
    }
    return first.root.means(second.root)
  }
}

/// Makes drafts from the content of a canonical record.
///
/// Every member is kept in a draft. Unknown members, and nulls for optional members, are kept in `members`. A nil
/// result means that a value has the wrong type, so that no note can hold it.
enum DraftsFromRecord {
  /// Returns the draft of a checklist's `sections`.
  static func checklist(_ sections: JSONNode) -> ChecklistDraft? {
    var draft = ChecklistDraft()
    let isSound = everyElement(sections) { node, position in
      guard let section = section(node, position) else { return false }
      draft.sections.append(section)
      return true
    }
    return isSound ? draft : nil
  }

  /// Returns the draft of a deck's `cards`.
  static func deck(_ cards: JSONNode) -> DeckDraft? {
    var draft = DeckDraft()
    let isSound = everyElement(cards) { node, position in
      guard let card = card(node, position) else { return false }
      draft.cards.append(card)
      return true
    }
    return isSound ? draft : nil
  }

  private static func section(_ node: JSONNode, _ position: Int) -> SectionDraft? {
    var reader = MemberSorter(node)
    guard let title = reader.text("title") else { return nil }
    var section = SectionDraft(title: title, range: 0..<0)
    section.id = reader.text("id")
    section.icon = reader.text("icon")
    section.description = reader.text("description")
    section.isCollapsed = reader.bool("isExpandedByDefault", standard: true) == false
    section.sortOrder = reader.number("sortOrder", unless: position)
    var isSound = true
    if let items = reader.remove("items", .array) {
      isSound = everyElement(items) { node, position in
        guard let step = step(node, position) else { return false }
        section.steps.append(step)
        return true
      }
    }
    section.members = reader.rest()
    return isSound && reader.isSound ? section : nil
  }

  private static func step(_ node: JSONNode, _ position: Int) -> StepDraft? {
    var reader = MemberSorter(node)
    guard let title = reader.text("title") else { return nil }
    var step = StepDraft(title: title, range: 0..<0)
    step.id = reader.text("id")
    step.details = reader.text("itemDescription")
    step.isRequired = reader.bool("isRequired", standard: false)
    step.isOptional = reader.bool("isOptional", standard: false)
    step.minutes = reader.number("estimatedMinutes", unless: nil)
    step.tags = reader.texts("tags")
    step.sortOrder = reader.number("sortOrder", unless: position)
    step.members = reader.rest()
    return reader.isSound ? step : nil
  }

  private static func card(_ node: JSONNode, _ position: Int) -> CardDraft? {
    var reader = MemberSorter(node)
    guard let front = reader.text("front"), let back = reader.text("back") else { return nil }
    var card = CardDraft(front: front, back: back, range: 0..<0)
    card.id = reader.text("id")
    card.tags = reader.texts("tags")
    card.hint = reader.text("hint")
    card.source = reader.text("source")
    card.sortOrder = reader.number("sortOrder", unless: position)
    card.review = reader.remove("review", .object).map { MemberSorter.sourced($0.raw.span) }
    card.members = reader.rest()
    return reader.isSound ? card : nil
  }

  private static func everyElement(_ node: JSONNode, _ body: (JSONNode, Int) -> Bool) -> Bool {
    guard node.kind == .array else { return false }
    var position = 0
    var isSound = true
    node.forEachElement { element in
      isSound = isSound && element.kind == .object && body(element, position)
      position += 1
    }
    return isSound
  }
}

/// Removes members from an object one by one. `rest` returns the remaining members.
private struct MemberSorter {
  private var members: [(name: JSONNode, value: JSONNode)] = []
  /// Whether every removed member had the right type.
  private(set) var isSound = true

  init(_ node: JSONNode) {
    var found: [(name: JSONNode, value: JSONNode)] = []
    node.forEachMember { found.append(($0, $1)) }
    members = found
  }

  /// Removes a member and returns its value; nil if the member is missing or null. A null remains for `rest`.
  mutating func remove(_ name: StaticString, _ kind: JSONToken.Kind) -> JSONNode? {
    guard let index = members.firstIndex(where: { $0.name.equals(name) }), !members[index].value.isNull else {
      return nil
    }
    let value = members.remove(at: index).value
    if value.kind == kind { return value }
    isSound = false
    return nil
  }

  mutating func text(_ name: StaticString) -> SourcedText? {
    remove(name, .string).map { SourcedText(bytes: $0.textBytes, range: 0..<0) }
  }

  /// Removes and returns a Boolean. A null makes the object unsound.
  mutating func bool(_ name: StaticString, standard: Bool) -> Bool {
    guard let index = members.firstIndex(where: { $0.name.equals(name) }) else { return standard }
    let value = members.remove(at: index).value.bool
    isSound = isSound && value != nil
    return value ?? standard
  }

  /// Removes a number and returns it as JSON; nil if it is missing or is the whole number `position`.
  mutating func number(_ name: StaticString, unless position: Int?) -> SourcedText? {
    guard let value = remove(name, .number) else { return nil }
    if let position, value.raw.elementsEqual(String(position).utf8) { return nil }
    return Self.sourced(value.raw.span)
  }

  mutating func texts(_ name: StaticString) -> [SourcedText] {
    var all: [SourcedText] = []
    var areTexts = true
    remove(name, .array)?.forEachElement { element in
      areTexts = areTexts && element.kind == .string
      all.append(SourcedText(bytes: element.textBytes, range: 0..<0))
    }
    isSound = isSound && areTexts
    return all
  }

  /// Returns the remaining members as JSON, without the braces of the object; nil if no members remain.
  func rest() -> SourcedText? {
    guard !members.isEmpty else { return nil }
    var text = ByteBuffer(capacity: 256)
    for member in members {
      if text.count > 0 { text.append(UInt8(ascii: ",")) }
      text.append(member.name.raw.span)
      text.append(UInt8(ascii: ":"))
      text.append(member.value.raw.span)
    }
    return Self.sourced(text.bytes.span)
  }

  static func sourced(_ bytes: Span<UInt8>) -> SourcedText {
    SourcedText(bytes: Array(bytes), range: 0..<0)
  }
}
