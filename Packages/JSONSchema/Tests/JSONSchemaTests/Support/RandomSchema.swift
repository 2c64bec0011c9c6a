import TestTools

/// A generator of small random schemas. It uses few names and values, so that keywords interact often.
struct RandomSchema {
  private var random: SeededRandom
  private let names = ["a", "b", "c"]

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// Returns a schema whose references refer to its own `$defs`.
  mutating func schema() -> String {
    let definitions = ["x", "y"].map { "\"\($0)\": \(leafSchema())" }.joined(separator: ", ")
    let tree = """
      "t": {"$id": "tree", "$dynamicAnchor": "node", "type": ["object", "array", "integer"], \
      "properties": {"a": {"$dynamicRef": "#node"}}, "items": {"$dynamicRef": "#node"}}
      """
    let anchor = random.below(3) == 0 ? "\"$dynamicAnchor\": \"node\", " : ""
    let body = object(depth: 3)
    return "{\"$id\": \"https://example.org/root\", \(anchor)\"$defs\": {\(definitions), \(tree)}, \(body.dropFirst())"
  }

  private mutating func subschema(_ depth: Int) -> String {
    if depth <= 0 || random.below(4) == 0 { return leafSchema() }
    return object(depth: depth)
  }

  private mutating func leafSchema() -> String {
    switch random.below(12) {
    case 0: return "true"
    case 1: return "false"
    case 2:
      return "{\"type\": \"\(random.pick(["integer", "number", "string", "object", "array", "null", "boolean"]))\"}"
    case 3: return "{\"const\": \(random.pick(Tree.pool))}"
    case 4: return "{\"enum\": [\(random.pick(Tree.pool)), \(random.pick(Tree.pool))]}"
    case 5: return "{\"minimum\": \(random.pick(["0", "1", "1.5", "1e2"]))}"
    case 6: return "{\"multipleOf\": \(random.pick(["1", "2", "0.5", "0.1", "3"]))}"
    case 7: return "{\"minLength\": \(random.below(3)), \"maxLength\": \(random.below(4))}"
    case 8: return "{\"pattern\": \"\(random.pick(["^a", "b$", "^[a-z]+$"]))\"}"
    case 9: return "{\"type\": [\"integer\", \"string\"]}"
    case 10: return "{\"required\": [\"\(random.pick(names))\"]}"
    default: return "{}"
    }
  }

  private mutating func object(depth: Int) -> String {
    var keywords: [String: String] = [:]
    for _ in 0...random.below(4) {
      let (keyword, value) = keyword(depth - 1)
      keywords[keyword] = value
    }
    return "{" + keywords.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ") + "}"
  }

  private mutating func list(_ depth: Int) -> String {
    "[" + (0...random.below(3)).map { _ in subschema(depth) }.joined(separator: ", ") + "]"
  }

  private mutating func map(_ depth: Int) -> String {
    var members: [String] = []
    for name in names where random.below(2) == 0 { members.append("\"\(name)\": \(subschema(depth))") }
    return "{" + members.joined(separator: ", ") + "}"
  }

  private mutating func keyword(_ depth: Int) -> (String, String) {
    switch random.below(30) {
    case 0: return ("allOf", list(depth))
    case 1: return ("anyOf", list(depth))
    case 2: return ("oneOf", list(depth))
    case 3: return ("not", subschema(depth))
    case 4: return ("if", subschema(depth))
    case 5: return ("then", subschema(depth))
    case 6: return ("else", subschema(depth))
    case 7, 8, 9: return ("properties", map(depth))
    case 10: return ("patternProperties", "{\"^\(random.pick(names))\": \(subschema(depth))}")
    case 11: return ("additionalProperties", subschema(depth))
    case 12, 13, 14: return ("unevaluatedProperties", random.below(2) == 0 ? "false" : subschema(depth))
    case 15: return ("propertyNames", leafSchema())
    case 16: return ("items", subschema(depth))
    case 17: return ("prefixItems", list(depth))
    case 18, 19: return ("unevaluatedItems", random.below(2) == 0 ? "false" : subschema(depth))
    case 20: return ("contains", leafSchema())
    case 21: return ("minContains", "\(random.below(3))")
    case 22: return ("maxContains", "\(random.below(3))")
    case 23: return ("uniqueItems", "true")
    case 24: return ("dependentSchemas", map(depth))
    case 25: return ("dependentRequired", "{\"a\": [\"\(random.pick(names))\"]}")
    case 26: return ("$ref", "\"#/$defs/\(random.pick(["x", "y", "t"]))\"")
    case 27: return ("$ref", "\"tree\"")
    case 28: return ("minProperties", "\(random.below(3))")
    default: return ("maxItems", "\(random.below(4))")
    }
  }

  /// Returns a document that uses the same names and values as the schemas.
  mutating func document(depth: Int = 3) -> String {
    switch random.below(depth > 0 ? 6 : 2) {
    case 0, 1: return random.pick(Tree.pool)
    case 2: return "[" + (0..<random.below(4)).map { _ in document(depth: depth - 1) }.joined(separator: ", ") + "]"
    default:
      var members: [String] = []
      for name in names where random.below(2) == 0 { members.append("\"\(name)\": \(document(depth: depth - 1))") }
      return "{" + members.joined(separator: ", ") + "}"
    }
  }
}
