import Diagnostics
import JSONText

extension Canonicalizer {
  /// Writes a record in its canonical form (bundle mode).
  ///
  /// A record id that is not a UUID is replaced with one derived from it. The original is kept in `extras.raw.id`.
  /// - Parameter derivedID: makes the id of a record without one.
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
      ownID = written.map { CanonicalUUID.canonical($0) } ?? derivedID()
      if let written, CanonicalUUID.form(of: written) == .none { replacedID = written }
    }
    recordID =
      kind == .execution
      ? node.member("checklist_id")?.string.map { CanonicalUUID.canonical($0) } ?? "" : ownID
    writeObject(node, shape, position: 0, parent: -1, into: &out)
  }

  /// Returns the content type of an item. Short names are recognized.
  static func contentType(of item: JSONNode) -> ContentType? {
    item.member("content_type")?.string.map(longForm).flatMap(ContentType.init)
  }

  /// Returns the full name for a short name of a content type.
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

  /// Writes extras. If an id was replaced, the original comes first, in `raw.id`.
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
    if let id = node.member("id"), let written = id.string, CanonicalUUID.canonical(written) != ownID {
      report(.documentIDDiffers, "content_data has the id \(written), but its item has \(ownID)", at: id)
    }
    writeObject(node, Shapes.document(type), position: 0, parent: -1, into: &out)
  }

  /// Writes the document of an item without `content_data`. All values are inherited or defaults.
  mutating func writeEmptyDocument(into out: inout ByteBuffer) {
    guard let type = item?.type else { return out.append("null") }
    let empty: StaticString = "{}"
    var tape = JSONTape(capacity: 16)
    guard let parse = empty.withUTF8Buffer({ try? tape.parse($0.span) }) else { return }
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
  private static let itemStates = ShapeMember(
    "itemStates", .states, .literal, literal: "{}", child: Shapes.itemState)

  /// Writes only an item's document, complete and as `writeRecord` would write it (bundle mode).
  ///
  /// Values that are missing from the document are inherited from the item. Writes nothing if the item's `content_data`
  /// is not an object.
  /// - Parameters:
  ///   - item: an object with `content_type` and `content_data`.
  ///   - id: the document's id, a UUID in upper case.
  package mutating func writeDocument(of item: JSONNode, id: String, into out: inout ByteBuffer) {
    begin(item, recordID: id)
    let count = Shapes.item.members.count
    guard item.kind == .object, count <= Self.slotCapacity else { return }
    slotsUsed = count
    slots[..<count].update(repeating: -1)
    var unknown = false
    let mentioned = mentionsUnknown
    mentionsUnknown = false
    assign(item, Shapes.item, 0, &unknown)
    mentionsUnknown = mentioned
    self.item = ItemContext(node: item, slots: 0, type: Self.contentType(of: item))
    var name: JSONNode?
    item.forEachMember { own, _ in
      if own.equals("content_data") { name = own }
    }
    guard let name, item.at(name.index + 1).kind == .object else { return }
    path.append(name.index)
    writeDocument(item.at(name.index + 1), into: &out)
    path.removeLast()
  }
}

/// Writes an array of objects that needs no findings. Runs of the source are copied in the order of the shape.
///
/// This is the fast path of the canonicaliser for JSON columns. Members may be in any order. Members that are already
/// in order are copied together, so an ordered array is a single copy. If a value needs a finding, a default or a
/// repair, the copier stops and the canonicaliser starts again.
private struct ObjectCopier {
  /// The array that is written.
  private let root: JSONNode
  /// The offset of the source bytes to be copied next.
  private var runStart = 0
  private var runEnd = 0
  /// The token index of each member's name in the open objects, innermost last.
  private let slots: UnsafeMutableBufferPointer<Int32>
  private var slotsUsed = 0

  /// Writes `node`. Returns false if the array needs the canonicaliser; the bytes appended until then are invalid.
  ///
  /// The text must have been parsed without white space between its tokens.
  /// - Parameters:
  ///   - slots: scratch memory.
  ///   - innerIDs: receives the tokens of the ids that were written.
  static func write(
    _ node: JSONNode, _ shape: Shape, slots: UnsafeMutableBufferPointer<Int32>, innerIDs: inout [Int],
    into out: inout ByteBuffer
  ) -> Bool {
    var copier = ObjectCopier(root: node, slots: slots)
    guard copier.array(node, shape, &innerIDs, &out) else { return false }
    copier.flush(&out)
    return true
  }

  // MARK: Values

  private mutating func array(
    _ node: JSONNode, _ shape: Shape, _ innerIDs: inout [Int], _ out: inout ByteBuffer
  ) -> Bool {
    guard node.kind == .array else { return false }
    let span = node.span
    extendRun(span.lowerBound, span.lowerBound + 1, &out)
    let end = Int(node.token.next)
    var child = node.index + 1
    while child < end {
      if child != node.index + 1 { separate(Int(root.tokens[child].start), &out) }
      guard object(node.at(child), shape, &innerIDs, &out) else { return false }
      child = Int(root.tokens[child].next)
    }
    extendRun(span.upperBound - 1, span.upperBound, &out)
    return true
  }

  private mutating func object(
    _ node: JSONNode, _ shape: Shape, _ innerIDs: inout [Int], _ out: inout ByteBuffer
  ) -> Bool {
    let members = shape.members
    let count = members.count
    guard node.kind == .object, slotsUsed + count <= slots.count else { return false }
    let base = slotsUsed
    slotsUsed += count
    defer { slotsUsed = base }
    slots[base..<slotsUsed].update(repeating: -1)
    let end = Int(node.token.next)
    var child = node.index + 1
    var hint = 0
    while child < end {
      let name = node.at(child)
      if name.token.flags.contains(.escaped) { return false }
      let index = shape.index(of: name.inner.span, from: hint)
      guard index >= 0, slots[base + index] < 0 else { return false }
      slots[base + index] = Int32(truncatingIfNeeded: child)
      hint = index + 1
      child = Int(root.tokens[child + 1].next)
    }

    let span = node.span
    extendRun(span.lowerBound, span.lowerBound + 1, &out)
    var isFirst = true
    for index in 0..<count {
      let slot = Int(slots[base + index])
      if slot < 0 {
        guard members[index].absent == .omit else { return false }
        continue
      }
      let nameStart = Int(root.tokens[slot].start)
      if !isFirst { separate(nameStart, &out) }
      isFirst = false
      // Copies the name with its colon. Nothing else comes before the value.
      extendRun(nameStart, Int(root.tokens[slot + 1].start), &out)
      guard value(node.at(slot + 1), members[index], &innerIDs, &out) else { return false }
    }
    extendRun(span.upperBound - 1, span.upperBound, &out)
    return true
  }

  @inline(__always)
  private mutating func value(
    _ node: JSONNode, _ member: ShapeMember, _ innerIDs: inout [Int], _ out: inout ByteBuffer
  ) -> Bool {
    let token = node.token
    var fits: Bool
    switch member.kind {
    case .text:
      fits = token.kind == .string
      if token.flags.contains(.unusualEscape) {
        respell(node, &out)
        return fits
      }
    case .bool: fits = token.kind == .true || token.kind == .false
    case .integer: fits = node.isPlainInteger
    case .number: fits = token.kind == .number
    case .innerIdentifier:
      fits = token.kind == .string && CanonicalUUID.form(of: node.inner.span) == .canonical
      if fits { innerIDs.append(node.index) }
    case .strings: return token.kind == .array && strings(node, &out)
    case .objects:
      guard let child = member.child else { return false }
      return array(node, child, &innerIDs, &out)
    default: fits = false
    }
    if !fits { fits = token.kind == .null && member.nullable }
    extendRun(Int(token.start), Int(token.start) + Int(token.length), &out)
    return fits
  }

  private mutating func strings(_ node: JSONNode, _ out: inout ByteBuffer) -> Bool {
    let span = node.span
    extendRun(span.lowerBound, span.lowerBound + 1, &out)
    let end = Int(node.token.next)
    var child = node.index + 1
    while child < end {
      let token = root.tokens[child]
      guard token.kind == .string else { return false }
      if child != node.index + 1 { separate(Int(token.start), &out) }
      if token.flags.contains(.unusualEscape) {
        respell(node.at(child), &out)
      } else {
        extendRun(Int(token.start), Int(token.start) + Int(token.length), &out)
      }
      child += 1
    }
    extendRun(span.upperBound - 1, span.upperBound, &out)
    return true
  }

  // MARK: Runs

  /// Adds the source's bytes from `start` to `end` to the current run if they follow that run, or else begins a new
  /// run.
  @inline(__always)
  private mutating func extendRun(_ start: Int, _ end: Int, _ out: inout ByteBuffer) {
    if start != runEnd {
      flush(&out)
      runStart = start
    }
    runEnd = end
  }

  /// Adds the source's comma before the value at `start`, or writes a comma if the source has a different byte there.
  @inline(__always)
  private mutating func separate(_ start: Int, _ out: inout ByteBuffer) {
    if start == runEnd + 1, root.text[runEnd] == UInt8(ascii: ",") {
      runEnd = start
    } else {
      flush(&out)
      out.append(UInt8(ascii: ","))
      runStart = start
      runEnd = start
    }
  }

  /// Writes a string with the shortest escapes. Copying from the source continues after the string.
  private mutating func respell(_ node: JSONNode, _ out: inout ByteBuffer) {
    flush(&out)
    var plain = ByteBuffer(capacity: node.inner.count)
    JSONStrings.unescape(node.inner.span, into: &plain)
    out.appendJSONString(plain.bytes.span)
    runStart = node.span.upperBound
    runEnd = runStart
  }

  @inline(__always)
  private mutating func flush(_ out: inout ByteBuffer) {
    let start = root.span.lowerBound
    if runEnd > runStart { out.append(root.raw.span.extracting(runStart - start..<runEnd - start)) }
    runStart = runEnd
  }
}
