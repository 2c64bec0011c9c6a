import JSONText
import TestTools

/// A JSON value that tests mutate at random.
indirect enum Tree {
  /// Any value except arrays and objects, as written.
  case leaf(String)
  case array([Tree])
  case object([(name: String, value: Tree)])

  init(_ value: JSONValue) {
    switch value.kind {
    case .array: self = .array(value.elements.map { Tree($0) })
    case .object: self = .object(value.members.map { ($0.name, Tree($0.value)) })
    default: self = .leaf(value.text)
    }
  }

  /// The value as JSON.
  var text: String {
    switch self {
    case .leaf(let text): text
    case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { "\(Self.quoted($0.name)): \($0.value.text)" }.joined(separator: ", ") + "}"
    }
  }

  private static func quoted(_ name: String) -> String {
    var buffer = ByteBuffer()
    buffer.appendJSONString(name)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }

  /// Replacement values: edge cases of many rules.
  static let pool = [
    "null", "true", "false", "0", "1", "-1", "1.0", "2", "3", "4.5", "1e2", "100000000000000000000", "0.1", "12",
    "\"\"", "\"a\"", "\"ab\"", "\"é\"", "\"\\u00e9\"", "\"😀\"", "\"\\ud83d\\ude00\"", "\"x-1\"", "\"checklist\"",
    "\"2026-01-05\"", "[]", "[1]", "[1, 1.0]", "[1, 2, 3]", "[\"a\", \"a\"]", "{}", "{\"a\": 1}", "{\"kind\": \"b\"}",
  ]
  static let names = ["a", "b", "c", "kind", "title", "x-1", "items", "next"]

  /// Returns this value with one change somewhere inside it.
  func mutated(_ random: inout SeededRandom) -> Tree {
    switch self {
    case .array(var elements) where !elements.isEmpty && random.below(4) > 0:
      let index = random.below(elements.count)
      elements[index] = elements[index].mutated(&random)
      return .array(elements)
    case .object(var members) where !members.isEmpty && random.below(4) > 0:
      let index = random.below(members.count)
      members[index].value = members[index].value.mutated(&random)
      return .object(members)
    default: return changed(&random)
    }
  }

  private func changed(_ random: inout SeededRandom) -> Tree {
    switch self {
    case .array(var elements):
      switch random.below(4) {
      case 0 where !elements.isEmpty: elements.remove(at: random.below(elements.count))
      case 1 where !elements.isEmpty: elements.append(random.pick(elements))
      case 2: elements.append(.leaf(random.pick(Self.pool)))
      default: return .leaf(random.pick(Self.pool))
      }
      return .array(elements)
    case .object(var members):
      switch random.below(6) {
      case 0...1 where !members.isEmpty: members.remove(at: random.below(members.count))
      case 2 where !members.isEmpty:
        let name = random.pick(Self.names)
        if !members.contains(where: { $0.name == name }) { members[random.below(members.count)].name = name }
      case 3 where members.count > 1: members.swapAt(0, random.below(members.count))
      case 4:
        let name = random.pick(Self.names)
        if !members.contains(where: { $0.name == name }) { members.append((name, .leaf(random.pick(Self.pool)))) }
      default: return .leaf(random.pick(Self.pool))
      }
      return .object(members)
    case .leaf: return .leaf(random.pick(Self.pool))
    }
  }
}
