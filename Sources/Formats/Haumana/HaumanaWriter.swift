import Content
import Foundation
import Interchange
import JSONText

/// Writes a Haumana export document with guides as pieces, practice sessions, and the user.
///
/// Memory is bounded by a record. Sessions are kept in a temporary file until all pieces are written.
///
/// - Source: formats/haumana.md, "What is written"
final class HaumanaWriter: ContentWriter {
  private let file: OutputFile
  private let sink: ByteSink
  private let losses: LossLog
  private let sessions: LineSpool
  private var pieces = 0
  private var user: [UInt8]?
  private var head: [UInt8]?
  private var out = ByteBuffer(capacity: 1 << 16)
  private var tape = JSONTape(capacity: 1024)

  init(_ target: Target, context: RunContext) throws {
    losses = context.losses
    sessions = try LineSpool()
    file = try OutputFile(target)
    sink = ByteSink(descriptor: file.descriptor, name: target.path)
    out.append("{\"exportVersion\":\"1.0\",\"pieces\":[")
  }

  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    for (index, slot) in batch.slots.enumerated() {
      let line = batch.line(slot)
      tape.removeAll()
      guard let parse = try? tape.parse(line.span), let base = line.baseAddress else {
        throw RunFailure(.internalError, "a record is not JSON", advice: "Please report this.")
      }
      let node = JSONNode(text: base, tokens: tape.tokens, index: parse.root)
      if try write(node, slot.kind) {
        tally[slot.kind].created += 1
      } else {
        let reason = SkipReason.notInApp("Haumana", has: "texts to practise and practice sessions")
        if !Self.isDeckOfPiece(node) {
          losses.record(
            slot.kind, id: Record(batch: batch, index: index).id, field: "", reason: .skipped(reason))
        }
        tally[slot.kind].skipped[reason, default: 0] += 1
      }
      if out.count > 1 << 15 { try flush() }
    }
  }

  /// Whether a deck was made from a piece and is therefore already in the export.
  static func isDeckOfPiece(_ record: JSONNode) -> Bool {
    record.member("extras")?.member("haumana")?.member("deckOf") != nil
  }

  func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    out.append("],\"practiceSessions\":[")
    try sessions.rewind()
    var isFirst = true
    while try sessions.advance() {
      if !isFirst { out.append(UInt8(ascii: ",")) }
      isFirst = false
      out.append(sessions.line.span)
      if out.count > 1 << 15 { try flush() }
    }
    out.append("]")
    if let user {
      out.append(",\"user\":")
      out.append(user.span)
    }
    if let head { out.append(head.span) }
    out.append("}\n")
    try flush()
    try sink.flush()
  }

  func finish() throws -> Int { try file.publish() }

  func abort() { file.discard() }

  private func flush() throws {
    try sink.write(out.bytes.span)
    out.removeAll()
  }

  // MARK: Records

  /// Writes a record. Returns false if Haumana has no objects of the record's kind.
  private func write(_ record: JSONNode, _ kind: RecordKind) throws -> Bool {
    switch kind {
    case .item where record.member("content_type")?.equals("practice_guide") == true:
      if pieces > 0 { out.append(UInt8(ascii: ",")) }
      pieces += 1
      let piece = HaumanaPiece(record)
      piece.reportLosses(record, to: losses)
      piece.write(into: &out)
      return true
    case .practiceSession:
      var line = ByteBuffer(capacity: 512)
      HaumanaSession.write(record, into: &line)
      try sessions.append(line.bytes.span)
      return true
    case .foreign where record.member("system")?.equals("haumana") == true:
      guard let raw = record.member("raw") else { return false }
      if record.member("type")?.equals("user") == true, user == nil {
        user = Array(raw.raw)
        return true
      }
      guard record.member("type")?.equals("item") == true, raw.member("exportDate") != nil, head == nil else {
        return false
      }
      var members = ByteBuffer(capacity: 256)
      raw.forEachMember { name, value in
        if name.equals("exportVersion") { return }
        members.append(UInt8(ascii: ","))
        members.append(name.raw.span)
        members.append(UInt8(ascii: ":"))
        members.append(value.raw.span)
      }
      head = members.copy(0..<members.count)
      return true
    default: return false
    }
  }
}

/// A guide as a piece: the attributes that the guide was read with, and later changes.
struct HaumanaPiece {
  /// The attributes under their cloud names.
  private(set) var fields: [(name: String, json: [UInt8])]
  private let category: String
  /// Whether reading the piece would give a guide with the same text.
  private let isTextWhole: Bool

  init(_ item: JSONNode) {
    let own = item.member("extras")?.member("haumana")
    var fields: [(name: String, json: [UInt8])] = []
    func set(_ name: String, _ json: [UInt8]?) {
      guard let json, !json.elementsEqual("null".utf8) else { return }
      fields.append((name, json))
    }
    set("pieceId", item.member("id").map { Array($0.raw) })
    set("title", item.member("title").map { Array($0.raw) })
    set("createdAt", item.member("created_at").map { Array($0.raw) })
    set("modifiedAt", item.member("updated_at").map { Array($0.raw) })
    let texts = Self.texts(of: item, own)
    isTextWhole = Self.markdown(texts).elementsEqual(
      (item.member("content_data")?.member("markdown")?.string ?? "").utf8)
    category = own?.member("category")?.string ?? Self.category(item)
    for (name, text) in texts { set(name, text.map(Self.json)) }
    set("language", item.member("language").map { Array($0.raw) })
    let held = Set(fields.map(\.name) + texts.map(\.0) + ["id", "updatedAt", "type"])
    if own?.member("category") == nil { set("category", Self.json(category)) }
    own?.forEachMember { name, value in
      guard let name = name.string, !held.contains(name) else { return }
      set(name, Array(value.raw))
    }
    item.member("extras")?.member("haumana_phone")?.forEachMember { name, value in
      if let name = name.string, !held.contains(name) { set(name, Array(value.raw)) }
    }
    self.fields = fields
  }

  /// Changes the piece as the app's upload does. The version is increased by one, the sync time is set to the current
  /// time, and so is the modification time if the piece was changed on the phone.
  /// - Returns: false if the piece's version is not an integer that can be increased.
  mutating func markUploaded(at now: Timestamp) -> Bool {
    let version = fields.first { $0.name == "version" }.map { String(decoding: $0.json, as: UTF8.self) } ?? "0"
    guard let number = Int64(version), number < .max else { return false }
    let isModified = fields.contains { $0.name == "locallyModified" && $0.json.elementsEqual("true".utf8) }
    let time = Self.json(now.iso8601)
    replace("version", with: Array(String(number + 1).utf8))
    replace("lastSyncedAt", with: time)
    if isModified { replace("modifiedAt", with: time) }
    replace("locallyModified", with: Array("false".utf8))
    return true
  }

  private mutating func replace(_ name: String, with json: [UInt8]) {
    if let index = fields.firstIndex(where: { $0.name == name }) {
      fields[index].json = json
    } else {
      fields.append((name, json))
    }
  }

  /// Appends the piece as JSON.
  /// - Parameter isForCloud: whether attributes that only the phone has are left out.
  func write(into out: inout ByteBuffer, isForCloud: Bool = false) {
    out.append(UInt8(ascii: "{"))
    for (index, field) in fields.filter({ !isForCloud || $0.name != HaumanaDrafts.phoneAttribute.rawValue })
      .enumerated()
    {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      out.appendJSONString(field.name)
      out.append(UInt8(ascii: ":"))
      out.append(field.json.span)
    }
    out.append(UInt8(ascii: "}"))
  }

  /// Reports the values for which a piece has no attribute as losses.
  func reportLosses(_ item: JSONNode, to losses: LossLog) {
    let id = item.member("id")?.string ?? ""
    func lose(_ path: String) {
      losses.record(
        .item, id: id, field: path,
        reason: .skipped(.notInApp("Haumana", has: "texts to practise and practice sessions"))
      )
    }
    item.forEachMember(of: Shapes.item, beyond: Self.held) { name, _ in lose("/" + (name.string ?? "")) }
    item.member("extras")?.forEachMember { name, value in
      if !name.equals("haumana"), !name.equals("haumana_phone") { lose("/extras/" + (name.string ?? "")) }
    }
    var tags: [String] = []
    item.member("tags")?.forEachElement { tags.append($0.string ?? "") }
    if tags != [category] { lose("/tags") }
    guard let document = item.member("content_data"), document.kind == .object else { return lose("/content_data") }
    document.forEachMember(of: Shapes.practiceGuide, beyond: ["markdown"], repeating: item) { name, value in
      if !name.equals("tags"), !name.equals("syncStatus") || !value.equals("pending") {
        lose("/content_data/" + (name.string ?? ""))
      }
    }
    if !isTextWhole { lose("/content_data/markdown") }
  }

  private static let held: Set<String> = [
    "kind", "id", "content_type", "title", "tags", "language", "created_at", "updated_at", "content_data", "extras",
  ]

  private static func json(_ text: String) -> [UInt8] {
    var json = ByteBuffer(capacity: text.utf8.count + 2)
    json.appendJSONString(text)
    return json.copy(0..<json.count)
  }

  private static func category(_ item: JSONNode) -> String {
    var category: String?
    item.member("tags")?.forEachElement { tag in
      if category == nil, let tag = tag.string, tag == "oli" || tag == "mele" { category = tag }
    }
    return category ?? "mele"
  }

  /// Returns the lyrics, the translation and the notes. If the guide's text still matches the piece that it was read
  /// from, these are the piece's texts. Otherwise they are taken from the guide's sections.
  private static func texts(of item: JSONNode, _ own: JSONNode?) -> [(String, String?)] {
    let markdown = item.member("content_data")?.member("markdown")?.string ?? ""
    let original = HaumanaMarkdown.sections.map {
      ($0.attribute.rawValue, own?.member(named: $0.attribute.rawValue)?.string)
    }
    if own != nil, Self.markdown(original).elementsEqual(markdown.utf8) { return original }
    return sections(of: markdown)
  }

  /// Returns the Markdown that results from reading these texts as a guide.
  private static func markdown(_ texts: [(String, String?)]) -> [UInt8] {
    var all = TextAssembly(tracksPlaces: false)
    for ((heading, _), (_, value)) in zip(HaumanaMarkdown.sections, texts) {
      guard let value, value.contains(where: { !$0.isWhitespace }) else { continue }
      HaumanaMarkdown.append(
        SourcedText(bytes: Array(value.utf8), range: 0..<value.utf8.count), under: heading, into: &all)
    }
    return all.text(0..<0).bytes
  }

  /// Returns the sections of a guide that was written or changed elsewhere. Text before the first section becomes the
  /// lyrics, and sections with other names are added to the notes.
  private static func sections(of markdown: String) -> [(String, String?)] {
    var texts: [String: [String]] = [:]
    var current = "lyrics"
    for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
      let plain = line.hasSuffix("\r") ? line.dropLast() : line
      if plain.hasPrefix("## ") {
        let heading = plain.dropFirst(3).trimmingCharacters(in: .whitespaces)
        if let known = HaumanaMarkdown.sections.first(where: { "\($0.heading)" == heading }) {
          current = known.attribute.rawValue
          continue
        }
        current = "notes"
      }
      texts[current, default: []].append(unescaped(plain))
    }
    return HaumanaMarkdown.sections.map { section in
      let name = section.attribute.rawValue
      let text = texts[name]?.joined(separator: "\n").trimmingCharacters(in: .newlines)
      return (name, section.attribute == .lyrics ? text ?? "" : text)
    }
  }

  /// Returns a Markdown line as it is displayed, without the line break mark and without escapes.
  private static func unescaped(_ line: Substring) -> String {
    var text = ""
    var isEscape = false
    for scalar in line.unicodeScalars {
      if !isEscape, scalar == "\\" {
        isEscape = true
        continue
      }
      if isEscape,
        !(scalar.isASCII && scalar.properties.generalCategory != .uppercaseLetter
          && !scalar.properties.isAlphabetic && scalar.properties.numericType == nil && scalar != " ")
      {
        text += "\\"
      }
      isEscape = false
      text.unicodeScalars.append(scalar)
    }
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }
}

/// Writes practice sessions in Haumana's form.
enum HaumanaSession {
  /// Writes a session. A session from Haumana is written with its attributes unchanged; for any other session, its
  /// values are written.
  static func write(_ record: JSONNode, into out: inout ByteBuffer) {
    if let raw = record.member("raw"), raw.member("sessionId") != nil { return out.append(raw.raw.span) }
    let names: [(name: StaticString, own: StaticString)] = [
      ("\"sessionId\":", "id"), ("\"userId\":", "user_id"), ("\"pieceId\":", "content_id"),
      ("\"startedAt\":", "started_at"), ("\"endedAt\":", "ended_at"), ("\"createdAt\":", "created_at"),
    ]
    out.append(UInt8(ascii: "{"))
    var isFirst = true
    for (name, own) in names {
      guard let value = record.member(own), !value.isNull else { continue }
      if !isFirst { out.append(UInt8(ascii: ",")) }
      isFirst = false
      out.append(name)
      out.append(value.raw.span)
    }
    out.append(UInt8(ascii: "}"))
  }
}
