import Content
import JSONText

/// An object that the app wrote. Its members are read one by one, and the object keeps track of those that were not
/// read.
///
/// A value whose type the app never writes is a problem and counts as missing. `null` is treated like a missing member.
struct AppObject {
  let node: JSONNode
  private let problems: ProblemList
  private let knowsPlaces: Bool
  /// The token indexes of the names of the members that were read.
  private var taken: Set<Int> = []

  init(_ node: JSONNode, _ problems: ProblemList, knowsPlaces: Bool) {
    self.node = node
    self.problems = problems
    self.knowsPlaces = knowsPlaces
  }

  /// Describes a value's type for messages.
  static func words(_ node: JSONNode) -> String {
    switch node.kind {
    case .null: return "null"
    case .true, .false: return "a boolean"
    case .array: return "an array"
    case .object: return "an object"
    case .number, .string:
      let text = String(decoding: node.raw.prefix(60), as: UTF8.self)
      return (node.kind == .number ? "the number " : "the string ") + text + (node.raw.count > 60 ? "…" : "")
    }
  }

  // MARK: Values

  /// Returns the value of a member, regardless of its type.
  mutating func value(_ name: StaticString) -> JSONNode? {
    var found: JSONNode?
    node.forEachMember { key, value in
      guard found == nil, key.equals(name) else { return }
      taken.insert(key.index)
      found = value
    }
    return found.flatMap { $0.isNull ? nil : $0 }
  }

  private mutating func value(_ name: StaticString, _ expected: String, _ fits: (JSONNode) -> Bool) -> JSONNode? {
    guard let found = value(name) else { return nil }
    if fits(found) { return found }
    problems.add("'\(name)' is \(Self.words(found)), not \(expected)", found)
    return nil
  }

  mutating func text(_ name: StaticString) -> SourcedText? {
    value(name, "a string") { $0.kind == .string }.map { Self.text($0, knowsPlaces: knowsPlaces) }
  }

  /// Returns a required string, and adds a problem if it is missing.
  mutating func requiredText(_ name: StaticString) -> SourcedText? {
    if value(name) == nil { problems.add("'\(name)' is missing", node) }
    return text(name)
  }

  /// Returns an id: an upper-case UUID or any other string.
  mutating func id(_ name: StaticString) -> SourcedText? {
    guard let found = value(name, "an id", { $0.kind == .string }), !found.inner.isEmpty else { return nil }
    return Self.id(found)
  }

  mutating func flag(_ name: StaticString) -> Bool? {
    value(name, "true or false") { $0.bool != nil }?.bool
  }

  mutating func number(_ name: StaticString, isWhole: Bool = false) -> JSONNode? {
    value(name, isWhole ? "an integer" : "a number") { $0.kind == .number && (!isWhole || $0.integer != nil) }
  }

  /// Returns a time: seconds since 2001, or a string in ISO 8601 format.
  mutating func time(_ name: StaticString) -> (text: SourcedText, time: Timestamp)? {
    guard let found = value(name, "a time", { Self.time($0) != nil }), let time = Self.time(found) else { return nil }
    return (SourcedText(bytes: Array(time.iso8601.utf8), range: found.span), time)
  }

  private static func time(_ node: JSONNode) -> Timestamp? {
    if let seconds = node.double { return Timestamp(secondsSince2001: seconds) }
    guard let text = node.string, let (time, quirks) = Timestamp.parse(text), !quirks.contains(.rollsOver) else {
      return nil
    }
    return time
  }

  /// Returns a string with the places of its characters.
  private static func text(_ node: JSONNode, knowsPlaces: Bool) -> SourcedText {
    let inner = node.inner.span
    let start = node.span.lowerBound + 1
    let range = start..<start + inner.count
    guard node.token.flags.contains(.escaped) else { return SourcedText(bytes: Array(inner), range: range) }
    guard knowsPlaces else { return SourcedText(bytes: node.textBytes, range: range) }
    var stretches = [SourcedText.Stretch(value: 0, source: start)]
    var text = ByteBuffer(capacity: inner.count)
    var (at, from) = (0, 0)
    while at < inner.count {
      guard inner[at] == UInt8(ascii: "\\") else {
        at += 1
        continue
      }
      text.append(inner.extracting(from..<at))
      var length = at + 1 < inner.count && inner[at + 1] == UInt8(ascii: "u") ? 6 : 2
      // In a surrogate pair, both halves form one character.
      let isHalf = length == 6 && at + 3 < inner.count && inner[at + 2] | 0x20 == UInt8(ascii: "d")
      if isHalf, inner[at + 3] | 0x20 > UInt8(ascii: "7") { length = 12 }
      let end = min(at + length, inner.count)
      JSONStrings.unescape(inner.extracting(at..<end), into: &text)
      stretches.append(SourcedText.Stretch(value: text.count, source: start + end))
      at = end
      from = end
    }
    text.append(inner.extracting(droppingFirst: from))
    return SourcedText(bytes: text.copy(0..<text.count), range: range, stretches: stretches)
  }

  /// Returns the id in a string.
  static func id(_ node: JSONNode) -> SourcedText {
    let text = Self.text(node, knowsPlaces: false)
    let isOther = CanonicalUUID.form(of: text.bytes.span) == .otherCase
    return isOther ? SourcedText(bytes: Array(text.string.uppercased().utf8), range: text.range) : text
  }

  // MARK: Containers

  /// Calls `body` with the objects of an array.
  mutating func forEachObject(of name: StaticString, _ body: (JSONNode) -> Void) {
    guard let array = value(name, "an array", { $0.kind == .array }) else { return }
    array.forEachElement { element in
      if element.kind == .object { return body(element) }
      problems.add("\(Self.words(element)) where an object was expected in '\(name)'", element)
    }
  }

  /// Calls `body` with the keys and values of a dictionary, which is either an object or an array of alternating keys
  /// and values.
  ///
  /// Swift encodes a dictionary as an array if its keys are not strings. The values in the app's arrays are never
  /// strings, so a string where a value is expected is the next key, and the key before it has no value.
  /// - Parameter body: receives the key, the value, and the node that marks the place: the key or, if it is missing,
  ///   the value.
  static func forEachPair(of node: JSONNode, _ body: (JSONNode?, JSONNode?, JSONNode) -> Void) {
    node.forEachMember { key, value in body(key, value, value) }
    var key: JSONNode?
    node.forEachElement { element in
      guard element.kind == .string else {
        body(key, element, element)
        key = nil
        return
      }
      if let key { body(key, nil, key) }
      key = element
    }
    if let key { body(key, nil, key) }
  }

  /// Calls `body` with the names and values of the members that were not read.
  fileprivate func forEachOther(_ body: (JSONNode, JSONNode) -> Void) {
    node.forEachMember { name, value in
      if !taken.contains(name.index) { body(name, value) }
    }
  }
}

/// The problems of a record.
final class ProblemList {
  private(set) var all: [RejectedDraft.Problem] = []

  func clear() { all = [] }

  func add(_ message: String, _ node: JSONNode) {
    guard all.count < RecordLimits.findings else { return }
    let isLast = all.count == RecordLimits.findings - 1
    all.append(
      RejectedDraft.Problem(.unreadableRecord, message + (isLast ? RecordLimits.notListed : ""), at: node.span))
  }
}

/// Collects members as the content of a JSON object.
struct RawObject {
  private(set) var json: [UInt8] = []

  /// Adds a member with its unchanged value, if the value is present.
  mutating func add(_ name: StaticString, _ value: JSONNode?) {
    if let value { add(name, json: Array(value.raw)) }
  }

  /// Adds a member whose value is already JSON.
  mutating func add(_ name: StaticString, json value: [UInt8]) {
    add(members: Array("\"\(name)\":".utf8) + value)
  }

  /// Adds an array of objects, unless it is empty.
  mutating func add(_ name: StaticString, _ list: RawArray) {
    if !list.json.isEmpty { add(name, json: [0x5B] + list.json + [0x5D]) }
  }

  /// Adds members that are already JSON.
  mutating func add(members: [UInt8]) {
    if !json.isEmpty { json.append(UInt8(ascii: ",")) }
    json += members
  }

  /// Adds the members of an object that were not read.
  mutating func add(restOf object: AppObject) {
    object.forEachOther { name, value in add(members: Array(name.raw) + [UInt8(ascii: ":")] + Array(value.raw)) }
  }

  /// Returns the member under which a card keeps these members; nil if the object is empty.
  func member(at node: JSONNode) -> SourcedText? {
    json.isEmpty ? nil : SourcedText(bytes: Array("\"predecessor\":{".utf8) + json + [0x7D], range: node.span)
  }

  /// Returns a record's extras; nil if the object is empty.
  func extras(at node: JSONNode) -> SourcedText? {
    let start = node.span.lowerBound
    return member(at: node).map {
      SourcedText(bytes: Array("{\"foreign\":{".utf8) + $0.bytes + [0x7D, 0x7D], range: start..<start)
    }
  }
}

/// Collects objects as the content of a JSON array.
struct RawArray {
  private(set) var json: [UInt8] = []

  mutating func add(_ members: RawObject) {
    if !json.isEmpty { json.append(UInt8(ascii: ",")) }
    json += [0x7B] + members.json + [0x7D]
  }
}
