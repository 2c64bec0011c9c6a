import Content
import Foundation
import JSONText

/// A Haumana object with its attributes as plain JSON. Its source may be an export, a typed DynamoDB item, or a row in
/// the app's store.
///
/// - Source: formats/haumana.md
struct HaumanaItem: Sendable {
  /// The attributes that FleetKit reads.
  enum Attribute: String, CaseIterable, Sendable {
    case id, pieceId, sessionId, userId, title, lyrics, language, englishTranslation, author, sourceUrl, notes, category
    case type, createdAt, modifiedAt, updatedAt, lastPracticed, locallyModified, startedAt, startTime, endedAt, endTime
    case displayName, lastLoginAt, pk, sk
    case capitalPK = "PK"
    case capitalSK = "SK"

    /// All attributes, grouped by the lengths of their names.
    private static let byLength: [[(name: [UInt8], attribute: Attribute)]] = {
      let longest = allCases.map(\.rawValue.utf8.count).max() ?? 0
      return (0...longest).map { length in
        allCases.filter { $0.rawValue.utf8.count == length }.map { (Array($0.rawValue.utf8), $0) }
      }
    }()

    /// Returns the attribute with a name; nil if FleetKit does not read the attribute.
    static func named(_ name: Span<UInt8>) -> Attribute? {
      guard name.count < byLength.count else { return nil }
      for known in byLength[name.count] where name.equals(known.name.span) { return known.attribute }
      return nil
    }
  }

  /// An attribute and its value.
  struct Field: Sendable {
    /// The attribute; nil if FleetKit does not read it.
    var attribute: Attribute?
    /// The range of the attribute's name in the item's bytes, if FleetKit does not read the attribute.
    fileprivate let other: Range<Int>
    /// The range of the value, as JSON, in the item's bytes.
    fileprivate let json: Range<Int>
    /// The range of the value in the source, including its quotes.
    let range: Range<Int>
    let isText: Bool
    let isNull: Bool
  }

  /// The kind of an object.
  enum Kind: Sendable {
    case piece, session, user
    /// An object of any other kind.
    case other
  }

  /// The values, and the names of attributes that FleetKit does not read, one after another.
  private var bytes: [UInt8] = []
  private(set) var fields: [Field] = []
  /// The item's range in the source.
  var range: Range<Int>
  /// Whether texts record the source position of each byte. This takes time and is only needed when places are
  /// requested.
  let tracksPlaces: Bool

  /// Creates an item without attributes.
  init(range: Range<Int>, tracksPlaces: Bool) {
    self.range = range
    self.tracksPlaces = tracksPlaces
  }

  /// Reads an object in an export.
  init(_ object: JSONNode, tracksPlaces: Bool) {
    self.init(range: object.span, tracksPlaces: tracksPlaces)
    reserve(for: object)
    object.forEachMember { name, value in
      append(name, value)
    }
  }

  private mutating func reserve(for object: JSONNode) {
    bytes.reserveCapacity(object.span.count)
    fields.reserveCapacity(Int(object.token.count))
  }

  /// Reads a DynamoDB item: `{"title":{"S":"…"}}`.
  /// - Returns: the item; nil if an attribute has no type.
  init?(typed object: JSONNode, tracksPlaces: Bool) {
    guard object.kind == .object, object.token.count > 0 else { return nil }
    self.init(range: object.span, tracksPlaces: tracksPlaces)
    var isTyped = true
    object.forEachMember { name, value in
      guard isTyped, let (type, inner) = TypedValue.parts(of: value) else {
        isTyped = false
        return
      }
      // Memory is not reserved earlier, because a document that is not an item may be large.
      if fields.isEmpty { reserve(for: object) }
      if type.equals("S") { return append(name, inner) }
      var json = ByteBuffer(capacity: 32)
      TypedValue.appendPlain(type, inner, into: &json)
      append(name, json.bytes.span, at: inner.span, isText: false)
    }
    if !isTyped { return nil }
  }

  /// Whether every attribute has a DynamoDB type.
  static func isTyped(_ object: JSONNode) -> Bool {
    guard object.kind == .object, object.token.count > 0 else { return false }
    var isTyped = true
    object.forEachMember { _, value in
      isTyped = isTyped && TypedValue.parts(of: value) != nil
    }
    return isTyped
  }

  // MARK: Attributes

  /// Adds an object's attribute.
  mutating func append(_ name: JSONNode, _ value: JSONNode) {
    append(name, value.raw.span, at: value.span, isText: value.kind == .string)
  }

  private mutating func append(
    _ name: JSONNode, _ json: Span<UInt8>, at range: Range<Int>, isText: Bool
  ) {
    if let attribute = Attribute.named(name.inner.span) {
      append(attribute, nil, json, at: range, isText: isText)
    } else {
      // A name with escapes may still be a known name.
      let text = name.string ?? ""
      let attribute = Attribute.named(text.utf8.span)
      append(attribute, attribute == nil ? text : nil, json, at: range, isText: isText)
    }
  }

  /// Adds an attribute by its name.
  /// - Parameters:
  ///   - json: the value as JSON.
  ///   - range: the value's range in the source.
  mutating func append(_ name: String, _ json: [UInt8], at range: Range<Int>) {
    let attribute = Attribute.named(name.utf8.span)
    append(
      attribute, attribute == nil ? name : nil, json.span, at: range, isText: json.first == UInt8(ascii: "\""))
  }

  private mutating func append(
    _ attribute: Attribute?, _ other: String?, _ json: Span<UInt8>, at range: Range<Int>, isText: Bool
  ) {
    let name = bytes.count
    if let other { bytes.append(contentsOf: other.utf8) }
    let start = bytes.count
    bytes.append(contentsOf: json)
    fields.append(
      Field(
        attribute: attribute, other: name..<start, json: start..<bytes.count, range: range, isText: isText,
        isNull: json.equals("null")))
  }

  subscript(attribute: Attribute) -> Field? {
    for index in fields.indices where fields[index].attribute == attribute && !fields[index].isNull {
      return fields[index]
    }
    return nil
  }

  /// Returns the name of an attribute.
  func name(of field: Field) -> String {
    field.attribute?.rawValue ?? String(decoding: bytes[field.other], as: UTF8.self)
  }

  /// Returns an attribute's string; nil if the attribute is missing, null, or not a string.
  func text(_ attribute: Attribute) -> SourcedText? {
    guard let field = self[attribute], field.isText else { return nil }
    return withInner(of: field) { inner in
      SourcedText(unescaping: inner, at: field.range.lowerBound + 1, tracksPlaces: tracksPlaces)
    }
  }

  /// Returns the value of an attribute as JSON.
  func json(_ field: Field) -> ArraySlice<UInt8> { bytes[field.json] }

  /// Whether an attribute is `true`.
  func isTrue(_ attribute: Attribute) -> Bool { self[attribute].map { json($0).elementsEqual("true".utf8) } ?? false }

  /// Whether an attribute is a time in a readable form.
  func isTime(_ attribute: Attribute) -> Bool {
    guard let field = self[attribute], field.isText else { return false }
    return withInner(of: field) { inner in
      inner.contains(UInt8(ascii: "\\"))
        ? text(attribute).flatMap { Timestamp.parse($0.string) } != nil : Timestamp.parse(inner) != nil
    }
  }

  private func withInner<R>(of field: Field, _ body: (Span<UInt8>) -> R) -> R {
    body(bytes.span.extracting(field.json.dropFirst().dropLast()))
  }

  /// The object's kind, derived from attributes that only objects of this kind have.
  var kind: Kind {
    func has(_ attribute: Attribute) -> Bool { fields.contains { $0.attribute == attribute } }
    if has(.sessionId) || has(.startedAt) || has(.startTime) { return .session }
    if has(.pieceId) || has(.lyrics) { return .piece }
    let key = text(.capitalSK)?.string ?? text(.sk)?.string
    return key == "PROFILE" || has(.displayName) || has(.lastLoginAt) ? .user : .other
  }

  // MARK: As JSON

  /// Appends the attributes as a JSON object.
  /// - Parameter isWanted: selects the attributes.
  func write(into out: inout ByteBuffer, where isWanted: (Field) -> Bool = { _ in true }) {
    out.append(UInt8(ascii: "{"))
    var isFirst = true
    for field in fields where isWanted(field) {
      if !isFirst { out.append(UInt8(ascii: ",")) }
      isFirst = false
      out.appendJSONString(name(of: field))
      out.append(UInt8(ascii: ":"))
      out.append(bytes.span.extracting(field.json))
    }
    out.append(UInt8(ascii: "}"))
  }

  /// The item with the cloud's attribute names, regardless of the names in its source, and without null values.
  var byCloudNames: HaumanaItem {
    let names: [Attribute: Attribute] = [.id: .sessionId, .startTime: .startedAt, .endTime: .endedAt]
    var item = self
    item.fields = fields.filter { !$0.isNull }.map { field in
      var field = field
      field.attribute = field.attribute.map { names[$0] ?? $0 }
      return field
    }
    return item
  }
}

/// Reads and writes values with DynamoDB types.
///
/// - Source: DynamoDB developer guide, "DynamoDB JSON"
enum TypedValue {
  private static let lists: [StaticString] = ["L", "SS", "NS", "BS"]

  /// Returns the type and the inner value of a typed value: an object whose only member is named after a type and has a
  /// value of that type. Returns nil for any other value.
  static func parts(of value: JSONNode) -> (type: JSONNode, inner: JSONNode)? {
    guard value.kind == .object, value.token.count == 1 else { return nil }
    var parts: (JSONNode, JSONNode)?
    value.forEachMember { type, inner in
      if isValue(inner, of: type) { parts = (type, inner) }
    }
    return parts
  }

  private static func isValue(_ value: JSONNode, of type: JSONNode) -> Bool {
    if type.equals("S") || type.equals("B") { return value.kind == .string }
    if type.equals("N") { return value.kind == .string && isNumber(value.inner.span) }
    if type.equals("BOOL") || type.equals("NULL") { return value.bool != nil }
    if type.equals("M") { return value.kind == .object }
    return value.kind == .array && lists.contains { type.equals($0) }
  }

  /// Whether a string is a JSON number.
  private static func isNumber(_ text: Span<UInt8>) -> Bool {
    if text.count < 16, let first = text.first, first != UInt8(ascii: "0"), text.allSatisfy({ $0 &- 0x30 < 10 }) {
      return true
    }
    var tape = JSONTape(capacity: 4)
    guard let parse = try? tape.parse(text) else { return false }
    return tape.tokens[parse.root].kind == .number
  }

  /// Appends a value as plain JSON.
  static func appendPlain(_ type: JSONNode, _ value: JSONNode, into out: inout ByteBuffer) {
    if type.equals("N") {
      out.append(value.inner.span)
    } else if type.equals("NULL") {
      out.append("null")
    } else if type.equals("M") {
      appendMembers(value, into: &out)
    } else if type.equals("L") {
      list(value, into: &out) { element, out in appendTyped(element, into: &out) }
    } else if type.equals("NS") {
      list(value, into: &out) { element, out in
        out.append((isNumber(element.inner.span) ? element.inner : element.raw).span)
      }
    } else {
      out.append(value.raw.span)
    }
  }

  private static func appendTyped(_ value: JSONNode, into out: inout ByteBuffer) {
    guard let (type, inner) = parts(of: value) else { return out.append(value.raw.span) }
    appendPlain(type, inner, into: &out)
  }

  /// Appends plain JSON as a value with DynamoDB types. Null members are left out.
  static func append(typed value: JSONNode, into out: inout ByteBuffer) {
    func text(_ type: StaticString, _ write: (inout ByteBuffer) -> Void) {
      out.append("{\"")
      out.append(type)
      out.append("\":")
      write(&out)
      out.append(UInt8(ascii: "}"))
    }
    switch value.kind {
    case .string: text("S") { $0.append(value.raw.span) }
    case .number:
      text("N") { out in
        out.append(UInt8(ascii: "\""))
        out.append(value.raw.span)
        out.append(UInt8(ascii: "\""))
      }
    case .true, .false: text("BOOL") { $0.append(value.raw.span) }
    case .null: text("NULL") { $0.append("true") }
    case .array: text("L") { list(value, into: &$0) { append(typed: $0, into: &$1) } }
    case .object: text("M") { append(item: value, into: &$0) }
    }
  }

  /// Appends an object as a DynamoDB item.
  static func append(item object: JSONNode, into out: inout ByteBuffer) {
    out.append(UInt8(ascii: "{"))
    var isFirst = true
    object.forEachMember { name, value in
      if value.isNull { return }
      if !isFirst { out.append(UInt8(ascii: ",")) }
      isFirst = false
      out.append(name.raw.span)
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
      out.append(name.raw.span)
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
  /// Decodes a JSON string.
  /// - Parameters:
  ///   - inner: the bytes between the quotes, which have passed the parser.
  ///   - start: the offset of these bytes in the source.
  ///   - tracksPlaces: whether the source position of each byte is recorded.
  init(unescaping inner: Span<UInt8>, at start: Int, tracksPlaces: Bool) {
    let range = start..<start + inner.count
    guard inner.contains(UInt8(ascii: "\\")) else {
      self.init(bytes: Array(inner), range: range)
      return
    }
    var out = ByteBuffer(capacity: inner.count)
    JSONStrings.unescape(inner, into: &out)
    guard tracksPlaces else {
      self.init(bytes: Array(out.bytes), range: range)
      return
    }
    var stretches: [Stretch] = [Stretch(value: 0, source: start)]
    var (value, at) = (0, 0)
    while at < inner.count {
      guard inner[at] == UInt8(ascii: "\\") else {
        (value, at) = (value + 1, at + 1)
        continue
      }
      let (size, made) = Self.escape(inner.extracting(droppingFirst: at))
      if stretches.last?.value != value { stretches.append(Stretch(value: value, source: start + at)) }
      (value, at) = (value + made, at + size)
      stretches.append(Stretch(value: value, source: start + at))
    }
    self.init(bytes: Array(out.bytes), range: range, stretches: value == out.count ? stretches : [])
  }

  /// Returns the length of an escape, and the number of UTF-8 bytes that it represents.
  private static func escape(_ text: Span<UInt8>) -> (size: Int, made: Int) {
    func unit(at start: Int) -> UInt32? {
      guard start + 6 <= text.count, text[start] == UInt8(ascii: "\\"), text[start + 1] == UInt8(ascii: "u") else {
        return nil
      }
      return UInt32(String(decoding: text.extracting(start + 2..<start + 6)), radix: 16)
    }
    guard let first = unit(at: 0) else { return (min(2, text.count), 1) }
    if first & 0xFC00 == 0xD800, let second = unit(at: 6), second & 0xFC00 == 0xDC00 { return (12, 4) }
    return (6, first < 0x80 ? 1 : first < 0x800 ? 2 : 3)
  }
}

/// Assembles text from parts of other texts. Every byte keeps its source position.
struct TextAssembly: ~Copyable {
  private var bytes: ByteBuffer
  private var stretches: [SourcedText.Stretch] = []
  private let tracksPlaces: Bool

  var isEmpty: Bool { bytes.count == 0 }

  /// - Parameter tracksPlaces: whether source positions are kept.
  init(tracksPlaces: Bool, capacity: Int = 256) {
    self.tracksPlaces = tracksPlaces
    bytes = ByteBuffer(capacity: capacity)
  }

  /// Appends bytes that are not in the source. They are assigned the position of the following or preceding text.
  mutating func insert(_ text: StaticString, at place: @autoclosure () -> Int) {
    if tracksPlaces { stretches.append(SourcedText.Stretch(value: bytes.count, source: place())) }
    bytes.append(text)
  }

  /// Appends a part of other text.
  mutating func append(_ text: SourcedText, _ part: Range<Int>) {
    let start = bytes.count
    bytes.append(text.bytes.span.extracting(part))
    guard tracksPlaces else { return }
    let piece = text.part(part)
    if piece.stretches.isEmpty {
      stretches.append(SourcedText.Stretch(value: start, source: piece.range.lowerBound))
    } else {
      for stretch in piece.stretches {
        stretches.append(SourcedText.Stretch(value: start + stretch.value, source: stretch.source))
      }
    }
  }

  /// Returns the assembled text.
  /// - Parameter range: the whole source range that the text came from.
  func text(_ range: Range<Int>) -> SourcedText {
    SourcedText(bytes: bytes.copy(0..<bytes.count), range: range, stretches: stretches)
  }
}
