import Diagnostics
import JSONText

extension Canonicalizer {
  /// Writes a member's value in the form that its kind has.
  mutating func writeMember(
    _ member: ShapeMember, _ node: JSONNode, position: Int, parent: Int, owner: JSONNode,
    into out: inout ByteBuffer
  ) {
    if mode == .order { return writeOrdered(member, node, into: &out) }
    if node.isNull {
      if member.nullable || member.kind == .any { return out.append("null") }
      return writeNull(member, node, position: position, parent: parent, owner: owner, into: &out)
    }
    switch member.kind {
    case .text:
      if node.kind == .string { return writeString(node, into: &out) }
      repairText(member, node, into: &out)
    case .bool:
      if node.kind == .true { return out.append("true") }
      if node.kind == .false { return out.append("false") }
      repairBool(member, node, into: &out)
    case .integer:
      if node.isPlainInteger || node.kind == .number && node.integer != nil { return out.append(node.raw) }
      repairInteger(member, node, position: position, into: &out)
    case .number:
      if node.kind == .number { return out.append(node.raw) }
      repairNumber(member, node, into: &out)
    case .date: writeDate(member, node, into: &out)
    case .tickTime: writeTickTime(member, node, into: &out)
    case .recordID: out.appendJSONString(ownID)
    case .contentType: writeContentType(member, node, into: &out)
    case .extras: writeExtras(node, into: &out)
    case .identifier: writeIdentifier(member, node, scope: "", into: &out)
    case .innerIdentifier:
      innerIDs.append(node.index)
      writeIdentifier(member, node, scope: recordID, into: &out)
    case .strings: writeStrings(member, node, into: &out)
    case .objects: writeObjects(member, node, owner: owner, into: &out)
    case .object:
      guard node.kind == .object, let child = member.child else {
        return mismatch(member, node, "an object", repaired: "null", into: &out)
      }
      writeObject(node, child, position: 0, parent: parent, into: &out)
    case .states: writeStates(member, node, into: &out)
    case .any: writeAny(node, into: &out)
    case .payload: writeCarried(node, Shapes.payload, into: &out)
    case .document: writeDocument(node, into: &out)
    }
  }

  /// Null where the app wants a value: the default takes its place, as if the member were missing.
  private mutating func writeNull(
    _ member: ShapeMember, _ node: JSONNode, position: Int, parent: Int, owner: JSONNode,
    into out: inout ByteBuffer
  ) {
    if mode == .column {
      report(.wrongType, "'\(member.nameText)' is null", at: node)
    } else if member.absent == .refuse {
      report(.requiredMember, "'\(member.nameText)' is null", at: node)
    }
    switch member.absent {
    case .literal: out.append(member.literal)
    case .position: out.append(utf8: String(position))
    case .derivedID where member.kind == .recordID: out.appendJSONString(ownID)
    case .derivedID: out.appendJSONString(derivedID(for: owner, position: position, parent: parent))
    default: out.append(member.kind == .text ? "\"\"" : "null")
    }
  }

  // MARK: Containers

  /// Writes an array of objects; strings in it are taken as titles.
  mutating func writeObjects(
    _ member: ShapeMember, _ node: JSONNode, owner: JSONNode, into out: inout ByteBuffer
  ) {
    guard let shape = member.child else { return writeAny(node, into: &out) }
    guard node.kind == .array else {
      return mismatch(member, node, "an array", repaired: "[]", into: &out)
    }
    // Items are told apart by their section; sections and cards stand in the document itself.
    let parent = shape.members.baseAddress == Shapes.checklistItem.members.baseAddress ? owner.index : -1
    out.append(UInt8(ascii: "["))
    let open = out.count
    var position = 0
    node.forEachElement { element in
      // Objects get members that their source leaves out, so a text can grow tenfold.
      guard !isFull(out.count, at: element) else { return }
      path.append(-1 - position)
      if element.kind == .object {
        separate(&out, open)
        writeObject(element, shape, position: position, parent: parent, into: &out)
      } else {
        repairElement(element, shape, position: position, parent: parent, open: open, into: &out)
      }
      path.removeLast()
      position += 1
    }
    out.append(UInt8(ascii: "]"))
  }

  /// An element that is no object: a string becomes the title of one, anything else is left out.
  private mutating func repairElement(
    _ element: JSONNode, _ shape: Shape, position: Int, parent: Int, open: Int,
    into out: inout ByteBuffer
  ) {
    report(
      mode == .column ? .wrongType : .typeMismatch, "\(Self.describe(element)) where an object was expected",
      at: element)
    guard mode == .column else { return }
    altered = true
    guard element.kind == .string else { return }
    separate(&out, open)
    let title = element.string ?? ""
    var made = ByteBuffer(capacity: 256)
    made.append("{\"title\":")
    made.appendJSONString(title)
    made.append("}")
    var tape = JSONTape(capacity: 8)
    guard let parse = try? tape.parse(made.bytes) else { return }
    let node = JSONNode(text: made.start, tokens: tape.tokens, index: parse.root)
    let before = issues.count
    let savedPath = path.steps
    path.removeAll()
    // The made object is a text of its own, so nothing around it can be looked at.
    writeObject(node, shape, position: position, parent: -1, into: &out)
    path.restore(savedPath)
    forgetIssues(from: before)
  }

  mutating func writeStrings(_ member: ShapeMember, _ node: JSONNode, into out: inout ByteBuffer) {
    guard node.kind == .array else { return repairStrings(member, node, into: &out) }
    out.append(UInt8(ascii: "["))
    let open = out.count
    var position = 0
    node.forEachElement { element in
      if element.kind == .string {
        separate(&out, open)
        writeString(element, into: &out)
      } else {
        path.append(-1 - position)
        repairStringElement(element, open: open, into: &out)
        path.removeLast()
      }
      position += 1
    }
    out.append(UInt8(ascii: "]"))
  }

  /// Writes ticks in the order of their ids.
  mutating func writeStates(_ member: ShapeMember, _ node: JSONNode, into out: inout ByteBuffer) {
    guard node.kind == .object, let shape = member.child else {
      return mismatch(member, node, "an object of ticks", repaired: "{}", into: &out)
    }
    // Tokens of the names: a node takes three times as much, and there may be a million.
    var last: [String: Int] = [:]
    node.forEachMember { name, _ in
      let id = stateID(name.string ?? "", name)
      if last.updateValue(name.index, forKey: id) != nil { reportDuplicate(name) }
    }
    out.append(UInt8(ascii: "{"))
    let open = out.count
    for (id, token) in last.sorted(by: { $0.key < $1.key }) where !isFull(out.count, at: node.at(token)) {
      path.append(token)
      separate(&out, open)
      out.appendJSONString(id)
      out.append(UInt8(ascii: ":"))
      writeState(node.at(token + 1), shape, into: &out)
      path.removeLast()
    }
    out.append(UInt8(ascii: "}"))
  }

  private mutating func stateID(_ written: String, _ name: JSONNode) -> String {
    switch UUIDText.form(of: written) {
    case .canonical: return written
    case .otherCase:
      path.append(name.index)
      report(.itemStateKeyCase, "the tick of \(written) is written in lower case", at: name)
      path.removeLast()
      return written.uppercased()
    case .none:
      altered = true
      path.append(name.index)
      report(mode == .column ? .itemStateKeyNotUUID : .idReplaced, "'\(written)' is not a UUID", at: name)
      path.removeLast()
      return UUIDText.canonical(written, scope: recordID)
    }
  }

  private mutating func writeState(_ value: JSONNode, _ shape: Shape, into out: inout ByteBuffer) {
    if value.kind == .object { return writeObject(value, shape, position: 0, parent: -1, into: &out) }
    report(
      mode == .column ? .itemStatesUndecodable : .typeMismatch,
      "\(Self.describe(value)) where {\"checked\":…} was expected", at: value)
    altered = true
    // A bare true or 1 can only have meant a tick.
    let checked = value.kind == .true || value.integer == 1
    out.append(checked ? "{\"checked\":true}" : "{\"checked\":false}")
  }

  // MARK: Values that are only carried

  /// Writes known members first, in order, and leaves every value as it is.
  package mutating func writeCarried(_ node: JSONNode, _ shape: Shape, into out: inout ByteBuffer) {
    guard node.kind == .object else { return writeAny(node, into: &out) }
    let outer = mode
    mode = .order
    writeObject(node, shape, position: 0, parent: -1, into: &out)
    mode = outer
  }

  private mutating func writeOrdered(_ member: ShapeMember, _ node: JSONNode, into out: inout ByteBuffer) {
    switch (member.kind, node.kind) {
    case (.object, .object):
      if let child = member.child {
        return writeObject(node, child, position: 0, parent: -1, into: &out)
      }
      writeAny(node, into: &out)
    case (.objects, .array):
      guard let child = member.child else { return writeAny(node, into: &out) }
      out.append(UInt8(ascii: "["))
      let open = out.count
      node.forEachElement { element in
        separate(&out, open)
        if element.kind == .object {
          writeObject(element, child, position: 0, parent: -1, into: &out)
        } else {
          writeAny(element, into: &out)
        }
      }
      out.append(UInt8(ascii: "]"))
    case (.document, .object):
      let shape =
        node.member("sections") != nil
        ? Shapes.checklist : node.member("cards") != nil ? Shapes.flashcardDeck : Shapes.practiceGuide
      writeObject(node, shape, position: 0, parent: -1, into: &out)
    default: writeAny(node, into: &out)
    }
  }

  /// Writes any value compactly, members in source order, the last of duplicates.
  package mutating func writeAny(_ node: JSONNode, into out: inout ByteBuffer) {
    switch node.kind {
    case .null, .true, .false, .number: out.append(node.raw)
    case .string: writeString(node, into: &out)
    case .array:
      out.append(UInt8(ascii: "["))
      let open = out.count
      node.forEachElement { element in
        separate(&out, open)
        writeAny(element, into: &out)
      }
      out.append(UInt8(ascii: "]"))
    case .object:
      let repeated = node.duplicateOwnName
      let last = repeated == nil ? nil : lastOccurrences(in: node)
      if let repeated { reportDuplicate(repeated) }
      out.append(UInt8(ascii: "{"))
      let open = out.count
      node.forEachMember { name, value in
        if let last, !last.contains(name.index) { return }
        separate(&out, open)
        writeString(name, into: &out)
        out.append(UInt8(ascii: ":"))
        writeAny(value, into: &out)
      }
      out.append(UInt8(ascii: "}"))
    }
  }

  /// Writes a string with the shortest escapes.
  @inline(__always)
  func writeString(_ node: JSONNode, into out: inout ByteBuffer) {
    if !node.token.flags.contains(.unusualEscape) { return out.append(node.raw) }
    writeRespelled(node, into: &out)
  }

  private func writeRespelled(_ node: JSONNode, into out: inout ByteBuffer) {
    var plain = ByteBuffer(capacity: node.inner.count)
    JSONStrings.unescape(node.inner, into: &plain)
    out.appendJSONString(plain.bytes)
  }
}
