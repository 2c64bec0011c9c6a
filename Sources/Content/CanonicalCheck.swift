import JSONText

/// Checks whether a record is already written as `Canonicalizer` would write it, so that its bytes can be copied.
///
/// The check only reads tokens. It allocates and writes nothing. This is the fast path for reading FleetKit's own
/// bundles. It may return a false negative for a canonical record; the canonicaliser then writes identical bytes again.
/// It never returns a false positive.
package struct CanonicalCheck {
  private let recordID: JSONNode
  /// Whether all members so far are known members of their shapes.
  private var isPlain = true

  /// The result of a check.
  package enum Answer {
    /// The record must be written again, or the check cannot decide.
    case unknown
    /// The record is canonical and has unknown members.
    case canonical
    /// The record is canonical and has only known members. Its sections, tags and ticks can be copied into the app's
    /// JSON columns byte for byte.
    case plain
  }

  /// Whether `node`, a record of a known kind parsed without unusual traits, is canonical.
  package static func isCanonical(_ node: JSONNode, kind: RecordKind, traits: JSONTextTraits) -> Bool {
    classify(node, kind: kind, traits: traits) != .unknown
  }

  /// Returns whether `node`, a record of a known kind parsed without unusual traits, is canonical, and whether all its
  /// members are known.
  package static func classify(_ node: JSONNode, kind: RecordKind, traits: JSONTextTraits) -> Answer {
    guard traits.isEmpty, node.kind == .object else { return .unknown }
    let shape = Shapes.record(kind)
    guard shape.members.count > Shapes.carried.members.count else { return .unknown }
    let idIndex = node.index + 3
    guard idIndex + 1 < Int(node.token.next), node.at(idIndex).equals("id") else { return .unknown }
    var check = CanonicalCheck(recordID: node.at(idIndex + 1))
    guard check.object(node, shape) else { return .unknown }
    return check.isPlain ? .plain : .canonical
  }

  private mutating func object(_ node: JSONNode, _ shape: Shape) -> Bool {
    let members = shape.members
    let count = members.count
    let end = Int(node.token.next)
    var child = node.index + 1
    var index = 0
    var type: ContentType?
    while child < end {
      let name = node.at(child)
      if name.token.flags.contains(.escaped) { return false }
      while index < count, !members[index].name.span.equals(name.inner.span) {
        if members[index].absent != .omit { return false }
        index += 1
      }
      if index == count { return unknownTail(node, from: child, shape) }
      let value = node.at(child + 1)
      let member = members[index]
      if member.kind == .contentType { type = contentType(value) }
      guard matches(member, value, type) else { return false }
      index += 1
      child = Int(node.tokens[child + 1].next)
    }
    while index < count {
      if members[index].absent != .omit { return false }
      index += 1
    }
    return true
  }

  private func contentType(_ value: JSONNode) -> ContentType? {
    if value.equals("checklist") { return .checklist }
    if value.equals("practice_guide") { return .practiceGuide }
    return value.equals("flashcard_deck") ? .flashcardDeck : nil
  }

  /// Checks members that are not in the shape. They are allowed at the end, unless one of them is a known member in the
  /// wrong position.
  private mutating func unknownTail(_ node: JSONNode, from first: Int, _ shape: Shape) -> Bool {
    isPlain = false
    var child = first
    let end = Int(node.token.next)
    while child < end {
      let name = node.at(child)
      if name.token.flags.contains(.escaped) || shape.index(of: name.inner.span, from: 0) >= 0 { return false }
      child = Int(node.tokens[child + 1].next)
    }
    return node.duplicateName == nil
  }

  private mutating func matches(_ member: ShapeMember, _ value: JSONNode, _ type: ContentType?) -> Bool {
    if value.isNull { return member.nullable }
    switch member.kind {
    case .text: return value.kind == .string
    case .bool: return value.kind == .true || value.kind == .false
    case .integer:
      return value.kind == .number && value.token.flags.contains(.integer) && value.token.length <= 18
    case .number: return value.kind == .number
    case .date: return Self.isDate(value)
    case .tickTime: return Self.isTickTime(value)
    case .recordID:
      return value.kind == .string && value.inner.span.equals(recordID.inner.span)
        && CanonicalUUID.form(of: value.inner.span) == .canonical
    case .identifier, .innerIdentifier:
      return value.kind == .string && CanonicalUUID.form(of: value.inner.span) == .canonical
    case .contentType: return type != nil
    case .strings: return strings(value)
    case .objects: return objects(member, value)
    case .object:
      guard let child = member.child, value.kind == .object else { return false }
      return object(value, child)
    case .states: return states(member, value)
    case .any, .extras: return value.duplicateName == nil
    case .payload: return false
    case .document:
      guard let type, value.kind == .object else { return false }
      return object(value, Shapes.document(type))
    }
  }

  /// Whether a value is a time in the form `2026-01-05T10:11:12.345Z`.
  static func isDate(_ value: JSONNode) -> Bool {
    let inner = value.inner.span
    return value.kind == .string && inner.count == 24 && inner[23] == UInt8(ascii: "Z")
      && Timestamp.isPlain(inner, separator: UInt8(ascii: "T"))
  }

  /// Whether a value is a time that exists, in the form `2026-01-05T10:11:12Z`.
  static func isTickTime(_ value: JSONNode) -> Bool {
    value.kind == .string && Timestamp.isWholeSeconds(value.inner.span)
  }

  private func strings(_ value: JSONNode) -> Bool {
    guard value.kind == .array else { return false }
    let end = Int(value.token.next)
    var child = value.index + 1
    while child < end {
      if value.tokens[child].kind != .string { return false }
      child += 1
    }
    return true
  }

  private mutating func objects(_ member: ShapeMember, _ value: JSONNode) -> Bool {
    guard value.kind == .array, let shape = member.child else { return false }
    let end = Int(value.token.next)
    var child = value.index + 1
    while child < end {
      let element = value.at(child)
      guard element.kind == .object, object(element, shape) else { return false }
      child = Int(element.token.next)
    }
    return true
  }

  private mutating func states(_ member: ShapeMember, _ value: JSONNode) -> Bool {
    guard value.kind == .object, let shape = member.child else { return false }
    let end = Int(value.token.next)
    var child = value.index + 1
    var last: JSONNode?
    while child < end {
      let name = value.at(child)
      guard CanonicalUUID.form(of: name.inner.span) == .canonical else { return false }
      if let last, !last.inner.lexicographicallyPrecedes(name.inner) { return false }
      last = name
      let state = value.at(child + 1)
      guard state.kind == .object, object(state, shape) else { return false }
      child = Int(state.token.next)
    }
    return true
  }
}
