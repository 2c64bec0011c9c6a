import JSONText

/// Takes members out of an object one by one; what nobody took is left for `rest`.
struct MemberSorter {
  private var members: [(name: JSONNode, value: JSONNode)] = []
  /// Whether every member that was asked for was of its kind.
  private(set) var isSound = true

  init(_ node: JSONNode) {
    var found: [(name: JSONNode, value: JSONNode)] = []
    node.forEachMember { found.append(($0, $1)) }
    members = found
  }

  /// The value of a member; nil when it is not there or null, which is left for `rest`.
  mutating func take(_ name: StaticString, _ kind: JSONToken.Kind) -> JSONNode? {
    guard let index = members.firstIndex(where: { $0.name.equals(name) }), !members[index].value.isNull else {
      return nil
    }
    let value = members.remove(at: index).value
    if value.kind == kind { return value }
    isSound = false
    return nil
  }

  mutating func text(_ name: StaticString) -> SourcedText? {
    take(name, .string).map { SourcedText(bytes: $0.textBytes, range: 0..<0) }
  }

  /// A boolean; null in its place makes the object unsound.
  mutating func bool(_ name: StaticString, standard: Bool) -> Bool {
    guard let index = members.firstIndex(where: { $0.name.equals(name) }) else { return standard }
    let value = members.remove(at: index).value.bool
    isSound = isSound && value != nil
    return value ?? standard
  }

  /// A number as JSON; nil also when it is the whole number `position`.
  mutating func number(_ name: StaticString, unless position: Int?) -> SourcedText? {
    guard let value = take(name, .number) else { return nil }
    if let position, value.raw.elementsEqual(String(position).utf8) { return nil }
    return Self.sourced(value.raw)
  }

  mutating func texts(_ name: StaticString) -> [SourcedText] {
    var all: [SourcedText] = []
    var areTexts = true
    take(name, .array)?.forEachElement { element in
      areTexts = areTexts && element.kind == .string
      all.append(SourcedText(bytes: element.textBytes, range: 0..<0))
    }
    isSound = isSound && areTexts
    return all
  }

  /// What is left, as the inside of a JSON object; nil when nothing is.
  func rest() -> SourcedText? {
    guard !members.isEmpty else { return nil }
    var text = ByteBuffer(capacity: 256)
    for member in members {
      if text.count > 0 { text.append(UInt8(ascii: ",")) }
      text.append(member.name.raw)
      text.append(UInt8(ascii: ":"))
      text.append(member.value.raw)
    }
    return Self.sourced(text.bytes)
  }

  static func sourced(_ bytes: UnsafeBufferPointer<UInt8>) -> SourcedText {
    SourcedText(bytes: Array(bytes), range: 0..<0)
  }
}
