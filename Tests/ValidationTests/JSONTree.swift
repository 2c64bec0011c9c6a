import FleetKit
import TestSupport

/// A JSON value that tests can parse, change and write. Numbers stay as they were written.
indirect enum JSONTree {
  /// Any value except an array or an object, as JSON text.
  case scalar(String)
  case array([JSONTree])
  case object([(name: String, value: JSONTree)])

  init(_ value: JSONValue) {
    switch value.kind {
    case .array: self = .array(value.elements.map(JSONTree.init))
    case .object: self = .object(value.members.map { ($0.name, JSONTree($0.value)) })
    default: self = .scalar(value.text)
    }
  }

  init(parsing text: String) throws { self.init(try JSONDocument(parsing: text).root) }

  /// The value as JSON without white space.
  var text: String {
    switch self {
    case .scalar(let text): text
    case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { Self.quoted($0.name) + ":" + $0.value.text }.joined(separator: ",") + "}"
    }
  }

  /// Returns `text` as a JSON string.
  static func quoted(_ text: String) -> String {
    var out = ByteBuffer()
    out.appendJSONString(text)
    return String(decoding: out.bytes, as: UTF8.self)
  }

  /// Returns the last member with this name.
  subscript(name: String) -> JSONTree? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.name == name }?.value
  }

  /// The names of all members at any depth.
  var names: [String] {
    switch self {
    case .scalar: []
    case .array(let elements): elements.flatMap(\.names)
    case .object(let members): members.flatMap { [$0.name] + $0.value.names }
    }
  }

  var isContainer: Bool { if case .scalar = self { false } else { true } }
  var isObject: Bool { if case .object = self { true } else { false } }
  var isNull: Bool { if case .scalar("null") = self { true } else { false } }
  /// Whether the value is a string or a number.
  var isWordOrNumber: Bool {
    guard case .scalar(let text) = self else { return false }
    return !["null", "true", "false"].contains(text)
  }

  /// Returns the value with one random change somewhere inside it.
  func mutated(_ random: inout SeededRandom) -> JSONTree {
    switch self {
    case .scalar: return Self.odd(&random)
    case .array(var elements):
      if elements.isEmpty || random.below(5) == 0 {
        elements.insert(Self.odd(&random), at: random.below(elements.count + 1))
        return random.below(3) == 0 ? Self.odd(&random) : .array(elements)
      }
      let index = random.below(elements.count)
      if random.below(8) == 0 {
        elements.remove(at: index)
      } else {
        elements[index] = elements[index].changed(&random)
      }
      return .array(elements)
    case .object(var members):
      if members.isEmpty || random.below(12) == 0 {
        members.append(("zz_\(random.next())", Self.odd(&random)))
        return .object(members)
      }
      // Most mistakes are possible only at greater depth.
      let inner = members.indices.filter { members[$0].value.isContainer }
      let index = inner.isEmpty || random.below(2) == 0 ? random.below(members.count) : random.pick(inner)
      switch random.below(members[index].value.isContainer ? 40 : 10) {
      case 0, 1: members.remove(at: index)
      case 2: members[index].name = "zz_\(random.next())"
      default: members[index].value = members[index].value.changed(&random)
      }
      return .object(members)
    }
  }

  /// Returns the value with a change inside it, or a replacement for the whole value.
  private func changed(_ random: inout SeededRandom) -> JSONTree {
    switch random.below(isContainer ? 20 : 6) {
    case 0: Self.odd(&random)
    case 1: .array([self])
    default: mutated(&random)
    }
  }

  /// Returns all versions of the value in which one inner value is replaced by an odd value, wrapped, or left out.
  func everyChange() -> [JSONTree] {
    switch self {
    case .scalar: return []
    case .array(let elements):
      return elements.indices.flatMap { index in
        Self.replacements(for: elements[index]).map { value in
          var changed = elements
          changed[index] = value
          return .array(changed)
        } + [.array(Array(elements[..<index] + elements[(index + 1)...]))]
      }
    case .object(let members):
      return members.indices.flatMap { index in
        Self.replacements(for: members[index].value).map { value in
          var changed = members
          changed[index].value = value
          return .object(changed)
        } + [.object(Array(members[..<index] + members[(index + 1)...]))]
      }
    }
  }

  private static func replacements(for value: JSONTree) -> [JSONTree] {
    odd.compactMap { try? JSONTree(parsing: $0) } + [.array([value])] + value.everyChange()
  }

  /// Values that are valid in some positions and invalid in others.
  private static let odd = [
    "null", "null", "true", "false", "0", "5", "-3", "7.5", "1e1", "7.0", "9223372036854775807",
    "9223372036854775808",
    "\"\"", "\"text\"", "\"5\"", "\"true\"", "[]", "{}", "[null]", "[\"a\",5]", "[{}]", "{\"checked\":1}",
    "\"2026-01-05\"", "\"2026-1-5\"", "\" 2026-01-05 9:05 \"", "\"2026-01-05T10:11:12.123456+03:00\"",
    "\"2026-01-05T10:11:12Z\"", "\"2026-01-05 10:11:12,5 z\"", "\"2026-13-05\"", "\"2026-01-05T24:00:00Z\"",
    "\"2026-01-05T10\"", "\"2026-01-05x\"", "\"2026-01-05T10:11:12+3\"", "\"2026-01-05t10:11+0300\"", "\"26-01-05\"",
    "\"item\"", "\"charter\"", "\"weather_note\"", "\"foreign\"", "\"checklist\"", "\"guide\"", "\"deck\"",
    "\"flashcard_deck\"",
    "\"9b2c0a54-0b7e-4c5d-8a51-6d1f0c3e7a10\"", "\"private\"", "\"é😀\\u0416\"",
  ]

  static func odd(_ random: inout SeededRandom) -> JSONTree {
    (try? JSONTree(parsing: random.pick(odd))) ?? .scalar("null")
  }
}
