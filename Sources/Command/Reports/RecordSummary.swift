import FleetKit

/// The data about a record that `list`, `show` and `inspect` report.
struct RecordSummary: Encodable {
  /// Figures that require reading the record.
  struct Figures: Encodable {
    let visibility: String?
    let sections, steps, cards, words: Int
    let hasBody: Bool
    let updatedAt: String?
  }

  let kind: RecordKind
  let id, type, title: String
  @IfPresent private(set) var tags: [String]?
  let language: String?
  /// The figures; nil if only an index was read.
  @Inlined private(set) var figures: Figures?
  /// The details of records that are not items: the boat and the days of a charter, or the ticks of an execution.
  @TextOnly private(set) var detail: String
  /// Whether the record keeps the originals of damaged values.
  @TextOnly private(set) var isRecovered: Bool

  /// Makes a summary from an entry of a pack's index.
  init(_ item: PackItem) {
    kind = .item
    id = item.id
    type = item.contentType.rawValue
    title = item.title
    language = item.language
    figures = nil
    (detail, isRecovered) = ("", false)
  }

  /// Makes a summary of a record. The record is read in place in its batch, which needs little more memory than the
  /// record's tags.
  /// - Throws: `RunFailure` if the record is not JSON; readers prevent this.
  init(_ record: Record) throws {
    let summary = record.withNode { root in RecordSummary(record.kind, record.id, root) }
    guard let summary else { throw RunFailure(.internalError, "read record \(record.id): its line is not JSON") }
    self = summary
  }

  private init(_ kind: RecordKind, _ id: String, _ root: JSONNode) {
    self.kind = kind
    self.id = id
    type = root.member("content_type")?.string ?? kind.name
    let reference = root.member("checklist_id")?.string.map { "checklist " + $0.prefix(8) }
    title = (root.member("title") ?? root.member("name") ?? root.member("operation"))?.string ?? reference ?? ""
    var tags: [String] = []
    root.member("tags")?.forEachElement { tag in if let tag = tag.string { tags.append(tag) } }
    self.tags = tags
    language = root.member("language")?.string
    let data = root.member("content_data")
    var (sections, steps) = (0, 0)
    data?.member("sections")?.forEachElement { section in
      sections += 1
      steps += section.member("items").map(Self.elements) ?? 0
    }
    figures = Figures(
      visibility: root.member("visibility")?.string, sections: sections, steps: steps,
      cards: data?.member("cards").map(Self.elements) ?? 0,
      words: data?.member("markdown")?.string.map(Self.words) ?? 0, hasBody: data.map { !$0.isNull } ?? false,
      updatedAt: (root.member("updated_at") ?? root.member("last_updated") ?? root.member("created_at"))?.string)
    detail = Self.detail(of: kind, root)
    isRecovered =
      root.member("extras")?.member("raw").map { $0.kind == .object && $0.token.next > $0.index + 1 } ?? false
  }

  /// Counts the words of `text` in place, because an array of its words would take many times the memory of the text.
  private static func words(in text: String) -> Int {
    var count = 0
    var isInWord = false
    for scalar in text.unicodeScalars {
      // Unicode's tables are slow to load and to search, and most text does not need them.
      let isSpace = scalar.isASCII ? scalar == " " || 9...13 ~= scalar.value : scalar.properties.isWhitespace
      if !isSpace, !isInWord { count += 1 }
      isInWord = !isSpace
    }
    return count
  }

  private static func elements(_ node: JSONNode) -> Int {
    var count = 0
    node.forEachElement { _ in count += 1 }
    return count
  }

  private static func detail(of kind: RecordKind, _ root: JSONNode) -> String {
    switch kind {
    case .charter:
      let days = [root.member("start_date"), root.member("end_date")].compactMap { $0?.string?.prefix(10) }
      return [root.member("boat_name")?.string ?? "", days.joined(separator: " – ")].filter { !$0.isEmpty }
        .joined(separator: ", ")
    case .execution:
      var (ticked, count) = (0, 0)
      root.member("item_states")?.forEachMember { _, state in
        count += 1
        if state.member("checked")?.bool ?? false { ticked += 1 }
      }
      return "\(ticked) of \(count) ticked"
    case .syncOperation:
      return root.member("synced_at")?.string == nil
        ? Plural.count(Int(clamping: root.member("retry_count")?.integer ?? 0), "try", "tries") : "done"
    default: return ""
    }
  }

  /// The size of the record's content, for example `32 steps in 5` (sections) or `120 words`.
  var extent: String {
    guard let figures else { return "" }
    let steps = figures.steps
    return switch type {
    case "checklist" where figures.hasBody: "\(Plural.count(steps, "step")) in \(figures.sections)"
    case "practice_guide" where figures.hasBody: Plural.count(figures.words, "word")
    case "flashcard_deck" where figures.hasBody: Plural.count(figures.cards, "card")
    case "checklist", "practice_guide", "flashcard_deck": "no body"
    default: detail
    }
  }

  /// Returns the first tags that fit into a column.
  func shortTags(_ limit: Int) -> String {
    var text = ""
    for tag in tags ?? [] {
      let longer = text.isEmpty ? tag : text + ", " + tag
      if longer.count > limit, !text.isEmpty { return text + ", …" }
      text = longer
    }
    return text
  }

  /// The day of the last change.
  var day: String { figures?.updatedAt.map { String($0.prefix(10)) } ?? "" }

}
