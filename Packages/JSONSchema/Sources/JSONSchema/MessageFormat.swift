import JSONText

/// Formats values, types and formats for messages.
enum MessageFormat {
  /// The largest number of allowed values that a message lists.
  static let mostChoices = 12

  /// Returns the name of the value at a path for a message, such as `'title'`, `item 3 of 'steps'` or `the value`.
  static func subject<Path: BidirectionalCollection>(_ path: Path) -> String where Path.Element == JSONPointer.Step {
    switch path.last {
    case nil: "the value"
    case .member(let name): "'\(shortened(name))'"
    case .element(let index): "item \(index + 1)" + (path.count > 1 ? " of \(subject(path.dropLast()))" : "")
    }
  }

  /// Returns the names of the types in a set, such as `a whole number or null`.
  static func types(_ types: UInt8) -> String {
    var words: [String] = []
    func add(_ kind: JSONToken.Kind, _ word: String) {
      if types & 1 << kind.rawValue != 0 { words.append(word) }
    }
    add(.string, "a string")
    add(.number, "a number")
    if types & SchemaNode.wholeNumber != 0, types & 1 << JSONToken.Kind.number.rawValue == 0 {
      words.append("a whole number")
    }
    add(.object, "an object")
    add(.array, "an array")
    add(.true, "true")
    add(.false, "false")
    add(.null, "null")
    guard words.count > 1, let last = words.popLast() else { return words.first ?? "absent" }
    return words.joined(separator: ", ") + " or " + last
  }

  /// Returns whether a value has one of the types in a set.
  static func allows(_ types: UInt8, _ value: JSONNode) -> Bool {
    if types & 1 << value.kind.rawValue != 0 { return true }
    return value.kind == .number && types & SchemaNode.wholeNumber != 0 && value.integer != nil
  }

  /// Returns a fix that writes a value of the wrong type with an allowed type, or nil if that is impossible.
  static func typeFix(_ types: UInt8, _ value: JSONNode) -> String? {
    let wantsNumber = types & (SchemaNode.wholeNumber | 1 << JSONToken.Kind.number.rawValue) != 0
    switch value.kind {
    case .string:
      guard value.raw.count <= 80 else { return nil }
      let text = value.string ?? ""
      if wantsNumber {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let rest = text.dropFirst(digits.count)
        guard !digits.isEmpty, digits.count < 16, digits == "0" || digits.first != "0",
          rest.allSatisfy({ $0.isLetter || $0 == " " })
        else { return nil }
        return "write \(digits)"
      }
      let wantsBool = types & 1 << JSONToken.Kind.true.rawValue != 0
      return wantsBool && (text == "true" || text == "false") ? "write \(text) without quotes" : nil
    case .number, .true, .false:
      return types & 1 << JSONToken.Kind.string.rawValue != 0 ? "write \"\(value.excerpt)\"" : nil
    default: return nil
    }
  }

  /// Returns a phrase for the text that a format requires.
  static func format(_ name: String) -> String {
    switch name {
    case "date-time": "a date and time like 2026-01-05T10:11:12Z"
    case "date": "a date like 2026-01-05"
    case "time": "a time with its offset like 10:11:12Z"
    case "duration": "a duration like PT1H30M"
    case "email", "idn-email": "an e-mail address"
    case "hostname", "idn-hostname": "a host name"
    case "ipv4": "an IPv4 address"
    case "ipv6": "an IPv6 address"
    case "uri", "iri": "a full address with its scheme, like https://example.org"
    case "uri-reference", "iri-reference": "an address, full or relative"
    case "uri-template": "a URI template"
    case "uuid": "a UUID"
    case "regex": "a regular expression"
    case "json-pointer": "a JSON pointer"
    case "relative-json-pointer": "a relative JSON pointer"
    default: "text in the format '\(name)'"
    }
  }

  /// Shortens text that is too long for a message.
  ///
  /// The limit counts scalars, because a character may have any number of combining marks.
  static func shortened(_ text: String) -> String {
    if text.utf8.count <= 60 { return text }
    let scalars = text.unicodeScalars
    return scalars.prefix(61).count > 60 ? String(String.UnicodeScalarView(scalars.prefix(57))) + "…" : text
  }
}

extension JSONNode {
  /// The name of the value's JSON type.
  var kindName: String {
    switch kind {
    case .null: "null"
    case .true: "true"
    case .false: "false"
    case .number: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }

  /// The value as written, shortened if it is long.
  var excerpt: String {
    let raw = raw
    if raw.count <= 60 { return String(decoding: raw, as: UTF8.self) }
    // The cut is never inside a character.
    var end = 57
    while end > 0, raw[end] & 0xC0 == 0x80 { end -= 1 }
    return String(decoding: raw[..<end], as: UTF8.self) + "…"
  }

  /// A scalar value as written; for an array or object, the name of its kind.
  var shortLabel: String { kind == .array || kind == .object ? kindName : excerpt }
}

/// Finds the intended words for the first twenty unknown words of a value. A value with more unknown words does not
/// have mere misspellings, and comparing each word with every known word takes time.
struct MisspellingFinder {
  /// The largest number of candidates with which a word is compared.
  static let mostCandidates = 500
  /// The length in scalars of the longest word that is compared.
  private static let longest = 64
  /// The largest number of words that are looked up, with or without finding a suggestion.
  private static let mostWords = 20

  private var words = 0
  /// The number of pairs of scalars that were compared.
  private(set) var steps = 0

  /// Returns the candidate that differs least from `word`, or nil if all differ too much.
  ///
  /// Capitals, `_` and `-` are ignored, so `contentType` is near `content_type`.
  mutating func nearest(to word: String, among candidates: [String]) -> String? {
    guard words < Self.mostWords, !candidates.isEmpty, let wanted = EditDistance.plain(word, longest: Self.longest),
      !wanted.isEmpty
    else { return nil }
    words += 1
    let allowed = max(1, wanted.count / 3)
    var best: (distance: Int, candidate: String)?
    for candidate in candidates.prefix(Self.mostCandidates) {
      guard let other = EditDistance.plain(candidate, longest: Self.longest),
        abs(other.count - wanted.count) <= allowed
      else { continue }
      steps += wanted.count * other.count
      let distance = EditDistance.between(wanted, other)
      if distance <= allowed, distance < best?.distance ?? Int.max { best = (distance, candidate) }
    }
    return best?.candidate
  }
}
