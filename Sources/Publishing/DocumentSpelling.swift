import Content
import JSONText

/// Copies a document and gives its members the app's names: `is_required` becomes `isRequired`.
///
/// Empty values that are derived when they are missing (an empty id, a time that is null) and personal data (a card's
/// review state) are left out. Whole numbers are written without fraction and exponent, which not every decoder
/// accepts. A time that is a number counts seconds since 2001, as builds of the app up to January 2026 wrote it, and
/// becomes `2026-01-05T10:11:12Z`. A number that is not a time in the years 1 to 9999 is kept, and the schema refuses
/// it. Everything else is copied unchanged, and nothing is checked.
enum DocumentSpelling {
  /// Copies a document of the given shape.
  static func write(_ node: JSONNode, _ shape: Shape, into out: inout ByteBuffer) {
    guard node.kind == .object else { return out.append(node.raw) }
    out.append(UInt8(ascii: "{"))
    let open = out.count
    var hint = 0
    // The names are computed once for each object that has other names.
    var own: UInt64?
    node.forEachMember { name, value in
      var index = name.token.flags.contains(.escaped) ? -1 : shape.index(of: name.inner, from: hint)
      var isRenamed = false
      if index < 0, let alias = SnakeNames.index(of: name, in: shape) {
        let present = own ?? ownNames(node, shape)
        own = present
        if present & (1 << UInt64(alias)) == 0 {
          index = alias
          isRenamed = true
        }
      }
      if index >= 0 {
        hint = index + 1
        if shouldBeDerived(value, shape.members[index]) || isPersonal(shape.members[index]) { return }
      }
      if out.count != open { out.append(UInt8(ascii: ",")) }
      if isRenamed {
        out.append(shape.members[index].key)
      } else {
        out.append(name.raw)
        out.append(UInt8(ascii: ":"))
      }
      if index >= 0 {
        write(value, of: shape.members[index], into: &out)
      } else {
        out.append(value.raw)
      }
    }
    out.append(UInt8(ascii: "}"))
  }

  private static func write(_ value: JSONNode, of member: ShapeMember, into out: inout ByteBuffer) {
    switch (member.kind, value.kind) {
    case (.objects, .array):
      guard let child = member.child else { return out.append(value.raw) }
      out.append(UInt8(ascii: "["))
      let open = out.count
      value.forEachElement { element in
        if out.count != open { out.append(UInt8(ascii: ",")) }
        write(element, child, into: &out)
      }
      out.append(UInt8(ascii: "]"))
    case (.object, .object):
      guard let child = member.child else { return out.append(value.raw) }
      write(value, child, into: &out)
    case (.integer, .number):
      guard !value.isPlainInteger, let number = value.integer else { return out.append(value.raw) }
      out.append(utf8: String(number))
    case (.date, .number):
      guard let time = value.double.flatMap(Timestamp.init(secondsSince2001:)) else { return out.append(value.raw) }
      out.appendJSONString(time.wholeSeconds)
    default: out.append(value.raw)
    }
  }

  /// Whether a value is empty and will be derived if it is left out.
  private static func shouldBeDerived(_ value: JSONNode, _ member: ShapeMember) -> Bool {
    switch member.kind {
    case .recordID, .innerIdentifier: value.kind == .string && value.inner.isEmpty
    case .date: member.absent == .inherit && value.isNull
    default: false
    }
  }

  /// Whether a member is personal data of its author: when cards are due, and how often they were answered wrongly.
  private static func isPersonal(_ member: ShapeMember) -> Bool {
    member.kind == .object && member.name.elementsEqual("review".utf8)
  }

  /// Returns the members of a shape that an object has under the app's names, one bit each; no shape has more than 64
  /// members.
  private static func ownNames(_ node: JSONNode, _ shape: Shape) -> UInt64 {
    var present: UInt64 = 0
    node.forEachMember { name, _ in
      guard !name.token.flags.contains(.escaped) else { return }
      let index = shape.index(of: name.inner, from: 0)
      if index >= 0 { present |= 1 << UInt64(index) }
    }
    return present
  }
}

/// The spelling with underscores that document members have in some clients.
enum SnakeNames {
  /// Returns the index of the member that a name with underscores denotes; nil if it denotes none.
  static func index(of name: JSONNode, in shape: Shape) -> Int? {
    guard !name.token.flags.contains(.escaped), name.inner.contains(UInt8(ascii: "_")) else { return nil }
    for index in 0..<shape.members.count where matches(name.inner, shape.members[index].name) { return index }
    return nil
  }

  /// Returns the spelling with underscores of the member `name`.
  static func spelling(of name: String) -> String {
    var text: [UInt8] = []
    var wasUpper = true
    for byte in name.utf8 {
      let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      if isUpper, !wasUpper { text.append(UInt8(ascii: "_")) }
      text.append(isUpper ? byte | 0x20 : byte)
      wasUpper = isUpper
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether `snake` is `camel` with underscores: `created_at` for `createdAt`, `creator_id` for `creatorID`.
  private static func matches(_ snake: UnsafeBufferPointer<UInt8>, _ camel: UnsafeBufferPointer<UInt8>) -> Bool {
    var at = 0
    var wasUpper = true
    for byte in camel {
      let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      if isUpper, !wasUpper {
        guard at < snake.count, snake[at] == UInt8(ascii: "_") else { return false }
        at += 1
      }
      guard at < snake.count, snake[at] == (isUpper ? byte | 0x20 : byte) else { return false }
      at += 1
      wasUpper = isUpper
    }
    return at == snake.count
  }
}
