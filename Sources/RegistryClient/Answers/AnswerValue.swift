import Content
import JSONText

/// One value of an answer. Members are read by name, and unknown members are ignored; a missing required member makes
/// the answer unreadable.
struct AnswerValue {
  let value: JSONValue
  /// The name of the value in messages: "the answer to GET /users/me".
  let name: String

  /// Parses a whole body.
  init(_ body: [UInt8], _ name: String) throws(RegistryError) {
    self.name = name
    do {
      value = try JSONDocument(parsing: body).root
    } catch {
      throw .unreadable("\(name) is not JSON: \(error.message)")
    }
    // A name with two values is ambiguous: other readers may take the other value.
    guard value.duplicateName == nil else { throw .unreadable("\(name) has a member twice") }
  }

  private init(value: JSONValue, name: String) {
    self.value = value
    self.name = name
  }

  /// A required member.
  subscript(_ member: String) -> AnswerValue {
    get throws(RegistryError) {
      guard let found = value[member] else { throw .unreadable("\(name) has no '\(member)'") }
      return AnswerValue(value: found, name: "'\(member)' in \(name)")
    }
  }

  /// A member that may be missing or null.
  func optional(_ member: String) -> AnswerValue? {
    guard let found = value[member], !found.isNull else { return nil }
    return AnswerValue(value: found, name: "'\(member)' in \(name)")
  }

  var string: String { get throws(RegistryError) { try need(value.string, "a text") } }
  var bool: Bool { get throws(RegistryError) { try need(value.bool, "true or false") } }
  var integer: Int64 { get throws(RegistryError) { try need(value.integer, "a whole number") } }

  /// The elements of an array.
  var elements: [AnswerValue] {
    get throws(RegistryError) {
      guard value.kind == .array else { throw .unreadable("\(name) is not a list") }
      return value.elements.map { AnswerValue(value: $0, name: "an element of \(name)") }
    }
  }

  /// A text that is an id, in lower case as registries write it.
  var id: String {
    get throws(RegistryError) {
      let text = try string
      guard CanonicalUUID.form(of: text) != .none else { throw .unreadable("\(name) is not an id") }
      return text.lowercased()
    }
  }

  /// A time.
  var time: Timestamp {
    get throws(RegistryError) {
      let text = try string
      return try need(Timestamp.parse(text)?.0, "a time")
    }
  }

  /// The type of an item, in the long form or the short one of early services.
  var contentType: ContentType {
    get throws(RegistryError) {
      switch try string {
      case "guide": .practiceGuide
      case "deck": .flashcardDeck
      case let word: try need(ContentType(rawValue: word), "a type of content")
      }
    }
  }

  /// An object, unchanged.
  var object: [UInt8] {
    get throws(RegistryError) {
      guard value.kind == .object else { throw .unreadable("\(name) is not an object") }
      return value.withNode { Array($0.raw) }
    }
  }

  private func need<Value>(_ found: Value?, _ what: String) throws(RegistryError) -> Value {
    guard let found else { throw .unreadable("\(name) is not \(what)") }
    return found
  }
}
