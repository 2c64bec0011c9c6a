import Diagnostics
import JSONText

extension Canonicalizer {
  /// Writes a member's value in the form of its kind.
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
      if node.isPlainInteger || node.kind == .number && node.integer != nil { return out.append(node.raw.span) }
      repairInteger(member, node, position: position, into: &out)
    case .number:
      if node.kind == .number { return out.append(node.raw.span) }
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

  /// Writes a null where the app needs a value. The default replaces the null, as if the member were missing.
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
    case .literal: out.append(member.literal.span)
    case .position: out.append(utf8: String(position))
    case .derivedID where member.kind == .recordID: out.appendJSONString(ownID)
    case .derivedID: out.appendJSONString(derivedID(for: owner, position: position, parent: parent))
    default: out.append(member.kind == .text ? "\"\"" : "null")
    }
  }

  // MARK: Containers

  /// Writes an array of objects. A string in the array becomes the title of a new object.
  mutating func writeObjects(
    _ member: ShapeMember, _ node: JSONNode, owner: JSONNode, into out: inout ByteBuffer
  ) {
    guard let shape = member.child else { return writeAny(node, into: &out) }
    guard node.kind == .array else {
      return mismatch(member, node, "an array", repaired: "[]", into: &out)
    }
    // An item's id is also derived from its section. Sections and cards are directly in the document.
    let parent = shape.members.baseAddress == Shapes.checklistItem.members.baseAddress ? owner.index : -1
    out.append(UInt8(ascii: "["))
    let open = out.count
    var position = 0
    node.forEachElement { element in
      // Missing members are added to objects, so the output can be ten times as long as its source.
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

  /// Repairs an element that is not an object. A string becomes the title of a new object; any other value is omitted.
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
    guard let parse = try? tape.parse(made.bytes.span) else { return }
    let node = JSONNode(text: made.start, tokens: tape.tokens, index: parse.root)
    let before = issues.count
    let savedPath = path.steps
    path.removeAll()
    // The new object is parsed from its own text, so the surrounding source cannot be read from it.
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
    // Holds the token indices of names. A node takes three times as much memory, and there may be a million names.
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
    switch CanonicalUUID.form(of: written) {
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
      return CanonicalUUID.canonical(written, scope: recordID)
    }
  }

  private mutating func writeState(_ value: JSONNode, _ shape: Shape, into out: inout ByteBuffer) {
    if value.kind == .object { return writeObject(value, shape, position: 0, parent: -1, into: &out) }
    report(
      mode == .column ? .itemStatesUndecodable : .typeMismatch,
      "\(Self.describe(value)) where {\"checked\":…} was expected", at: value)
    altered = true
    // A bare true or 1 can only be meant as a tick.
    let checked = value.kind == .true || value.integer == 1
    out.append(checked ? "{\"checked\":true}" : "{\"checked\":false}")
  }

  // MARK: Carried values

  /// Writes known members first, in the order of the shape, and leaves every value unchanged.
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

  /// Writes any value compactly: members in source order, and only the last of duplicate members.
  package mutating func writeAny(_ node: JSONNode, into out: inout ByteBuffer) {
    switch node.kind {
    case .null, .true, .false, .number: out.append(node.raw.span)
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
    if !node.token.flags.contains(.unusualEscape) { return out.append(node.raw.span) }
    writeRespelled(node, into: &out)
  }

  private func writeRespelled(_ node: JSONNode, into out: inout ByteBuffer) {
    var plain = ByteBuffer(capacity: node.inner.count)
    JSONStrings.unescape(node.inner.span, into: &plain)
    out.appendJSONString(plain.bytes.span)
  }

  /// Reports a value of the wrong type. In column mode, writes the replacement and, unless its meaning is the same,
  /// sets `altered`.
  mutating func mismatch(
    _ member: ShapeMember, _ node: JSONNode, _ expected: String, repaired: String, keepsMeaning: Bool = false,
    into out: inout ByteBuffer
  ) {
    let found = Self.describe(node)
    if mode == .column {
      report(
        .wrongType, "'\(member.nameText)' is \(found) where \(expected) was expected; \(repaired) is written instead",
        at: node)
      if !keepsMeaning { altered = true }
      out.append(utf8: repaired)
    } else {
      report(.typeMismatch, "'\(member.nameText)' must be \(expected), not \(found)", at: node)
      writeAny(node, into: &out)
    }
  }

  mutating func repairText(_ member: ShapeMember, _ node: JSONNode, into out: inout ByteBuffer) {
    var repaired = ByteBuffer()
    switch node.kind {
    case .number, .true, .false: repaired.appendJSONString(node.raw.span)
    default: repaired.append(member.nullable ? "null" : "\"\"")
    }
    mismatch(
      member, node, "a string", repaired: String(decoding: repaired.bytes, as: UTF8.self), into: &out)
  }

  private mutating func repairBool(_ member: ShapeMember, _ node: JSONNode, into out: inout ByteBuffer) {
    let meant: Bool? =
      switch node.kind {
      case .number: node.double.map { $0 != 0 }
      case .string:
        switch node.string?.lowercased() {
        case "true", "yes", "1": true
        case "false", "no", "0", "": false
        default: nil
        }
      default: nil
      }
    let fallback = member.literal.count == 4 && member.literal[0] == UInt8(ascii: "t")
    mismatch(
      member, node, "true or false", repaired: (meant ?? fallback) ? "true" : "false",
      keepsMeaning: meant != nil && node.kind == .number && (node.integer == 0 || node.integer == 1),
      into: &out)
  }

  private mutating func repairInteger(
    _ member: ShapeMember, _ node: JSONNode, position: Int, into out: inout ByteBuffer
  ) {
    var number = node.double
    if node.kind == .string { number = node.string.flatMap { Double($0.filter { $0 != " " }) } }
    let repaired: String
    if let number, number.isFinite, abs(number) < 1e15 {
      repaired = String(Int64(number.rounded()))
    } else if member.absent == .position {
      repaired = String(position)
    } else {
      repaired = member.nullable ? "null" : String(decoding: member.literal, as: UTF8.self)
    }
    mismatch(member, node, "a whole number", repaired: repaired, into: &out)
  }

  private mutating func repairNumber(_ member: ShapeMember, _ node: JSONNode, into out: inout ByteBuffer) {
    let number = node.string.flatMap(Double.init)
    mismatch(
      member, node, "a number", repaired: number.map { $0.isFinite ? "\($0)" : "null" } ?? "null", into: &out)
  }

  private mutating func writeDate(_ member: ShapeMember, _ node: JSONNode, into out: inout ByteBuffer) {
    guard node.kind == .string else {
      return mismatch(member, node, "a time", repaired: "null", into: &out)
    }
    if cutsToSeconds {
      if CanonicalCheck.isTickTime(node) { return out.append(node.raw.span) }
    } else if CanonicalCheck.isDate(node) {
      return out.append(node.raw.span)
    }
    guard let (date, quirks) = Timestamp.parse(node.string ?? ""), !quirks.contains(.rollsOver) else {
      if mode == .column {
        altered = true
        report(.dateUndecodable, "'\(member.nameText)' is \(Self.short(node)), not a date and time", at: node)
        return out.append("null")
      }
      report(.invalidDate, "'\(member.nameText)' is \(Self.short(node)), not a date and time", at: node)
      return writeString(node, into: &out)
    }
    if mode == .bundle, quirks.contains(.cut) {
      report(.timeCut, "'\(member.nameText)' is \(Self.short(node)); it is truncated to \(date.iso8601)", at: node)
    }
    if cutsToSeconds { return out.appendJSONString(date.wholeSeconds) }
    out.appendJSONDate(date)
  }

  private mutating func writeTickTime(_ member: ShapeMember, _ node: JSONNode, into out: inout ByteBuffer) {
    if CanonicalCheck.isTickTime(node) { return out.append(node.raw.span) }
    guard node.kind == .string, let (date, quirks) = Timestamp.parse(node.string ?? ""),
      !quirks.contains(.rollsOver)
    else {
      if mode == .bundle { report(.invalidDate, "'checkedAt' is \(Self.describe(node)), not a time", at: node) }
      altered = true
      return out.append("null")
    }
    altered = altered || date.milliseconds % 1000 != 0
    if mode == .bundle, date.milliseconds % 1000 != 0 {
      report(.itemStateDateNotStrict, "'checkedAt' is \(Self.short(node)); the fraction is removed", at: node)
    }
    out.appendJSONString(date.wholeSeconds)
  }

  private mutating func writeIdentifier(
    _ member: ShapeMember, _ node: JSONNode, scope: String, into out: inout ByteBuffer
  ) {
    guard node.kind == .string else {
      guard node.kind == .number else {
        return mismatch(member, node, "an id", repaired: "\"\(CanonicalUUID.derived([scope, "?"]))\"", into: &out)
      }
      // Numeric ids are common in hand-made files. The number's text becomes the id.
      reportID(node)
      return out.appendJSONString(CanonicalUUID.canonical(node.numberText ?? "", scope: scope))
    }
    if node.inner.isEmpty, member.nullable { return out.append("null") }
    switch CanonicalUUID.form(of: node.inner.span) {
    case .canonical: out.append(node.raw.span)
    case .otherCase:
      if mode == .column { report(.itemIDCase, "the id \(Self.short(node)) is in lower case", at: node) }
      out.appendJSONString((node.string ?? "").uppercased())
    case .none:
      reportID(node)
      out.appendJSONString(CanonicalUUID.canonical(node.string ?? "", scope: scope))
    }
  }

  private mutating func reportID(_ node: JSONNode) {
    altered = true
    report(mode == .column ? .itemIDNotUUID : .idReplaced, "the id \(Self.short(node)) is not a UUID", at: node)
  }

  private mutating func repairStrings(_ member: ShapeMember, _ node: JSONNode, into out: inout ByteBuffer) {
    guard mode == .column, let text = node.string else {
      return mismatch(member, node, "an array of strings", repaired: "[]", into: &out)
    }
    var list = ByteBuffer()
    Self.appendList(text, into: &list)
    mismatch(
      member, node, "an array of strings", repaired: String(decoding: list.bytes, as: UTF8.self), into: &out)
  }

  /// Writes text as an array of strings. Commas, semicolons and line ends separate the strings.
  package static func appendList(_ text: String, into out: inout ByteBuffer) {
    out.append(UInt8(ascii: "["))
    let open = out.count
    for part in text.split(whereSeparator: { $0 == "," || $0 == ";" || $0.isNewline }) {
      let word = String(part).trimmed
      guard !word.isEmpty else { continue }
      if out.count != open { out.append(UInt8(ascii: ",")) }
      out.appendJSONString(word)
    }
    out.append(UInt8(ascii: "]"))
  }

  private mutating func repairStringElement(_ element: JSONNode, open: Int, into out: inout ByteBuffer) {
    let found = Self.describe(element)
    guard mode == .column else {
      report(.typeMismatch, "\(found) where a string was expected", at: element)
      return
    }
    altered = true
    report(.tagsNotStrings, "\(found) where a string was expected", at: element)
    switch element.kind {
    case .number, .true, .false:
      separate(&out, open)
      out.appendJSONString(element.raw.span)
    default: break
    }
  }

  /// Derives an id from the parent, the title and the number of earlier equal titles, so that inserting a step does not
  /// change the ids of other steps.
  /// - Parameter parent: the token index of the enclosing object, or -1.
  mutating func derivedID(for node: JSONNode, position: Int, parent: Int) -> String {
    let title = (node.member("title") ?? node.member("front") ?? node.member("name"))?.string ?? ""
    let around = parent >= 0 ? surroundings(of: node.at(parent)) : ""
    let key = around + "\0" + title
    let repeats = derivedRepeats[key, default: 0]
    derivedRepeats[key] = repeats + 1
    return CanonicalUUID.derived([recordID, around, title, String(repeats)])
  }

  /// Returns the text from which the ids of an object's steps are derived: its id, or else its title.
  ///
  /// The text is read once for all steps, and its length is bounded. Otherwise a heading of megabytes above thousands
  /// of steps would cost gigabytes.
  private mutating func surroundings(of owner: JSONNode) -> String {
    if let known = around, known.token == owner.index { return known.text }
    let text = Self.surroundings((owner.member("id") ?? owner.member("title"))?.string ?? "")
    around = (owner.index, text)
    return text
  }

  /// Returns the text that replaces the id or title of a section in the derived ids of its steps.
  package static func surroundings(_ text: String) -> String {
    guard text.utf8.count > 1024 else { return text }
    return Digest.hex(Digest.sha256(text.utf8.span))
  }
}

extension String {
  /// The text without blanks and line ends at its beginning and end.
  package var trimmed: String {
    var text = Substring(self)
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }
}
