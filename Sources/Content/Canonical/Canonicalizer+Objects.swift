import Diagnostics
import JSONText

extension Canonicalizer {
  /// Writes an object: known members in the order of the shape, then the others as they came.
  /// - Parameter position: the place among its siblings, for members that default to it.
  mutating func writeObject(
    _ node: JSONNode, _ shape: Shape, position: Int, parent: Int, into out: inout ByteBuffer
  ) {
    let count = shape.members.count
    guard slotsUsed + count <= Self.slotCapacity else { return writeAny(node, into: &out) }
    let base = slotsUsed
    slotsUsed += count
    defer { slotsUsed = base }
    let found = slots + base
    found.update(repeating: -1, count: count)
    var unknown = false
    assign(node, shape, found, &unknown)
    if mode == .bundle, shape.members.baseAddress == Shapes.item.members.baseAddress {
      item = ItemContext(node: node, slots: base, type: Self.contentType(of: node))
    }

    out.append(UInt8(ascii: "{"))
    let open = out.count
    for index in 0..<count {
      let member = shape.members[index]
      let slot = found[index]
      if slot >= 0, !inheritsInstead(member, node.at(Int(slot) + 1)) {
        separate(&out, open)
        out.append(member.key)
        path.append(Int(slot))
        writeMember(
          member, node.at(Int(slot) + 1), position: position, parent: parent, owner: node, into: &out)
        path.removeLast()
      } else if mode != .order, member.absent != .omit || member.kind == .extras {
        writeAbsent(member, node, position: position, parent: parent, open: open, into: &out)
      }
    }
    if unknown { writeUnknown(node, shape, open: open, into: &out) }
    out.append(UInt8(ascii: "}"))
  }

  /// Whether null stands where the surrounding item has a value to say.
  @inline(__always)
  private func inheritsInstead(_ member: ShapeMember, _ value: JSONNode) -> Bool {
    mode == .bundle && member.absent == .inherit && !member.nullable && value.isNull
  }

  @inline(__always)
  func separate(_ out: inout ByteBuffer, _ open: Int) {
    if out.count != open { out.append(UInt8(ascii: ",")) }
  }

  /// Finds the token of every known member; of duplicates the last one counts.
  mutating func assign(
    _ node: JSONNode, _ shape: Shape, _ found: UnsafeMutablePointer<Int32>, _ unknown: inout Bool
  ) {
    let end = Int(node.token.next)
    var child = node.index + 1
    var hint = 0
    while child < end {
      let name = node.at(child)
      let index =
        name.token.flags.contains(.escaped)
        ? indexOfEscaped(name, shape) : shape.index(of: name.inner, from: hint)
      if index < 0 {
        unknown = true
      } else {
        hint = index + 1
        if found[index] >= 0 { reportDuplicate(name) }
        found[index] = Int32(truncatingIfNeeded: child)
      }
      child = Int(node.tokens[child + 1].next)
    }
    if unknown, mode != .order { checkUnknown(node, shape) }
  }

  private func indexOfEscaped(_ name: JSONNode, _ shape: Shape) -> Int {
    var text = name.string ?? ""
    return text.withUTF8 { shape.index(of: $0, from: 0) }
  }

  mutating func reportDuplicate(_ name: JSONNode) {
    altered = true
    report(.duplicateMember, "the member \(Self.short(name)) occurs twice; the last one counts", at: name)
  }

  /// How many unknown members of one object are named.
  private static let mostNames = 12

  private mutating func checkUnknown(_ node: JSONNode, _ shape: Shape) {
    if collectsUnknown {
      var names: [String] = []
      var count = 0
      var first: JSONNode?
      node.forEachMember { name, _ in
        guard indexOfEscaped(name, shape) < 0 else { return }
        count += 1
        first = first ?? name
        if names.count < Self.mostNames { names.append(Self.short(name)) }
      }
      if let first {
        let more = count > names.count ? " and \(count - names.count) more" : ""
        path.append(first.index)
        report(.unknownMember, "the app does not know \(names.joined(separator: ", "))\(more)", at: first)
        path.removeLast()
      }
    }
    if mode == .bundle, mentionsUnknown { reportUnknown(node, shape) }
    if let twice = node.duplicateOwnName, indexOfEscaped(twice, shape) < 0 { reportDuplicate(twice) }
  }

  /// Reports members of a bundle that nobody knows; one that looks like a known name is probably misspelled.
  /// Names a few of each object; that many unknown members are no misspelling.
  private mutating func reportUnknown(_ node: JSONNode, _ shape: Shape) {
    var reported = 0
    let table = UnsafeRawPointer(shape.members.baseAddress)
    let words = memberNames[table] ?? Spelling.Words(shape.members.map(\.nameText))
    memberNames[table] = words
    node.forEachMember { name, _ in
      guard reported < Self.mostNames, indexOfEscaped(name, shape) < 0, let text = name.string else { return }
      reported += 1
      let meant = words.nearest(to: text)
      path.append(name.index)
      report(
        .unknownBundleMember,
        "nobody knows \(Self.short(name))" + (meant.map { "; did you mean \"\($0)\"?" } ?? ""), at: name,
        severity: meant == nil ? nil : .warning, fix: meant == nil ? Self.advice(shape) : nil,
        length: name.raw.count)
      path.removeLast()
    }
  }

  /// Names the members that an object can have, as many as one likes to read; nil where anything goes.
  private static func advice(_ shape: Shape) -> String? {
    let names = shape.members.map(\.nameText).filter { $0 != "kind" && $0 != "id" && $0 != "extras" }
    guard !names.isEmpty else { return nil }
    let list = names.prefix(12).joined(separator: ", ") + (names.count > 12 ? ", …" : "")
    return "correct the name if it is misspelled (\(shape.noun) has: \(list)); otherwise nothing needs to be done"
  }

  private mutating func writeUnknown(
    _ node: JSONNode, _ shape: Shape, open: Int, into out: inout ByteBuffer
  ) {
    let last = node.duplicateOwnName == nil ? nil : lastOccurrences(in: node)
    node.forEachMember { name, value in
      guard indexOfEscaped(name, shape) < 0, last?.contains(name.index) ?? true else { return }
      separate(&out, open)
      writeString(name, into: &out)
      out.append(UInt8(ascii: ":"))
      path.append(name.index)
      writeAny(value, into: &out)
      path.removeLast()
    }
  }

  /// Token indices of the names that no later member of the object repeats.
  func lastOccurrences(in node: JSONNode) -> Set<Int> {
    // By bytes: two spellings of one accent are two names.
    var last: [[UInt8]: Int] = [:]
    node.forEachMember { name, _ in last[name.textBytes] = name.index }
    return Set(last.values)
  }

  /// Writes what stands for a member that the source does not have.
  private mutating func writeAbsent(
    _ member: ShapeMember, _ node: JSONNode, position: Int, parent: Int, open: Int,
    into out: inout ByteBuffer
  ) {
    if mode == .column, !member.nullable {
      report(.missingMember, "'\(member.nameText)' is missing", at: node)
    }
    switch member.absent {
    case .omit:
      guard member.kind == .extras, replacedID != nil else { return }
    case .inherit:
      writeInherited(member, open: open, into: &out)
      return
    case .refuse where mode == .bundle:
      report(.requiredMember, "'\(member.nameText)' is missing", at: node)
      return
    default: break
    }
    separate(&out, open)
    out.append(member.key)
    switch member.absent {
    case .null: out.append("null")
    case .literal where member.kind == .document: writeEmptyDocument(into: &out)
    case .literal: out.append(member.literal)
    case .position: out.append(utf8: String(position))
    case .derivedID where member.kind == .recordID: out.appendJSONString(ownID)
    case .derivedID: out.appendJSONString(derivedID(for: node, position: position, parent: parent))
    case .omit: writeExtras(nil, into: &out)
    default: out.append(member.kind == .text ? "\"\"" : "null")  // a title that is not there
    }
  }

  /// Writes what the surrounding item says, under the document's name for it.
  private mutating func writeInherited(_ member: ShapeMember, open: Int, into out: inout ByteBuffer) {
    guard let item else { return }
    let name: StaticString =
      switch member.nameText {
      case "createdAt": "created_at"
      case "updatedAt": "updated_at"
      case "syncStatus": "sync_status"
      case "tags": "tags"
      case "title": "title"
      case "description": "description"
      default: "id"
      }
    let index = name.withUTF8Buffer { Shapes.item.index(of: $0, from: 0) }
    guard index >= 0 else { return }
    let slot = slots[item.slots + index]
    let source = Shapes.item.members[index]
    if slot < 0 || item.node.at(Int(slot) + 1).isNull {
      separate(&out, open)
      out.append(member.key)
      if source.absent == .derivedID {
        out.appendJSONString(recordID)
      } else {
        out.append(source.literal)  // a default, or null
      }
      return
    }
    separate(&out, open)
    out.append(member.key)
    let value = item.node.at(Int(slot) + 1)
    if source.kind == .recordID {
      out.appendJSONString(recordID)
    } else {
      // The envelope's own pass reports what is wrong with the value; here it is only repeated.
      let before = issues.count
      let wasRejected = rejected
      writeMember(
        source, value, position: 0, parent: -1, owner: item.node, into: &out)
      forgetIssues(from: before)
      rejected = wasRejected
    }
  }
}
