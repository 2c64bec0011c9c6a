import Content
import JSONText

/// One JSON value of an answer. Members are read by name, and unknown members are ignored; a missing required member
/// makes the answer unreadable.
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
    // A name with two values is ambiguous: another reader may use the other value.
    guard value.duplicateName == nil else { throw .unreadable("\(name) has a duplicate member") }
  }

  private init(value: JSONValue, name: String) {
    self.value = value
    self.name = name
  }

  /// Returns a required member.
  subscript(_ member: String) -> AnswerValue {
    get throws(RegistryError) {
      guard let found = value[member] else { throw .unreadable("\(name) has no '\(member)'") }
      return AnswerValue(value: found, name: "'\(member)' in \(name)")
    }
  }

  /// Returns a member that may be missing; nil if it is missing or null.
  func optional(_ member: String) -> AnswerValue? {
    guard let found = value[member], !found.isNull else { return nil }
    return AnswerValue(value: found, name: "'\(member)' in \(name)")
  }

  var string: String { get throws(RegistryError) { try need(value.string, "a string") } }
  var bool: Bool { get throws(RegistryError) { try need(value.bool, "true or false") } }
  var integer: Int64 { get throws(RegistryError) { try need(value.integer, "a whole number") } }

  /// The elements of an array.
  var elements: [AnswerValue] {
    get throws(RegistryError) {
      guard value.kind == .array else { throw .unreadable("\(name) is not a list") }
      return value.elements.map { AnswerValue(value: $0, name: "an element of \(name)") }
    }
  }

  /// The value as an id, in lower case as registries write it.
  var id: String {
    get throws(RegistryError) {
      let text = try string
      guard CanonicalUUID.form(of: text) != .none else { throw .unreadable("\(name) is not an id") }
      return text.lowercased()
    }
  }

  /// The value as a time.
  var time: Timestamp {
    get throws(RegistryError) {
      let text = try string
      return try need(Timestamp.parse(text)?.0, "a time")
    }
  }

  /// The value as a content type, in the long form or in the short form of early services.
  var contentType: ContentType {
    get throws(RegistryError) {
      switch try string {
      case "guide": .practiceGuide
      case "deck": .flashcardDeck
      case let word: try need(ContentType(rawValue: word), "a content type")
      }
    }
  }

  /// The value as an object, unchanged.
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

/// Reads digests from HTTP headers.
enum DigestHeader {
  /// Returns the digest inside `"…"`, even from a weak tag that a proxy made; nil for a tag that is not a digest.
  static func digest(_ tag: String?) -> String? {
    guard var tag = tag?[...] else { return nil }
    if tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
    guard tag.count >= 2, tag.first == "\"", tag.last == "\"" else { return nil }
    let digest = String(tag.dropFirst().dropLast())
    return isDigest(digest) ? digest : nil
  }

  /// Returns the digest in `sha-256=:…:`, in hexadecimal; nil for another algorithm.
  /// - Source: RFC 9530.
  static func digest(contentDigest field: String?) -> String? {
    guard let field, let start = field.firstRange(of: "sha-256=:") else { return nil }
    let text = field[start.upperBound...].prefix { $0 != ":" }
    guard let bytes = base64(String(text)), bytes.count == 32 else { return nil }
    return hexadecimal(bytes)
  }

  /// Whether a string is a SHA-256 digest in lower-case hexadecimal.
  static func isDigest(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  private static func base64(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var held: UInt32 = 0
    var bits = 0
    for byte in text.utf8 where byte != UInt8(ascii: "=") {
      let value: UInt8
      switch byte {
      case 0x41...0x5A: value = byte - 0x41
      case 0x61...0x7A: value = byte - 0x61 + 26
      case 0x30...0x39: value = byte - 0x30 + 52
      case UInt8(ascii: "+"), UInt8(ascii: "-"): value = 62
      case UInt8(ascii: "/"), UInt8(ascii: "_"): value = 63
      default: return nil
      }
      held = held << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: held >> UInt32(bits)))
      }
    }
    return bytes
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    var text = ""
    for byte in bytes { text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    return text
  }
}
