import JSONText

/// Encodes reports as JSON on one line, for scripts.
///
/// Members have the order in which a type declares or writes them; dictionaries are sorted by key. A property
/// `isDryRun` or `dryRun` becomes the member `dry_run`. A property that is nil becomes `null`; `IfPresent`, `Inlined`
/// and `TextOnly` are the exceptions. Characters that control terminals and CI logs are escaped as in `JSONBuilder`.
///
/// One encoder can encode many values in sequence. Memory is bounded by the largest value.
package final class ReportEncoder {
  private let output = JSONOutput()

  package init() {}

  /// Returns the JSON text of a value.
  package func encode(_ value: some Encodable) throws -> String {
    output.removeAll()
    try output.write(value)
    return output.text
  }

  /// Returns the JSON text of one value.
  package static func encode(_ value: some Encodable) throws -> String { try ReportEncoder().encode(value) }
}

/// Omits a member that is nil. Other optional members become `null`.
@propertyWrapper package struct IfPresent<Value: Encodable>: Encodable {
  package var wrappedValue: Value?
  package init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }
  package func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

/// Writes a value's members as members of the surrounding object. Writes no members if the value is nil.
@propertyWrapper package struct Inlined<Value: Encodable>: Encodable {
  package var wrappedValue: Value
  package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
  package func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

/// A property that only a report's text form needs. It is not encoded.
@propertyWrapper package struct TextOnly<Value>: Encodable {
  package var wrappedValue: Value
  package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
  package func encode(to encoder: any Encoder) throws {}
}

/// An object whose member names are data, in a given order.
package struct Members<Value: Encodable>: Encodable {
  fileprivate let members: [(name: String, value: Value)]

  /// Keeps the order of `members`.
  package init(_ members: [(String, Value)]) { self.members = members }

  /// Sorts the members by name.
  package init<Key>(_ values: [Key: Value], by name: (Key) -> String) {
    members = values.map { (name($0.key), $0.value) }.sorted { $0.name < $1.name }
  }

  package func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: EncodedKey.self)
    for (name, value) in members { try object.encode(value, forKey: EncodedKey(stringValue: name)) }
  }
}

/// A string that is already JSON.
package struct RawJSON: Encodable {
  fileprivate let text: String
  package init(_ text: String) { self.text = text }
  package func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}

/// A member name that is used unchanged.
private struct EncodedKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

// MARK: Special values

/// A value whose member may be omitted.
private protocol Omissible { var isOmitted: Bool { get } }
extension IfPresent: Omissible { fileprivate var isOmitted: Bool { wrappedValue == nil } }
extension TextOnly: Omissible { fileprivate var isOmitted: Bool { true } }

private protocol InlinedMembers {}
extension Inlined: InlinedMembers {}

/// A dictionary whose keys are member names.
private protocol NamedValues { func write(to encoder: any Encoder) throws }
extension Dictionary: NamedValues where Key == String, Value: Encodable {
  fileprivate func write(to encoder: any Encoder) throws { try Members(self) { $0 }.encode(to: encoder) }
}

// MARK: Writing

/// The output, with its open objects and arrays.
private final class JSONOutput {
  private var bytes = ByteBuffer()
  private var open: [(end: UInt8, isEmpty: Bool)] = []
  /// The quoted member name of each property.
  private var names: [String: String] = [:]

  var text: String { String(decoding: bytes.bytes, as: UTF8.self) }
  var depth: Int { open.count }

  func removeAll() {
    bytes.removeAll()
    open.removeAll()
  }

  /// Opens an object or array and returns its depth.
  func begin(_ start: Unicode.Scalar, _ end: Unicode.Scalar) -> Int {
    bytes.append(UInt8(ascii: start))
    open.append((UInt8(ascii: end), true))
    return open.count
  }

  /// Closes everything deeper than `depth`.
  func close(to depth: Int) {
    while open.count > depth { bytes.append(open.removeLast().end) }
  }

  /// Continues the object or array at `depth` with an element.
  func element(at depth: Int) {
    close(to: depth)
    if !open[depth - 1].isEmpty { bytes.append(UInt8(ascii: ",")) }
    open[depth - 1].isEmpty = false
  }

  /// Continues the object at `depth` with a member.
  func member(_ key: some CodingKey, at depth: Int) {
    element(at: depth)
    bytes.append(utf8: key is EncodedKey ? JSONBuilder.quoted(key.stringValue) : name(key.stringValue))
    bytes.append(UInt8(ascii: ":"))
  }

  func null() { bytes.append("null") }

  /// Writes one complete value.
  func write(_ value: some Encodable) throws {
    let depth = depth
    switch value {
    case let text as String: bytes.append(utf8: JSONBuilder.quoted(text))
    case let flag as Bool: bytes.append(utf8: flag ? "true" : "false")
    case let number as any BinaryInteger: bytes.append(utf8: "\(number)")
    case let number as Double: bytes.append(utf8: number.isFinite ? "\(number)" : "null")
    case let raw as RawJSON: bytes.append(utf8: raw.text)
    default:
      let encoder = ValueEncoder(self)
      if let values = value as? any NamedValues { try values.write(to: encoder) } else { try value.encode(to: encoder) }
      if encoder.isUnused { _ = begin("{", "}") }
    }
    close(to: depth)
  }

  /// Returns the member name of a property: `"dry_run"` for `isDryRun`, `"public_id_start"` for `publicIDStart`.
  private func name(_ property: String) -> String {
    if let known = names[property] { return known }
    var letters = Array(property.unicodeScalars)
    if letters.count > 2, property.hasPrefix("is"), letters[2].properties.isUppercase { letters.removeFirst(2) }
    var name = ""
    for (index, letter) in letters.enumerated() {
      let isUpper = letter.properties.isUppercase
      let beginsWord =
        !letters[max(0, index - 1)].properties.isUppercase
        || index + 1 < letters.count && letters[index + 1].properties.isLowercase
      if isUpper, index > 0, beginsWord { name += "_" }
      name += isUpper ? letter.properties.lowercaseMapping : String(letter)
    }
    let quoted = JSONBuilder.quoted(name)
    names[property] = quoted
    return quoted
  }
}

/// Encodes one value. Opens an object or array when a container is requested.
private final class ValueEncoder: Encoder, SingleValueEncodingContainer {
  private let output: JSONOutput
  /// The depth of the value's object or array; 0 before it is opened.
  private var depth: Int
  private let isInlined: Bool
  private(set) var isUnused = true
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  /// - Parameter depth: the depth of an open object to write the members to.
  init(_ output: JSONOutput, inside depth: Int = 0) {
    self.output = output
    self.depth = depth
    isInlined = depth > 0
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if depth == 0 { depth = output.begin("{", "}") }
    isUnused = false
    return KeyedEncodingContainer(ObjectContainer<Key>(output: output, depth: depth))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if depth == 0 { depth = output.begin("[", "]") }
    isUnused = false
    return ArrayContainer(output: output, depth: depth)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() {
    isUnused = false
    if !isInlined { output.null() }
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    isUnused = false
    // Encoding an optional encodes its wrapped value.
    if isInlined { try value.encode(to: self) } else { try output.write(value) }
  }
}

private struct ObjectContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let output: JSONOutput
  let depth: Int
  let codingPath: [any CodingKey] = []

  func encodeNil(forKey key: Key) {
    output.member(key, at: depth)
    output.null()
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    if let value = value as? any Omissible, value.isOmitted { return }
    if value is any InlinedMembers { return try value.encode(to: ValueEncoder(output, inside: depth)) }
    output.member(key, at: depth)
    try output.write(value)
  }

  // The protocol's own methods omit nil, and the compiler prefers them to a generic one.
  func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
    try encodeOrNull(value, forKey: key)
  }
  func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOrNull(value, forKey: key) }
  func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOrNull(value, forKey: key) }
  func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOrNull(value, forKey: key) }
  func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeOrNull(value, forKey: key) }
  func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOrNull(value, forKey: key) }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeOrNull(value, forKey: key) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeOrNull(value, forKey: key) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeOrNull(value, forKey: key) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOrNull(value, forKey: key) }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeOrNull(value, forKey: key) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeOrNull(value, forKey: key) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeOrNull(value, forKey: key) }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeOrNull(value, forKey: key) }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeOrNull(value, forKey: key) }

  private func encodeOrNull<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
    if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { superEncoder(forKey: key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    superEncoder(forKey: key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder {
    output.member(EncodedKey(stringValue: "super"), at: depth)
    return ValueEncoder(output)
  }

  func superEncoder(forKey key: Key) -> any Encoder {
    output.member(key, at: depth)
    return ValueEncoder(output)
  }
}

private struct ArrayContainer: UnkeyedEncodingContainer {
  let output: JSONOutput
  let depth: Int
  let codingPath: [any CodingKey] = []
  private(set) var count = 0

  mutating func encodeNil() {
    next()
    output.null()
  }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    next()
    try output.write(value)
  }

  mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    superEncoder().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { superEncoder().unkeyedContainer() }

  mutating func superEncoder() -> any Encoder {
    next()
    return ValueEncoder(output)
  }

  private mutating func next() {
    output.element(at: depth)
    count += 1
  }
}

/// Builds a JSON text member by member.
///
/// Terminal control characters are written as `\u` escapes. So is the bracket of `##[`, which is a command anywhere in
/// a CI log. The values do not change, and the JSON is safe to print.
package struct JSONBuilder {
  private var text = ""
  private var needsComma = false

  /// Makes an empty builder.
  package init() {}

  /// The finished JSON.
  package var result: String { text }

  package mutating func object(_ name: String? = nil, _ body: (inout JSONBuilder) -> Void) {
    open(name, "{")
    body(&self)
    close("}")
  }

  package mutating func array(_ name: String? = nil, _ body: (inout JSONBuilder) -> Void) {
    open(name, "[")
    body(&self)
    close("]")
  }

  package mutating func string(_ name: String? = nil, _ value: String?) {
    raw(name, value.map(Self.quoted) ?? "null")
  }

  package mutating func number(_ name: String? = nil, _ value: Int?) { raw(name, value.map(String.init) ?? "null") }

  package mutating func number(_ name: String? = nil, _ value: Double) { raw(name, "\(value)") }

  package mutating func bool(_ name: String? = nil, _ value: Bool) { raw(name, value ? "true" : "false") }

  /// Adds a value that is already JSON.
  package mutating func raw(_ name: String? = nil, _ value: String) {
    key(name)
    text += value
    needsComma = true
  }

  private mutating func open(_ name: String?, _ bracket: String) {
    key(name)
    text += bracket
    needsComma = false
  }

  private mutating func close(_ bracket: String) {
    text += bracket
    needsComma = true
  }

  private mutating func key(_ name: String?) {
    if needsComma { text += "," }
    if let name { text += Self.quoted(name) + ":" }
    needsComma = false
  }

  static func quoted(_ text: String) -> String {
    var buffer = ByteBuffer(capacity: text.utf8.count + 2)
    buffer.appendJSONString(text)
    let quoted = String(decoding: buffer.bytes, as: UTF8.self)
    // The writer has escaped all characters below the space. Other characters can also control a terminal.
    var hashes = 0
    func isUnsafe(_ scalar: UnicodeScalar) -> Bool {
      defer { hashes = scalar == "#" ? hashes + 1 : 0 }
      return ReportEscaping.escape(scalar, hashes: hashes) != nil
    }
    guard quoted.unicodeScalars.contains(where: isUnsafe) else { return quoted }
    hashes = 0
    var safe = ""
    for scalar in quoted.unicodeScalars {
      if isUnsafe(scalar) {
        let digits = String(scalar.value, radix: 16)
        safe += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      } else {
        safe.unicodeScalars.append(scalar)
      }
    }
    return safe
  }
}
