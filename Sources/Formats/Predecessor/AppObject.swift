import Content
import JSONText

/// One object of the app: its members are taken one by one, and it knows which were not.
///
/// A value of another type than the app writes is a problem, and counts as missing. `null` is the same as a missing
/// member.
struct AppObject {
  let node: JSONNode
  private let problems: ProblemList
  private let knowsPlaces: Bool
  /// Token indices of the names of members that have a meaning.
  private var taken: Set<Int> = []

  init(_ node: JSONNode, _ problems: ProblemList, knowsPlaces: Bool) {
    self.node = node
    self.problems = problems
    self.knowsPlaces = knowsPlaces
  }

  /// What a value is, for messages.
  static func words(_ node: JSONNode) -> String {
    switch node.kind {
    case .null: return "null"
    case .true, .false: return "a boolean"
    case .array: return "an array"
    case .object: return "an object"
    case .number, .string:
      let text = String(decoding: node.raw.prefix(60), as: UTF8.self)
      return (node.kind == .number ? "the number " : "the text ") + text + (node.raw.count > 60 ? "…" : "")
    }
  }

  // MARK: Values

  /// The value of a member, whatever it is.
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
    value(name, "a text") { $0.kind == .string }.map { Self.text($0, knowsPlaces: knowsPlaces) }
  }

  /// The same for a member without which there is no record.
  mutating func requiredText(_ name: StaticString) -> SourcedText? {
    if value(name) == nil { problems.add("'\(name)' is missing", node) }
    return text(name)
  }

  /// A UUID in capitals, or any other text that is an id.
  mutating func id(_ name: StaticString) -> SourcedText? {
    guard let found = value(name, "an id", { $0.kind == .string }), !found.inner.isEmpty else { return nil }
    return Self.id(found)
  }

  mutating func flag(_ name: StaticString) -> Bool? {
    value(name, "true or false") { $0.bool != nil }?.bool
  }

  mutating func number(_ name: StaticString, isWhole: Bool = false) -> JSONNode? {
    value(name, isWhole ? "a whole number" : "a number") { $0.kind == .number && (!isWhole || $0.integer != nil) }
  }

  /// A time: seconds since 2001, or text as ISO 8601 has it.
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

  /// The text of a string, with the places of what is in it.
  private static func text(_ node: JSONNode, knowsPlaces: Bool) -> SourcedText {
    let inner = node.inner
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
      text.append(UnsafeBufferPointer(rebasing: inner[from..<at]))
      var length = at + 1 < inner.count && inner[at + 1] == UInt8(ascii: "u") ? 6 : 2
      // The first half of a pair: both make one character.
      let isHalf = length == 6 && at + 3 < inner.count && inner[at + 2] | 0x20 == UInt8(ascii: "d")
      if isHalf, inner[at + 3] | 0x20 > UInt8(ascii: "7") { length = 12 }
      let end = min(at + length, inner.count)
      JSONStrings.unescape(UnsafeBufferPointer(rebasing: inner[at..<end]), into: &text)
      stretches.append(SourcedText.Stretch(value: text.count, source: start + end))
      at = end
      from = end
    }
    text.append(UnsafeBufferPointer(rebasing: inner[from...]))
    return SourcedText(bytes: text.copy(0..<text.count), range: range, stretches: stretches)
  }

  /// The id that a string is.
  static func id(_ node: JSONNode) -> SourcedText {
    let text = Self.text(node, knowsPlaces: false)
    let isOther = text.bytes.withUnsafeBufferPointer { UUIDText.form(of: $0) } == .otherCase
    return isOther ? SourcedText(bytes: Array(text.string.uppercased().utf8), range: text.range) : text
  }

  // MARK: Containers

  /// The objects of an array.
  mutating func forEachObject(of name: StaticString, _ body: (JSONNode) -> Void) {
    guard let array = value(name, "an array", { $0.kind == .array }) else { return }
    array.forEachElement { element in
      if element.kind == .object { return body(element) }
      problems.add("\(Self.words(element)) where an object was expected in '\(name)'", element)
    }
  }

  /// Keys and values of a dictionary: members of an object, or elements of an array that alternate.
  ///
  /// Swift writes a dictionary as an array where its keys are no texts. No value of the app's is a text there, so one
  /// that is follows a key without a value.
  /// - Parameter body: gets key, value, and the one of them that is there.
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

  /// Names and values of the members that nothing asked for.
  func forEachOther(_ body: (JSONNode, JSONNode) -> Void) {
    node.forEachMember { name, value in
      if !taken.contains(name.index) { body(name, value) }
    }
  }
}

/// What is wrong with a record.
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

/// Members as the inside of a JSON object.
struct KeptMembers {
  private(set) var json: [UInt8] = []

  /// Adds a member as it is in the source, if it is there.
  mutating func add(_ name: StaticString, _ value: JSONNode?) {
    if let value { add(name, json: Array(value.raw)) }
  }

  /// Adds a member whose value is JSON already.
  mutating func add(_ name: StaticString, json value: [UInt8]) {
    add(members: Array("\"\(name)\":".utf8) + value)
  }

  /// Adds objects, if there are some.
  mutating func add(_ name: StaticString, _ list: KeptList) {
    if !list.json.isEmpty { add(name, json: [0x5B] + list.json + [0x5D]) }
  }

  /// Adds members that are JSON already.
  mutating func add(members: [UInt8]) {
    if !json.isEmpty { json.append(UInt8(ascii: ",")) }
    json += members
  }

  /// Adds the members of an object that nothing asked for.
  mutating func add(restOf object: AppObject) {
    object.forEachOther { name, value in add(members: Array(name.raw) + [UInt8(ascii: ":")] + Array(value.raw)) }
  }

  /// The member that a card keeps them under; nil when there are none.
  func member(at node: JSONNode) -> SourcedText? {
    json.isEmpty ? nil : SourcedText(bytes: Array("\"predecessor\":{".utf8) + json + [0x7D], range: node.span)
  }

  /// The extras of a record; nil when there are none.
  func extras(at node: JSONNode) -> SourcedText? {
    let start = node.span.lowerBound
    return member(at: node).map {
      SourcedText(bytes: Array("{\"foreign\":{".utf8) + $0.bytes + [0x7D, 0x7D], range: start..<start)
    }
  }
}

/// Objects as the inside of a JSON array.
struct KeptList {
  private(set) var json: [UInt8] = []

  mutating func add(_ members: KeptMembers) {
    if !json.isEmpty { json.append(UInt8(ascii: ",")) }
    json += [0x7B] + members.json + [0x7D]
  }
}
