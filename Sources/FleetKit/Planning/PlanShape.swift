import FleetKitCore

/// What the objects of a plan have: which members, and of what sort.
struct PlanShape: Sendable {
  /// What a member may say.
  enum Sort: Sendable {
    case text, optionalText, hash, optionalHash, size, optionalSize, path, pointer, anything, object, list(PlanShape)
    case word([String])

    /// What is wrong with a value, in words; nil when nothing is.
    func complaint(_ value: JSONValue) -> String? {
      switch self {
      case .text: return value.string == nil ? "a text is due" : nil
      case .optionalText: return value.isNull || value.string != nil ? nil : "a text or null is due"
      case .path: return value.string?.utf8.first == UInt8(ascii: "/") ? nil : "an absolute path is due"
      case .pointer:
        guard let text = value.string, text.isEmpty || text.utf8.first == UInt8(ascii: "/") else {
          return "a JSON Pointer is due"
        }
        return nil
      case .hash: return Self.isHash(value.string) ? nil : "64 hexadecimal digits are due"
      case .optionalHash:
        return value.isNull || Self.isHash(value.string) ? nil : "64 hexadecimal digits or null are due"
      case .size: return value.integer.map { $0 >= 0 } ?? false ? nil : "a number, not below 0, is due"
      case .optionalSize:
        return value.isNull || value.integer.map { $0 >= 0 } ?? false ? nil : "a number, not below 0, or null is due"
      case .anything: return nil
      case .object: return value.kind == .object ? nil : "an object is due"
      case .word(let words): return value.string.map(words.contains) ?? false ? nil : "a word that plans know is due"
      case .list(let shape):
        guard value.kind == .array else { return "a list is due" }
        for (index, element) in value.elements.enumerated() {
          if let (pointer, why) = shape.complaint(element) { return "at /\(index)\(pointer): \(why)" }
        }
        return nil
      }
    }

    private static func isHash(_ text: String?) -> Bool {
      guard let text, text.utf8.count == 64 else { return false }
      return text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 >= 0x61 && $0 <= 0x66 }
    }
  }

  let required: [String: Sort]
  var optional: [String: Sort] = [:]

  /// Where an object is not as it must be, from its own place, and what is wrong there.
  func complaint(_ value: JSONValue) -> (pointer: String, why: String)? {
    guard value.kind == .object else { return ("", "an object is due") }
    if let twice = value.duplicateName { return ("", "the member \(twice.text) occurs twice") }
    var seen = Set<String>()
    for (name, member) in value.members {
      guard let sort = required[name] ?? optional[name] else { return ("/" + name, "plans have no such member") }
      seen.insert(name)
      if let why = sort.complaint(member) { return ("/" + name, why) }
    }
    return required.keys.filter { !seen.contains($0) }.min().map { ("", "the member \"\($0)\" is missing") }
  }

  static let library = PlanShape(required: [
    "path": .path, "size": .optionalSize, "sha256": .optionalHash, "run": .optionalSize,
  ])
  static let source = PlanShape(required: ["path": .path, "size": .size, "sha256": .hash])
  static let loss = PlanShape(required: ["kind": .text, "id": .text, "field": .text, "reason": .text])
  static let change = PlanShape(
    required: [
      "action": .word(["create", "update", "beside", "conflict", "reject", "keep", "gone", "rename"]), "kind": .text,
      "id": .text, "title": .optionalText, "place": .text, "before": .optionalHash, "after": .optionalHash,
    ],
    optional: [
      "type": .text, "source_id": .text, "fields": .list(field), "rows": .size, "code": .text, "reason": .text,
    ])
  private static let field = PlanShape(
    required: ["pointer": .pointer, "label": .text], optional: ["from": .anything, "to": .anything])
}
