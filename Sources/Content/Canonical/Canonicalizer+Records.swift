import Diagnostics
import JSONText

extension Canonicalizer {
  /// Writes a record in its canonical form (bundle mode).
  ///
  /// A record id that is no UUID is replaced by one derived from it and kept under `extras.raw.id`.
  /// - Parameter derivedID: makes the id of a record that has none.
  package mutating func writeRecord(
    _ node: JSONNode, kind: RecordKind, derivedID: () -> String, into out: inout ByteBuffer
  ) {
    begin(node, recordID: "")
    beginText(node, at: out.count)
    guard node.kind == .object else {
      report(.typeMismatch, "a record must be an object, not \(Self.describe(node))", at: node)
      return
    }
    let shape = Shapes.record(kind)
    guard shape.members.count > Shapes.carried.members.count else {
      return writeCarried(node, Shapes.carried, into: &out)
    }
    if kind != .syncOperation {
      let written = node.member("id").flatMap { $0.string ?? $0.numberText }
      ownID = written.map { UUIDText.canonical($0) } ?? derivedID()
      if let written, UUIDText.form(of: written) == .none { replacedID = written }
    }
    recordID =
      kind == .execution
      ? node.member("checklist_id")?.string.map { UUIDText.canonical($0) } ?? "" : ownID
    writeObject(node, shape, position: 0, parent: -1, into: &out)
  }

  /// The content type that an item says, short names understood.
  static func contentType(of item: JSONNode) -> ContentType? {
    item.member("content_type")?.string.map(longForm).flatMap(ContentType.init)
  }

  /// Short names that people write for content types.
  static func longForm(_ type: String) -> String {
    switch type {
    case "guide": "practice_guide"
    case "deck": "flashcard_deck"
    default: type
    }
  }

  mutating func writeContentType(_ member: ShapeMember, _ node: JSONNode, into out: inout ByteBuffer) {
    guard let text = node.string else { return repairText(member, node, into: &out) }
    let type = Self.longForm(text)
    if mode == .bundle, ContentType(rawValue: type) == nil {
      report(.unknownContentType, "content_type is \(Self.short(node))", at: node)
    }
    out.appendJSONString(type)
  }

  /// Writes extras; an id that was replaced stands first under `raw.id`.
  mutating func writeExtras(_ extras: JSONNode?, into out: inout ByteBuffer) {
    guard let replacedID else {
      if let extras { writeAny(extras, into: &out) }
      return
    }
    out.append("{\"raw\":{\"id\":")
    out.appendJSONString(replacedID)
    writeMembers(of: extras?.member("raw"), except: "id", into: &out)
    out.append(UInt8(ascii: "}"))
    writeMembers(of: extras, except: "raw", into: &out)
    out.append(UInt8(ascii: "}"))
  }

  private mutating func writeMembers(
    of node: JSONNode?, except skipped: StaticString, into out: inout ByteBuffer
  ) {
    node?.forEachMember { name, value in
      if name.equals(skipped) { return }
      out.append(UInt8(ascii: ","))
      writeString(name, into: &out)
      out.append(UInt8(ascii: ":"))
      writeAny(value, into: &out)
    }
  }

  /// Writes an item's document in the shape of its content type.
  mutating func writeDocument(_ node: JSONNode, into out: inout ByteBuffer) {
    guard node.kind == .object else {
      report(.typeMismatch, "content_data must be an object, not \(Self.describe(node))", at: node)
      return writeAny(node, into: &out)
    }
    guard let type = item?.type else { return writeAny(node, into: &out) }
    if let id = node.member("id"), let written = id.string, UUIDText.canonical(written) != ownID {
      report(.documentIDDiffers, "content_data has the id \(written), its item \(ownID)", at: id)
    }
    writeObject(node, Shapes.document(type), position: 0, parent: -1, into: &out)
  }

  /// Writes the document of an item that says nothing about it: everything inherited or at its default.
  mutating func writeEmptyDocument(into out: inout ByteBuffer) {
    guard let type = item?.type else { return out.append("null") }
    let empty: StaticString = "{}"
    var tape = JSONTape(capacity: 16)
    guard let parse = try? tape.parse(UnsafeBufferPointer(start: empty.utf8Start, count: 2)) else { return }
    let node = JSONNode(text: empty.utf8Start, tokens: tape.tokens, index: parse.root)
    writeObject(node, Shapes.document(type), position: 0, parent: -1, into: &out)
  }

  // MARK: Columns of a library

  /// Writes the app's sections (column mode).
  /// - Parameter isDense: whether the text was parsed and has no white space between its tokens.
  package mutating func writeSections(_ node: JSONNode, isDense: Bool = false, into out: inout ByteBuffer) {
    beginText(node, at: out.count)
    if isDense, mode == .column {
      let start = out.count
      let slots = UnsafeMutableBufferPointer(start: slots, count: Self.slotCapacity)
      if ObjectCopier.write(node, Shapes.checklistSection, slots: slots, innerIDs: &innerIDs, into: &out) { return }
      out.truncate(to: start)
      innerIDs.removeAll(keepingCapacity: true)
    }
    writeObjects(Shapes.sections, node, owner: node, into: &out)
  }

  /// Writes the app's tags (column mode).
  package mutating func writeTags(_ node: JSONNode, into out: inout ByteBuffer) {
    writeStrings(Self.tags, node, into: &out)
  }

  /// Writes the app's ticks (column mode).
  package mutating func writeItemStates(_ node: JSONNode, into out: inout ByteBuffer) {
    beginText(node, at: out.count)
    writeStates(Self.itemStates, node, into: &out)
  }

  static let tags = ShapeMember("tags", .strings, .literal, literal: "[]")
  static let itemStates = ShapeMember(
    "itemStates", .states, .literal, literal: "{}", child: Shapes.itemState)
}
