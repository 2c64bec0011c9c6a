import FleetKit

/// What `list`, `show` and `inspect` say about a record.
struct RecordSummary {
  let kind: RecordKind
  let id: String
  let type: String
  let title: String
  let tags: [String]
  let language: String?
  let sections: Int
  let steps: Int
  let cards: Int
  let words: Int
  let hasBody: Bool
  let updated: String?
  let visibility: String?
  /// What tells records apart that are no items: boat and days of a charter, ticks of an execution.
  let detail: String
  /// Whether only an index was asked, which does not say how much there is of it.
  let isFromIndex: Bool
  /// Whether originals of damaged values are kept in it.
  let isRecovered: Bool

  /// What the index of a pack says of an item.
  init(_ item: PackItem) {
    kind = .item
    id = item.id
    type = item.contentType.rawValue
    title = item.title
    language = item.language
    tags = []
    (sections, steps, cards, words) = (0, 0, 0, 0)
    hasBody = true
    updated = nil
    visibility = nil
    detail = ""
    isFromIndex = true
    isRecovered = false
  }

  init(_ record: Record) throws {
    isFromIndex = false
    let root = try record.document().root
    kind = record.kind
    id = record.id
    type = root["content_type"]?.string ?? record.kind.name
    let reference = root["checklist_id"]?.string.map { "checklist " + $0.prefix(8) }
    title = (root["title"] ?? root["name"] ?? root["operation"])?.string ?? reference ?? ""
    tags = root["tags"]?.elements.compactMap(\.string) ?? []
    language = root["language"]?.string
    let data = root["content_data"]
    hasBody = data.map { !$0.isNull } ?? false
    let allSections = data?["sections"]?.elements ?? []
    sections = allSections.count
    steps = allSections.reduce(0) { $0 + ($1["items"]?.elements.count ?? 0) }
    cards = data?["cards"]?.elements.count ?? 0
    words = data?["markdown"]?.string?.split(whereSeparator: \.isWhitespace).count ?? 0
    updated = (root["updated_at"] ?? root["last_updated"] ?? root["created_at"])?.string
    visibility = root["visibility"]?.string
    detail = Self.detail(of: record.kind, root)
    isRecovered = !(root["extras"]?["raw"]?.members.isEmpty ?? true)
  }

  private static func detail(of kind: RecordKind, _ root: JSONValue) -> String {
    switch kind {
    case .charter:
      let days = ["start_date", "end_date"].compactMap { root[$0]?.string?.prefix(10) }.joined(separator: " – ")
      return [root["boat_name"]?.string ?? "", days].filter { !$0.isEmpty }.joined(separator: ", ")
    case .execution:
      let states = root["item_states"]?.members ?? []
      return "\(states.filter { $0.value["checked"]?.bool ?? false }.count) of \(states.count) ticked"
    case .syncOperation:
      return root["synced_at"]?.string == nil ? "\(root["retry_count"]?.integer ?? 0) tries" : "done"
    default: return ""
    }
  }

  /// How much there is of it, `5 sections, 32 steps`.
  var extent: String {
    if isFromIndex { return "" }
    return switch type {
    case "checklist" where hasBody: "\(steps) step\(steps == 1 ? "" : "s") in \(sections)"
    case "practice_guide" where hasBody: "\(words) words"
    case "flashcard_deck" where hasBody: "\(cards) cards"
    case "checklist", "practice_guide", "flashcard_deck": "no body"
    default: detail
    }
  }

  /// The first tags, as many as fit into a column.
  func shortTags(_ limit: Int) -> String {
    var text = ""
    for tag in tags {
      let longer = text.isEmpty ? tag : text + ", " + tag
      if longer.count > limit, !text.isEmpty { return text + ", …" }
      text = longer
    }
    return text
  }

  /// The day of the last change.
  var day: String { updated.map { String($0.prefix(10)) } ?? "" }

  func write(to json: inout JSONBuilder) {
    json.object { json in
      json.string("kind", kind.name)
      json.string("id", id)
      json.string("type", type)
      json.string("title", title)
      if isFromIndex { return json.string("language", language) }
      json.array("tags") { json in for tag in tags { json.string(nil, tag) } }
      json.string("language", language)
      json.string("visibility", visibility)
      json.number("sections", sections)
      json.number("steps", steps)
      json.number("cards", cards)
      json.number("words", words)
      json.bool("has_body", hasBody)
      json.string("updated_at", updated)
    }
  }
}
