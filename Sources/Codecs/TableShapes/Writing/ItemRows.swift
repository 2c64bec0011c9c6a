import Content
import Interchange
import JSONText

/// Writes items as rows, in the order of their documents.
///
/// Every row says its checklist and its section, so that rows can be sorted in a spreadsheet and read back.
struct ItemRows: ~Copyable {
  private let columns: [TableColumn]
  private let shape: TableShape
  /// The text of each column; those of the item stay for all of its rows.
  private var texts: [[UInt8]]
  private var places: [TableColumn: Int] = [:]
  private var row = TableRow()
  private var plain = ByteBuffer(capacity: 4096)

  /// - Parameter columns: those of the shape, and any others.
  init(_ shape: TableShape, columns: [TableColumn]) {
    self.shape = shape
    self.columns = columns
    texts = Array(repeating: [], count: columns.count)
    for (index, column) in columns.enumerated() { places[column] = index }
  }

  /// Writes an item.
  /// - Parameter documentAsJSON: whether a guide's document goes whole into its cell.
  mutating func write(_ item: JSONNode, documentAsJSON: Bool, to sink: any TableSink) throws {
    for index in texts.indices { texts[index].removeAll(keepingCapacity: true) }
    let document = item.member("content_data")
    set(.language, item.member("language"))
    set(.created, item.member("created_at"))
    set(.updated, item.member("updated_at"))
    setLineage(item)
    switch shape {
    case .steps:
      set(.checklist, item.member("title"))
      set(.checklistID, item.member("id"))
      set(.checklistDescription, item.member("description"))
      setTags(item.member("tags"), .checklistTags)
      set(.type, document?.member("checklistType"))
      try writeSections(document, to: sink)
    case .cards:
      set(.deck, item.member("title"))
      set(.deckID, item.member("id"))
      set(.deckDescription, item.member("description"))
      setTags(item.member("tags"), .deckTags)
      try writeCards(document, to: sink)
    case .catalogue:
      set(.title, item.member("title"))
      set(.id, item.member("id"))
      set(.type, item.member("content_type"))
      set(.description, item.member("description"))
      setTags(item.member("tags"))
      setDocument(document, asJSON: documentAsJSON)
      try finish(to: sink)
    }
  }

  private mutating func writeSections(_ document: JSONNode?, to sink: any TableSink) throws {
    let sections = document.map { Self.elements($0.member("sections")) } ?? []
    // A checklist without sections is still there.
    if sections.isEmpty { try finish(to: sink) }
    for section in sections {
      set(.section, section.member("title"))
      set(.sectionID, section.member("id"))
      let steps = Self.elements(section.member("items"))
      for step in steps {
        set(.itemID, step.member("id"))
        set(.item, step.member("title"))
        set(.details, step.member("itemDescription"))
        set(.required, isSet: step.member("isRequired")?.bool ?? false)
        set(.optional, isSet: step.member("isOptional")?.bool ?? false)
        setNumber(.minutes, step.member("estimatedMinutes"))
        setTags(step.member("tags"))
        try finish(to: sink)
      }
      clear([.itemID, .item, .details, .required, .optional, .minutes, .tags])
      if steps.isEmpty { try finish(to: sink) }
    }
  }

  private mutating func writeCards(_ document: JSONNode?, to sink: any TableSink) throws {
    let cards = document.map { Self.elements($0.member("cards")) } ?? []
    if cards.isEmpty { try finish(to: sink) }
    for card in cards {
      set(.cardID, card.member("id"))
      set(.front, card.member("front"))
      set(.back, card.member("back"))
      set(.hint, card.member("hint"))
      setTags(card.member("tags"))
      try finish(to: sink)
    }
  }

  private static func elements(_ node: JSONNode?) -> [JSONNode] {
    guard let node, node.kind == .array else { return [] }
    var all: [JSONNode] = []
    node.forEachElement { all.append($0) }
    return all
  }

  // MARK: Cells

  private mutating func set(_ column: TableColumn, _ value: JSONNode?) {
    guard let index = places[column] else { return }
    texts[index].removeAll(keepingCapacity: true)
    guard let value, value.kind == .string else { return }
    plain.removeAll()
    JSONStrings.unescape(value.inner, into: &plain)
    texts[index].append(contentsOf: plain.bytes)
  }

  private mutating func set(_ column: TableColumn, isSet: Bool) {
    guard let index = places[column] else { return }
    texts[index] = isSet ? Array("yes".utf8) : []
  }

  private mutating func setNumber(_ column: TableColumn, _ value: JSONNode?) {
    guard let index = places[column] else { return }
    texts[index] = value.flatMap(\.integer).map { Array(String($0).utf8) } ?? []
  }

  private mutating func setLineage(_ item: JSONNode) {
    guard places[.forkedFromID] != nil else { return }
    for column in TableColumn.lineage where column != .forkCount { set(column, LineageCells.member(column, of: item)) }
    let count = item.member("fork_count")
    setNumber(.forkCount, count?.integer == 0 ? nil : count)
  }

  private mutating func setTags(_ value: JSONNode?, _ column: TableColumn = .tags) {
    guard let index = places[column] else { return }
    let tags = Self.elements(value).compactMap { $0.string.map { Array($0.utf8) } }
    texts[index] = CellTags.cell(tags) ?? CellTags.nearest(tags)
  }

  private mutating func setDocument(_ document: JSONNode?, asJSON: Bool) {
    guard let index = places[.document] else { return }
    texts[index] = []
    guard let document, !document.isNull else { return }
    if !asJSON, let markdown = document.member("markdown") { return set(.document, markdown) }
    texts[index] = Array(document.raw)
  }

  private mutating func clear(_ columns: [TableColumn]) {
    for column in columns {
      if let index = places[column] { texts[index].removeAll(keepingCapacity: true) }
    }
  }

  private mutating func finish(to sink: any TableSink) throws {
    row.removeAll()
    for text in texts {
      row.cells.append(TableRow.Cell(start: row.bytes.count, length: text.count))
      text.withUnsafeBufferPointer { row.bytes.append($0) }
    }
    try sink.write(row)
  }
}
