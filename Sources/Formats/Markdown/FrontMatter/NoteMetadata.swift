import Content
import Diagnostics
import JSONText
import YAMLText

/// The content of a note's front matter as members of a record.
struct NoteMetadata: Sendable {
  /// A record member and the front matter key from which it was read.
  struct Member: Sendable {
    let name: String
    /// The value as JSON.
    let json: [UInt8]
    /// The front matter key.
    let key: String
  }

  /// A value that cannot be used.
  struct Problem: Sendable {
    let code: DiagnosticCode
    let message: String
    let key: String
    var fix: String?
    /// Whether the problem concerns the key and not its value.
    var isAboutKey = false
  }

  /// The members of the envelope.
  private(set) var members: [Member] = []
  /// The members of `content_data`.
  private(set) var document: [Member] = []
  /// The content type that the note declares.
  private(set) var type: ContentType?
  /// The title; nil if the front matter has no title.
  private(set) var title: String?
  /// The note's other names.
  private(set) var aliases: [String] = []
  /// The record's extras, as the members of a JSON object without the braces.
  private(set) var extras: [UInt8]?
  /// The values that cannot be used.
  private(set) var problems: [Problem] = []

  /// Returns the member with a name; nil if the front matter does not have the member.
  func member(_ name: String) -> Member? { members.first { $0.name == name } }

  /// The number of `#` characters in the values of the members.
  var numberSigns: Int {
    (members + document).reduce((extras ?? []).count { $0 == UInt8(ascii: "#") }) { count, member in
      count + member.json.count { $0 == UInt8(ascii: "#") }
    }
  }

  /// Replaces the synchronization state.
  mutating func setStatus(_ status: String) {
    guard let index = members.firstIndex(where: { $0.name == "sync_status" }) else { return }
    members[index] = Member(name: "sync_status", json: Self.json(status), key: members[index].key)
  }

  /// Adds a document member unless the front matter has it.
  mutating func complete(_ name: String, _ json: [UInt8]) {
    if !document.contains(where: { $0.name == name }) { document.append(Member(name: name, json: json, key: name)) }
  }

  /// Reads the members of front matter.
  init(_ yaml: JSONDocument? = nil) {
    guard let yaml, yaml.root.kind == .object else { return }
    var found: [(key: String, value: JSONValue)] = []
    for (name, value) in yaml.root.members { found.append((name, value)) }
    for (key, value) in found {
      guard let rule = MetadataKeys.key(spelled: key), rule.kind != .contentType else { continue }
      // If a member has several keys, the key with the highest precedence counts, regardless of the order in the text.
      let better = rule.read.first == key ? [] : rule.read.prefix { $0 != key }
      if better.contains(where: { name in found.contains { $0.key == name && !$0.value.isNull } }) { continue }
      // A key without a value is ignored, except that an empty time means that the time is unknown.
      if value.isNull, rule.kind != .date { continue }
      readMember(rule, key, value)
    }
    readType(found)
    reportMisspelledKeys(found.map(\.key))
    if let value = found.first(where: { $0.key == "aliases" || $0.key == "alias" })?.value {
      aliases = Self.texts(value) ?? []
    }
  }

  // MARK: Values

  private mutating func readMember(_ rule: MetadataKey, _ key: String, _ value: JSONValue) {
    switch rule.kind {
    case .contentType: return
    case .text:
      guard let text = Self.text(value) else { return wrong(key, "must be text") }
      if rule.member == "title" {
        if text.trimmingBlanks.isEmpty { return }
        title = text
      }
      if let meant = MisspelledKeys.value(of: rule.member, text) { misspelled(key, text, meant) }
      add(rule, key, Self.json(text))
    case .tags:
      guard let tags = Self.tags(value) else { return wrong(key, "must be a list of words, or text") }
      var json = ByteBuffer(capacity: 128)
      json.append(UInt8(ascii: "["))
      for (index, tag) in tags.enumerated() {
        if index > 0 { json.append(UInt8(ascii: ",")) }
        json.appendJSONString(tag)
      }
      json.append(UInt8(ascii: "]"))
      add(rule, key, Array(json.bytes))
    case .date:
      if value.isNull { return add(rule, key, Array("null".utf8)) }
      // The member was already read from a `date` mapping.
      if member(rule.member) != nil { return }
      if key == "date", value.kind == .object { return readDates(value) }
      guard let text = Self.text(Self.inner(value)) else { return wrong(key, "must be a date") }
      guard let time = NoteDate.parse(text) else {
        let isImpossible = NoteDate.isImpossible(text)
        let what = isImpossible ? "a date that does not exist" : "which is not a complete date"
        problems.append(
          Problem(
            code: isImpossible ? .impossibleDate : .looseDate, message: "'\(key)' is \"\(text.prefix(60))\", \(what)",
            key: key))
        return
      }
      add(rule, key, Self.json(time.iso8601))
    case .bool:
      guard value.bool != nil else { return wrong(key, "must be true or false") }
      add(rule, key, Array(value.text.utf8))
    case .integer:
      guard value.integer != nil else { return wrong(key, "must be a whole number") }
      add(rule, key, Array(value.text.utf8))
    case .number:
      guard value.kind == .number else { return wrong(key, "must be a number") }
      add(rule, key, Array(value.text.utf8))
    case .json: readObject(rule, key, value)
    }
  }

  /// Reads `date` with `created` and `updated` nested below it, as in MkDocs blogs.
  private mutating func readDates(_ dates: JSONValue) {
    for rule in [MetadataKeys.created, MetadataKeys.updated] where member(rule.member) == nil {
      guard let value = dates[rule.name], let text = Self.text(value), let time = NoteDate.parse(text) else { continue }
      add(rule, "date", Self.json(time.iso8601))
    }
    if member(MetadataKeys.created.member) == nil { wrong("date", "must be a date, or a mapping with 'created'") }
  }

  /// Unwraps the value of a list in a list, which is how YAML reads `[[2026-01-05]]`.
  private static func inner(_ value: JSONValue) -> JSONValue {
    guard value.kind == .array, value.elements.count == 1, let list = value.elements.first, list.kind == .array,
      list.elements.count == 1, let inner = list.elements.first
    else { return value }
    return inner
  }

  private mutating func readObject(_ rule: MetadataKey, _ key: String, _ value: JSONValue) {
    guard value.kind == .object else { return wrong(key, "must be a mapping") }
    let text = Array(value.text.utf8)
    switch rule.home {
    case .document:
      for (name, value) in value.members {
        guard !Self.bodies.contains(name) else {
          wrong(key, "must not contain '\(name)', which belongs in the note's body")
          continue
        }
        document.append(Member(name: name, json: Array(value.text.utf8), key: key))
      }
    case .members:
      for (name, value) in value.members {
        guard !MetadataKeys.isEnvelope(name) else {
          wrong(key, "must not contain '\(name)', which has its own key")
          continue
        }
        members.append(Member(name: name, json: Array(value.text.utf8), key: key))
      }
    default:
      if rule.name == MetadataKeys.extras.name {
        extras = Array(text.dropFirst().dropLast())
      } else {
        add(rule, key, text)
      }
    }
  }

  private mutating func add(_ rule: MetadataKey, _ key: String, _ json: [UInt8]) {
    let member = Member(name: rule.member, json: json, key: key)
    if rule.home == .content { document.append(member) } else { members.append(member) }
  }

  private mutating func wrong(_ key: String, _ what: String) {
    problems.append(Problem(code: .frontMatterValue, message: "'\(key)' \(what)", key: key))
  }

  private mutating func readType(_ found: [(key: String, value: JSONValue)]) {
    for key in ["content_type", "type"] {
      guard let value = found.first(where: { $0.key == key })?.value, !value.isNull else { continue }
      if let word = Self.bareWord(value), let meant = Self.type(word) {
        type = meant
        return
      }
      let meant = Self.bareWord(value).flatMap { MisspelledKeys.type($0.replacing("-", with: "_")) }
      if key == "type", let meant, let word = Self.bareWord(value) { misspelled(key, word, meant) }
      guard key == "content_type" else { continue }
      problems.append(
        Problem(
          code: .frontMatterValue, message: "'content_type' is not a known content type", key: key,
          fix: meant.map { "content_type: \($0)" } ?? "use checklist, guide or deck"))
    }
  }

  private mutating func misspelled(_ key: String, _ text: String, _ meant: String) {
    problems.append(
      Problem(
        code: .misspelledFrontMatter, message: "'\(key)' has \"\(text.prefix(60))\"; did you mean '\(meant)'?",
        key: key,
        fix: "\(key): \(meant)"))
  }

  private mutating func reportMisspelledKeys(_ keys: [String]) {
    for key in keys.prefix(200) {
      guard let meant = MisspelledKeys.key(key, among: keys) else { continue }
      problems.append(
        Problem(
          code: .misspelledFrontMatter, message: "unknown key '\(key)'; did you mean '\(meant)'?", key: key,
          fix: "rename the key to '\(meant)'", isAboutKey: true))
    }
  }

  private static func type(_ word: String) -> ContentType? {
    // Usually, the word has FleetKit's spelling.
    if let meant = MetadataKeys.contentType(word) { return meant }
    let word = word.lowercased().replacing("-", with: "_").replacing(" ", with: "_")
    return MetadataKeys.contentType(word) ?? russianTypes[word]
  }

  /// Returns the single word of a type value: `checklist`, `[checklist]`, `"[[Checklist]]"`.
  private static func bareWord(_ value: JSONValue) -> String? {
    var value = inner(value)
    if value.kind == .array, value.elements.count == 1, let only = value.elements.first { value = only }
    guard let word = value.string else { return nil }
    return word.hasPrefix("[[") && word.hasSuffix("]]") && word.utf8.count > 4
      ? String(word.dropFirst(2).dropLast(2)) : word
  }

  private static let bodies: Set<String> = ["sections", "markdown", "cards", "checklistType"]
  private static let russianTypes: [String: ContentType] = [
    "чек_лист": .checklist, "чеклист": .checklist, "руководство": .practiceGuide, "карточки": .flashcardDeck,
    "колода": .flashcardDeck,
  ]

  /// Returns the text of a value; numbers and Booleans are returned as written.
  static func text(_ value: JSONValue) -> String? {
    switch value.kind {
    case .string: value.string
    case .number, .true, .false: value.text
    default: nil
    }
  }

  private static func texts(_ value: JSONValue) -> [String]? {
    if value.kind == .array { return value.elements.filter { !$0.isNull }.compactMap(text) }
    return text(value).map { [$0] }
  }

  private static func tags(_ value: JSONValue) -> [String]? {
    if value.kind == .array {
      let texts = value.elements.filter { !$0.isNull }.map(text)
      return texts.contains { $0 == nil } ? nil : texts.compactMap { $0.map(withoutMark) }
    }
    guard let text = text(value) else { return nil }
    let parts =
      text.contains(",") || text.contains(";")
      ? text.split { $0 == "," || $0 == ";" }.map { String($0).trimmingBlanks }
      : text.split { " \t\n\r".contains($0) }.map(String.init)
    return parts.map(withoutMark).filter { !$0.isEmpty }
  }

  private static func withoutMark(_ tag: String) -> String { tag.utf8.first == 0x23 ? String(tag.dropFirst()) : tag }

  static func json(_ text: String) -> [UInt8] {
    var json = ByteBuffer(capacity: text.utf8.count + 16)
    json.appendJSONString(text)
    return Array(json.bytes)
  }
}
