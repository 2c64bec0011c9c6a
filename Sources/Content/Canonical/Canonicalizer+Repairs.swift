import Diagnostics
import JSONText

extension Canonicalizer {
  /// Reports a value of the wrong type; in a column the replacement is written and the original kept.
  mutating func mismatch(
    _ member: ShapeMember, _ node: JSONNode, _ expected: String, repaired: String, keepsMeaning: Bool = false,
    into out: inout ByteBuffer
  ) {
    let found = Self.describe(node)
    if mode == .column {
      report(
        .wrongType, "'\(member.nameText)' is \(found) where \(expected) was expected; \(repaired) is written",
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
    case .number, .true, .false: repaired.appendJSONString(node.raw)
    default: repaired.append(member.nullable ? "null" : "\"\"")
    }
    mismatch(
      member, node, "a string", repaired: String(decoding: repaired.bytes, as: UTF8.self), into: &out)
  }

  mutating func repairBool(_ member: ShapeMember, _ node: JSONNode, into out: inout ByteBuffer) {
    let said: Bool? =
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
      member, node, "true or false", repaired: (said ?? fallback) ? "true" : "false",
      keepsMeaning: said != nil && node.kind == .number && (node.integer == 0 || node.integer == 1),
      into: &out)
  }

  mutating func repairInteger(
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

  mutating func repairNumber(_ member: ShapeMember, _ node: JSONNode, into out: inout ByteBuffer) {
    let number = node.string.flatMap(Double.init)
    mismatch(
      member, node, "a number", repaired: number.map { $0.isFinite ? "\($0)" : "null" } ?? "null", into: &out)
  }

  mutating func writeDate(_ member: ShapeMember, _ node: JSONNode, into out: inout ByteBuffer) {
    guard node.kind == .string else {
      return mismatch(member, node, "a time", repaired: "null", into: &out)
    }
    let inner = node.inner
    if cutsToSeconds {
      if CanonicalCheck.isTickTime(node) { return out.append(node.raw) }
    } else if inner.count == 24, inner[23] == UInt8(ascii: "Z"), let base = inner.baseAddress,
      Timestamp.isPlain(base, separator: UInt8(ascii: "T"))
    {
      return out.append(node.raw)
    }
    guard let (date, quirks) = Timestamp.parse(node.string ?? ""), !quirks.contains(.rollsOver) else {
      if mode == .column {
        altered = true
        report(.dateUndecodable, "'\(member.nameText)' is \(Self.short(node)), no date and time", at: node)
        return out.append("null")
      }
      report(.invalidDate, "'\(member.nameText)' is \(Self.short(node)), no date and time", at: node)
      return writeString(node, into: &out)
    }
    if mode == .bundle, quirks.contains(.cut) {
      report(.timeCut, "'\(member.nameText)' is \(Self.short(node)); it is written as \(date.iso8601)", at: node)
    }
    if cutsToSeconds { return out.appendJSONString(date.wholeSeconds) }
    out.appendJSONDate(date)
  }

  mutating func writeTickTime(_ member: ShapeMember, _ node: JSONNode, into out: inout ByteBuffer) {
    if CanonicalCheck.isTickTime(node) { return out.append(node.raw) }
    guard node.kind == .string, let (date, quirks) = Timestamp.parse(node.string ?? ""),
      !quirks.contains(.rollsOver)
    else {
      if mode == .bundle { report(.invalidDate, "'checkedAt' is \(Self.describe(node)), no time", at: node) }
      altered = true
      return out.append("null")
    }
    altered = altered || date.milliseconds % 1000 != 0
    if mode == .bundle, date.milliseconds % 1000 != 0 {
      report(.itemStateDateNotStrict, "'checkedAt' is \(Self.short(node)); the fraction is cut", at: node)
    }
    out.appendJSONString(date.wholeSeconds)
  }

  mutating func writeIdentifier(
    _ member: ShapeMember, _ node: JSONNode, scope: String, into out: inout ByteBuffer
  ) {
    guard node.kind == .string else {
      guard node.kind == .number else {
        return mismatch(member, node, "an id", repaired: "\"\(UUIDText.derived([scope, "?"]))\"", into: &out)
      }
      // Numbered ids are common in hand-made files: the number's text is the id.
      noteID(node)
      return out.appendJSONString(UUIDText.canonical(node.numberText ?? "", scope: scope))
    }
    if node.inner.isEmpty, member.nullable { return out.append("null") }
    switch UUIDText.form(of: node.inner) {
    case .canonical: out.append(node.raw)
    case .otherCase:
      if mode == .column { report(.itemIDCase, "the id \(Self.short(node)) is in lower case", at: node) }
      out.appendJSONString((node.string ?? "").uppercased())
    case .none:
      noteID(node)
      out.appendJSONString(UUIDText.canonical(node.string ?? "", scope: scope))
    }
  }

  private mutating func noteID(_ node: JSONNode) {
    altered = true
    report(mode == .column ? .itemIDNotUUID : .idReplaced, "the id \(Self.short(node)) is not a UUID", at: node)
  }

  mutating func repairStrings(_ member: ShapeMember, _ node: JSONNode, into out: inout ByteBuffer) {
    guard mode == .column, let text = node.string else {
      return mismatch(member, node, "an array of strings", repaired: "[]", into: &out)
    }
    var list = ByteBuffer()
    Self.appendList(text, into: &list)
    mismatch(
      member, node, "an array of strings", repaired: String(decoding: list.bytes, as: UTF8.self), into: &out)
  }

  /// Writes text that people separate by commas or semicolons as an array of strings.
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

  mutating func repairStringElement(_ element: JSONNode, open: Int, into out: inout ByteBuffer) {
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
      out.appendJSONString(element.raw)
    default: break
    }
  }

  /// An id for something that has none, derived from its parent, its title and its number among equals, so that
  /// a step inserted elsewhere never changes the id of another.
  /// - Parameter parent: token index of the object around it, or -1.
  mutating func derivedID(for node: JSONNode, position: Int, parent: Int) -> String {
    let title = (node.member("title") ?? node.member("front") ?? node.member("name"))?.string ?? ""
    let around = parent >= 0 ? surroundings(of: node.at(parent)) : ""
    let key = around + "\0" + title
    let repeats = derivedRepeats[key, default: 0]
    derivedRepeats[key] = repeats + 1
    return UUIDText.derived([recordID, around, title, String(repeats)])
  }

  /// What the ids of an object's steps are derived from: its id, else its title.
  ///
  /// Read once for all steps, and never long: a heading of megabytes over thousands of steps must not cost gigabytes.
  private mutating func surroundings(of owner: JSONNode) -> String {
    if let known = around, known.token == owner.index { return known.text }
    let text = Self.surroundings((owner.member("id") ?? owner.member("title"))?.string ?? "")
    around = (owner.index, text)
    return text
  }

  /// What stands for the id or title of a section in the ids that are derived for its steps.
  package static func surroundings(_ text: String) -> String {
    guard text.utf8.count > 1024 else { return text }
    var text = text
    return Digest.hex(text.withUTF8 { Digest.sha256($0) })
  }
}

extension String {
  /// Without blanks and line ends on either side.
  package var trimmed: String {
    var text = Substring(self)
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }
}
