import Content
import JSONText
import Merging
import Reports

/// The form of one change in a plan.
enum PlanChange {
  /// Returns the change as a JSON object on one line.
  static func json(_ decision: ImportDecision, fields: [PlanFields.Field]) -> String {
    var json = JSONBuilder()
    json.object { json in
      json.string("action", decision.action.rawValue)
      json.string("kind", decision.kind.name)
      if let type = decision.type { json.string("type", type) }
      json.string("id", decision.id)
      if let id = decision.sourceID { json.string("source_id", id) }
      json.string("title", decision.title)
      json.string("place", decision.place)
      json.string("before", decision.before.map { Digest.hex(Digest.sha256($0.span)) })
      json.string("after", decision.hashAfter)
      if let text = Self.text(decision, fields: fields) { json.raw("fields", text) }
      if decision.rows > 0 { json.number("rows", decision.rows) }
      if let code = decision.code { json.string("code", code) }
      if let reason = decision.reason { json.string("reason", reason.text) }
    }
    return json.result
  }

  /// Returns the list of fields as JSON; nil if a change has none.
  private static func text(_ decision: ImportDecision, fields: [PlanFields.Field]) -> String? {
    var json = JSONBuilder()
    switch decision.action {
    case .update where decision.before != nil, .beside where decision.before != nil:
      json.array(nil) { json in
        for field in fields { write(field.pointer, field.label, field.from, field.to, &json) }
      }
    case .conflict where !decision.conflicts.isEmpty:
      // `from` is the library's value, which stays, and `to` is the source's value.
      json.array(nil) { json in
        for one in decision.conflicts { write(one.pointer, one.label, one.ours, one.theirs, &json) }
      }
    default: return nil
    }
    return json.result
  }

  /// Returns the differences between the record before and after the change.
  static func fields(_ decision: ImportDecision) -> [PlanFields.Field] {
    guard let before = decision.before, let after = decision.after else { return [] }
    return PlanFields(before, after).all
  }

  private static func write(
    _ pointer: String, _ label: String, _ from: String?, _ to: String?, _ json: inout JSONBuilder
  ) {
    json.object { json in
      json.string("pointer", pointer)
      json.string("label", label)
      if let from { json.raw("from", oneLine(from)) }
      if let to { json.raw("to", oneLine(to)) }
    }
  }

  /// Returns a change on one line. Between JSON tokens, a space is equivalent to a line end, and tokens contain no line
  /// ends.
  private static func oneLine(_ json: String) -> String {
    guard json.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return json }
    return String(decoding: json.utf8.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }, as: UTF8.self)
  }

  /// Returns the members of a change that describe the change to people. These members must also be correct.
  static func description(of decision: ImportDecision) -> String {
    description(
      type: decision.type, sourceID: decision.sourceID, title: decision.title, place: decision.place,
      code: decision.code, reason: decision.reason?.text, fields: text(decision, fields: fields(decision)))
  }

  static func description(of change: JSONValue) -> String {
    description(
      type: change["type"]?.string, sourceID: change["source_id"]?.string, title: change["title"]?.string,
      place: change["place"]?.string ?? "", code: change["code"]?.string, reason: change["reason"]?.string,
      fields: change["fields"]?.text)
  }

  /// The members in the result of `description`, in the order of that result.
  private static let descriptionMembers = ["type", "source_id", "title", "place", "code", "reason", "fields"]

  private static func description(
    type: String?, sourceID: String?, title: String?, place: String, code: String?, reason: String?, fields: String?
  ) -> String {
    // When a plan is applied, sources have absolute paths, whichever names were used when the plan was made.
    let slash = place.utf8.lastIndex(of: UInt8(ascii: "/"))
    let start = slash.map { place.utf8.index(after: $0) } ?? place.startIndex
    // A reason may contain the path of the file, as the place does.
    let reason = reason.map { cut(String(place[..<start]), from: $0) }
    // Fields may be as long as a record, so only their hash is kept.
    let fields = fields.map { Digest.hex(Digest.sha256($0.utf8.span)) }
    var json = JSONBuilder()
    json.array { json in
      for text in [type, sourceID, title, String(place[start...]), code, reason, fields] {
        json.string(nil, text)
      }
    }
    return json.result
  }

  /// Removes a folder from a string wherever the folder follows a single quote.
  private static func cut(_ folder: String, from text: String) -> String {
    let (bytes, folder, quote) = (Array(text.utf8), Array(folder.utf8), UInt8(ascii: "'"))
    if folder.isEmpty { return text }
    var cut: [UInt8] = []
    var at = 0
    while at < bytes.count {
      cut.append(bytes[at])
      at += 1
      if cut.last == quote, bytes[at...].starts(with: folder) { at += folder.count }
    }
    return String(decoding: cut, as: UTF8.self)
  }

  /// Returns the first member in which two changes differ, given the results of `description`; nil if they are equal.
  static func difference(_ planned: String, _ now: String) -> String? {
    if planned.utf8.elementsEqual(now.utf8) { return nil }
    func texts(_ description: String) -> [[UInt8]?] {
      ((try? JSONDocument(parsing: description))?.root.elements ?? []).map { $0.string.map { Array($0.utf8) } }
    }
    let differing = zip(descriptionMembers, zip(texts(planned), texts(now))).first { $0.1.0 != $0.1.1 }
    return differing?.0 ?? "fields"
  }

  /// Returns the key that two plans of the same import have in common: the action, the record, and the bytes before and
  /// after.
  static func key(
    action: String, kind: String, id: String, before: String?, after: String?, rows: Int
  ) -> String {
    var json = JSONBuilder()
    json.array { json in
      json.string(nil, action)
      json.string(nil, kind)
      json.string(nil, id)
      json.string(nil, before)
      json.string(nil, after)
      json.number(nil, rows)
    }
    return json.result
  }
}

/// The differences between two versions of a record, with words for people.
///
/// Sections, steps and cards are matched by their ids; everything else is matched by its position.
struct PlanFields {
  /// One member that differs.
  struct Field {
    /// The pointer in the new version, or in the old one if the member was deleted.
    let pointer: String
    /// The pointer for people: `section "Engine", step "Check oil", description`.
    let label: String
    /// The values before and after as JSON; nil if missing.
    let from: String?
    let to: String?
    /// Whether the member is derived from other changes or irrelevant to people, for example a time or a position in a
    /// list.
    var isMinor = false
  }

  private(set) var all: [Field] = []

  /// Compares two lines.
  init(_ before: UnsafeBufferPointer<UInt8>, _ after: UnsafeBufferPointer<UInt8>) {
    guard let first = try? JSONDocument(parsing: before.span), let second = try? JSONDocument(parsing: after.span)
    else {
      all.append(
        Field(
          pointer: "", label: "the record", from: String(decoding: before, as: UTF8.self),
          to: String(decoding: after, as: UTF8.self)))
      return
    }
    compare(first.root, second.root, JSONPointer(), [])
  }

  private mutating func compare(_ left: JSONValue?, _ right: JSONValue?, _ path: JSONPointer, _ words: [String]) {
    let left = left.flatMap { $0.isNull ? nil : $0 }
    let right = right.flatMap { $0.isNull ? nil : $0 }
    guard let left, let right else {
      if left != nil || right != nil { add(left?.text, right?.text, path, words) }
      return
    }
    switch (left.kind, right.kind) {
    case (.object, .object): compareMembers(left, right, path, words)
    case (.array, .array): compareLists(left, right, path, words)
    default: if !left.means(right) { add(left.text, right.text, path, words) }
    }
  }

  private mutating func compareMembers(
    _ left: JSONValue, _ right: JSONValue, _ path: JSONPointer, _ words: [String]
  ) {
    let mine = left.members
    let theirs = right.members
    let others = Dictionary(theirs.map { (Array($0.name.utf8), $0.value) }, uniquingKeysWith: { first, _ in first })
    var seen = Set<[UInt8]>()
    for (name, value) in mine where seen.insert(Array(name.utf8)).inserted {
      compare(value, others[Array(name.utf8)], path.appending(.member(name)), Self.words(words, name))
    }
    for (name, value) in theirs where seen.insert(Array(name.utf8)).inserted {
      compare(nil, value, path.appending(.member(name)), Self.words(words, name))
    }
  }

  private mutating func compareLists(_ left: JSONValue, _ right: JSONValue, _ path: JSONPointer, _ words: [String]) {
    let mine = left.elements
    let theirs = right.elements
    guard let myIDs = Self.ids(mine), let theirIDs = Self.ids(theirs) else {
      if !left.means(right) { add(left.text, right.text, path, words) }
      return
    }
    let noun = Self.noun(path)
    let theirPlaces = Dictionary(zip(theirIDs, theirIDs.indices), uniquingKeysWith: { first, _ in first })
    let myPlaces = Dictionary(zip(myIDs, myIDs.indices), uniquingKeysWith: { first, _ in first })
    for (index, value) in mine.enumerated() where theirPlaces[myIDs[index]] == nil {
      add(value.text, nil, path.appending(.element(index)), words + [Self.title(noun, value)])
    }
    for (index, value) in theirs.enumerated() {
      let inner = words + [Self.title(noun, value)]
      if let other = myPlaces[theirIDs[index]] {
        compare(mine[other], value, path.appending(.element(index)), inner)
      } else {
        add(nil, value.text, path.appending(.element(index)), inner)
      }
    }
    let before = myIDs.filter { theirPlaces[$0] != nil }
    let after = theirIDs.filter { myPlaces[$0] != nil }
    if before != after {
      all.append(
        Field(
          pointer: path.description, label: (words + ["order of \(noun)s"]).joined(separator: ", "),
          from: Self.list(before), to: Self.list(after)))
    }
  }

  private mutating func add(_ from: String?, _ to: String?, _ path: JSONPointer, _ words: [String]) {
    let label = words.isEmpty ? "the record" : words.joined(separator: ", ")
    all.append(
      Field(pointer: path.description, label: label, from: from, to: to, isMinor: Self.isMinor(path.description)))
  }

  /// Whether a member is derived from others or irrelevant to people.
  static func isMinor(_ pointer: String) -> Bool {
    guard case .member(let name) = JSONPointer(pointer)?.steps.last else { return false }
    return minor.contains(name)
  }

  private static let minor: Set<String> = [
    "updated_at", "updatedAt", "last_updated", "created_at", "createdAt", "sortOrder", "progress_percentage",
    "needs_sync", "last_synced_at", "sync_status", "syncStatus",
  ]
  /// Members whose names add nothing to the names of their content.
  private static let silent: Set<String> = ["content_data", "sections", "items", "cards", "entries"]

  private static func words(_ words: [String], _ name: String) -> [String] {
    silent.contains(name) ? words : words + [ConflictTerms.member(name)]
  }

  private static func noun(_ path: JSONPointer) -> String {
    guard case .member(let name) = path.steps.last else { return "entry" }
    return switch name {
    case "sections": "section"
    case "items": "step"
    case "cards": "card"
    default: "entry"
    }
  }

  private static func title(_ noun: String, _ value: JSONValue) -> String {
    let title = (value["title"] ?? value["front"] ?? value["name"])?.string
    guard let title, !title.isEmpty else { return noun + " without a title" }
    let scalars = title.unicodeScalars
    if scalars.count <= 60 { return "\(noun) \"\(title)\"" }
    return "\(noun) \"\(String(String.UnicodeScalarView(scalars.prefix(59))))…\""
  }

  /// Returns the ids of elements; nil if an id is missing or not unique. In that case, elements are matched by
  /// position.
  private static func ids(_ values: [JSONValue]) -> [[UInt8]]? {
    var seen = Set<[UInt8]>()
    var ids: [[UInt8]] = []
    for value in values {
      guard value.kind == .object, let id = value["id"]?.string, seen.insert(Array(id.utf8)).inserted else {
        return nil
      }
      ids.append(Array(id.utf8))
    }
    return ids
  }

  private static func list(_ ids: [[UInt8]]) -> String {
    var json = JSONBuilder()
    json.array { json in
      for id in ids { json.string(nil, String(decoding: id, as: UTF8.self)) }
    }
    return json.result
  }
}
