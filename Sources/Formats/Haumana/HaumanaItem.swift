import Content
import JSONText

/// One object of Haumana's data with its attributes as plain JSON, whatever it was read from: an export, a typed item of
/// DynamoDB, or a row of the app's store.
///
/// - Source: formats/haumana.md
struct HaumanaItem: Sendable {
  /// One attribute.
  struct Field: Sendable {
    var name: String
    /// The value as JSON, and where it is in the source.
    var json: SourcedText
    /// Texts without quotes and escapes; nil for other values.
    var text: SourcedText?
  }

  /// What an object is.
  enum Kind: Sendable {
    case piece, session, user
    /// Anything else.
    case other
  }

  var fields: [Field]
  /// All of it in the source.
  var range: Range<Int>

  init(fields: [Field], range: Range<Int>) {
    self.fields = fields
    self.range = range
  }

  /// Reads an object of an export.
  init(_ object: JSONNode) {
    fields = []
    range = object.span
    object.forEachMember { name, value in
      fields.append(Field(name.string ?? "", value))
    }
  }

  /// Reads an item of DynamoDB: `{"title":{"S":"…"}}`.
  /// - Returns: nil when the object is not one.
  init?(typed object: JSONNode) {
    guard Self.isTyped(object) else { return nil }
    fields = []
    range = object.span
    object.forEachMember { name, value in
      value.forEachMember { type, inner in
        if type.equals("S") {
          fields.append(Field(name.string ?? "", inner))
        } else {
          var json = ByteBuffer(capacity: 32)
          TypedValue.appendPlain(type, inner, into: &json)
          fields.append(
            Field(
              name: name.string ?? "", json: SourcedText(bytes: Array(json.bytes), range: inner.span), text: nil))
        }
      }
    }
  }

  /// Whether every attribute has a type of DynamoDB's.
  static func isTyped(_ object: JSONNode) -> Bool {
    guard object.kind == .object, object.token.count > 0 else { return false }
    var isTyped = true
    object.forEachMember { _, value in
      isTyped = isTyped && TypedValue.isTyped(value)
    }
    return isTyped
  }

  subscript(name: String) -> Field? { fields.first { $0.name.utf8.elementsEqual(name.utf8) && !$0.isNull } }

  /// The text of an attribute; nil for one that is missing, null, or not a text.
  func text(_ name: String) -> SourcedText? { self[name]?.text }

  /// What the object is, by the attributes that only such objects have.
  var kind: Kind {
    func has(_ name: String) -> Bool { fields.contains { $0.name.utf8.elementsEqual(name.utf8) } }
    if has("sessionId") || has("startedAt") || has("startTime") { return .session }
    if has("pieceId") || has("lyrics") { return .piece }
    let key = text("SK")?.string ?? text("sk")?.string
    return key == "PROFILE" || has("displayName") || has("lastLoginAt") ? .user : .other
  }
}

extension HaumanaItem.Field {
  init(_ name: String, _ value: JSONNode) {
    self.name = name
    json = SourcedText(bytes: Array(value.raw), range: value.span)
    text = value.kind == .string ? SourcedText(unescaping: value) : nil
  }

  var isNull: Bool { json.bytes.elementsEqual("null".utf8) }
}

/// Values with the types of DynamoDB.
///
/// - Source: DynamoDB developer guide, "DynamoDB JSON"
enum TypedValue {
  private static let types: [StaticString] = ["S", "N", "BOOL", "NULL", "M", "L", "SS", "NS", "B", "BS"]

  /// Whether a value is an object with one member, named by a type, and of that type.
  static func isTyped(_ value: JSONNode) -> Bool {
    guard value.kind == .object, value.token.count == 1 else { return false }
    var isTyped = false
    value.forEachMember { type, inner in
      isTyped =
        type.equals("S") || type.equals("B")
        ? inner.kind == .string
        : type.equals("N")
          ? inner.kind == .string && isNumber(inner.inner)
          : type.equals("BOOL")
            ? inner.bool != nil
            : type.equals("NULL") ? inner.bool != nil : type.equals("M") ? inner.kind == .object : isList(type, inner)
    }
    return isTyped
  }

  private static func isList(_ type: JSONNode, _ inner: JSONNode) -> Bool {
    types.dropFirst(5).contains { type.equals($0) } && inner.kind == .array
  }

  /// Whether a text is a number as JSON spells it.
  private static func isNumber(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var tape = JSONTape(capacity: 4)
    guard let base = text.baseAddress, let parse = try? tape.parse(text) else { return false }
    return JSONNode(text: base, tokens: tape.tokens, index: parse.root).kind == .number
  }

  /// Appends a value as plain JSON.
  static func appendPlain(_ type: JSONNode, _ value: JSONNode, into out: inout ByteBuffer) {
    if type.equals("N") {
      out.append(value.inner)
    } else if type.equals("NULL") {
      out.append("null")
    } else if type.equals("M") {
      appendMembers(value, into: &out)
    } else if type.equals("L") {
      list(value, into: &out) { element, out in appendTyped(element, into: &out) }
    } else if type.equals("NS") {
      list(value, into: &out) { element, out in out.append(isNumber(element.inner) ? element.inner : element.raw) }
    } else {
      out.append(value.raw)
    }
  }

  private static func appendTyped(_ value: JSONNode, into out: inout ByteBuffer) {
    guard isTyped(value) else { return out.append(value.raw) }
    value.forEachMember { appendPlain($0, $1, into: &out) }
  }

  /// Appends plain JSON with the types of DynamoDB; a member that is null has no value and is left out.
  static func append(typed value: JSONNode, into out: inout ByteBuffer) {
    func text(_ type: StaticString, _ write: (inout ByteBuffer) -> Void) {
      out.append("{\"")
      out.append(type)
      out.append("\":")
      write(&out)
      out.append(UInt8(ascii: "}"))
    }
    switch value.kind {
    case .string: text("S") { $0.append(value.raw) }
    case .number:
      text("N") { out in
        out.append(UInt8(ascii: "\""))
        out.append(value.raw)
        out.append(UInt8(ascii: "\""))
      }
    case .true, .false: text("BOOL") { $0.append(value.raw) }
    case .null: text("NULL") { $0.append("true") }
    case .array: text("L") { list(value, into: &$0) { append(typed: $0, into: &$1) } }
    case .object: text("M") { append(item: value, into: &$0) }
    }
  }

  /// Appends an object as an item.
  static func append(item object: JSONNode, into out: inout ByteBuffer) {
    out.append(UInt8(ascii: "{"))
    var isFirst = true
    object.forEachMember { name, value in
      if value.isNull { return }
      if !isFirst { out.append(UInt8(ascii: ",")) }
      isFirst = false
      out.append(name.raw)
      out.append(UInt8(ascii: ":"))
      append(typed: value, into: &out)
    }
    out.append(UInt8(ascii: "}"))
  }

  private static func appendMembers(_ object: JSONNode, into out: inout ByteBuffer) {
    out.append(UInt8(ascii: "{"))
    var isFirst = true
    object.forEachMember { name, value in
      if !isFirst { out.append(UInt8(ascii: ",")) }
      isFirst = false
      out.append(name.raw)
      out.append(UInt8(ascii: ":"))
      appendTyped(value, into: &out)
    }
    out.append(UInt8(ascii: "}"))
  }

  private static func list(
    _ array: JSONNode, into out: inout ByteBuffer, _ write: (JSONNode, inout ByteBuffer) -> Void
  ) {
    out.append(UInt8(ascii: "["))
    var isFirst = true
    array.forEachElement { element in
      if !isFirst { out.append(UInt8(ascii: ",")) }
      isFirst = false
      write(element, &out)
    }
    out.append(UInt8(ascii: "]"))
  }
}

extension SourcedText {
  /// The text of a JSON string, each of its bytes with its place.
  init(unescaping string: JSONNode) {
    let inner = string.inner
    let start = string.span.lowerBound + 1
    let range = start..<start + inner.count
    guard string.token.flags.contains(.escaped) else {
      self.init(bytes: Array(inner), range: range)
      return
    }
    var out = ByteBuffer(capacity: inner.count)
    JSONStrings.unescape(inner, into: &out)
    var stretches: [Stretch] = [Stretch(value: 0, source: start)]
    var (value, at) = (0, 0)
    while at < inner.count {
      guard inner[at] == UInt8(ascii: "\\") else {
        (value, at) = (value + 1, at + 1)
        continue
      }
      let (size, made) = Self.escape(UnsafeBufferPointer(rebasing: inner[at...]))
      if stretches.last?.value != value { stretches.append(Stretch(value: value, source: start + at)) }
      (value, at) = (value + made, at + size)
      stretches.append(Stretch(value: value, source: start + at))
    }
    self.init(bytes: Array(out.bytes), range: range, stretches: value == out.count ? stretches : [])
  }

  /// How many bytes an escape has, and how many bytes of UTF-8 it means.
  private static func escape(_ text: UnsafeBufferPointer<UInt8>) -> (size: Int, made: Int) {
    func unit(at start: Int) -> UInt32? {
      guard start + 6 <= text.count, text[start] == UInt8(ascii: "\\"), text[start + 1] == UInt8(ascii: "u") else {
        return nil
      }
      return UInt32(String(decoding: text[(start + 2)..<(start + 6)], as: UTF8.self), radix: 16)
    }
    guard let first = unit(at: 0) else { return (min(2, text.count), 1) }
    if first & 0xFC00 == 0xD800, let second = unit(at: 6), second & 0xFC00 == 0xDC00 { return (12, 4) }
    return (6, first < 0x80 ? 1 : first < 0x800 ? 2 : 3)
  }
}

/// Puts a text together of parts of other texts, so that every byte keeps its place.
struct TextAssembly {
  private var bytes: [UInt8] = []
  private var stretches: [SourcedText.Stretch] = []

  var isEmpty: Bool { bytes.isEmpty }

  /// Appends bytes that the source does not have; their place is that of what follows or comes before.
  mutating func insert(_ text: String, at place: Int) {
    stretches.append(SourcedText.Stretch(value: bytes.count, source: place))
    bytes.append(contentsOf: text.utf8)
  }

  /// Appends a part of a text.
  mutating func append(_ text: SourcedText, _ part: Range<Int>) {
    let piece = text.part(part)
    let start = bytes.count
    if piece.stretches.isEmpty {
      stretches.append(SourcedText.Stretch(value: start, source: piece.range.lowerBound))
    } else {
      for stretch in piece.stretches {
        stretches.append(SourcedText.Stretch(value: start + stretch.value, source: stretch.source))
      }
    }
    bytes.append(contentsOf: piece.bytes)
  }

  /// The text.
  /// - Parameter range: all of the source that it came from.
  func text(_ range: Range<Int>) -> SourcedText { SourcedText(bytes: bytes, range: range, stretches: stretches) }
}
