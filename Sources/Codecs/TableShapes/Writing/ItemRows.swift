import Content
import Interchange
import JSONText

/// Writes items as rows, in the order of their documents.
///
/// Every row names its checklist and its section, so that rows can be sorted in a spreadsheet and read again.
struct ItemRows: ~Copyable {
  private let columns: [TableColumn]
  private let shape: TableShape
  /// The text of each column. The texts of the item's columns are kept for all its rows.
  private var texts: [[UInt8]]
  private var places: [TableColumn: Int] = [:]
  private var row = TableRow()
  private var plain = ByteBuffer(capacity: 4096)
  /// The cells of the kept columns, keyed by name.
  private var others: [[UInt8]: Int] = [:]
  /// The numbers of the item's kept columns, keyed by name, and their cells.
  private var kept: (numbers: [[UInt8]: Int], cells: [Int]) = ([:], [])

  /// - Parameters:
  ///   - columns: the columns of the shape, and further columns with a meaning.
  ///   - others: the names of kept columns.
  init(_ shape: TableShape, columns: [TableColumn], others: [[UInt8]] = []) {
    self.shape = shape
    self.columns = columns
    texts = Array(repeating: [], count: columns.count + others.count)
    for (index, name) in others.enumerated() { self.others[name] = columns.count + index }
    for (index, column) in columns.enumerated() { places[column] = index }
  }

  /// Writes an item.
  /// - Parameter documentAsJSON: whether a guide's whole document is written to its cell as JSON.
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
      setKept(CustomColumnNames.of(item))
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
    case .charters:
      set(.charter, item.member("name"))
      set(.charterID, item.member("id"))
      set(.boat, item.member("boat_name"))
      set(.location, item.member("location"))
      set(.start, item.member("start_date"))
      set(.end, item.member("end_date"))
      try finish(to: sink)
    }
  }

  private mutating func writeSections(_ document: JSONNode?, to sink: any TableSink) throws {
    let sections = document.map { Self.elements($0.member("sections")) } ?? []
    // A checklist without sections still gets a row.
    if sections.isEmpty { try finish(to: sink) }
    for section in sections {
      set(.section, section.member("title"))
      set(.sectionID, section.member("id"))
      let steps = Self.elements(section.member("items"))
      for step in steps {
        set(.itemID, step.member("id"))
        set(.item, step.member("title"))
        setDetails(step.member("itemDescription"))
        set(.required, isSet: step.member("isRequired")?.bool ?? false)
        set(.optional, isSet: step.member("isOptional")?.bool ?? false)
        setNumber(.minutes, step.member("estimatedMinutes"))
        setTags(step.member("tags"))
        try finish(to: sink)
      }
      clear([.itemID, .item, .details, .required, .optional, .minutes, .tags])
      clearKept()
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

  /// Sets the column names for the lines in an item's steps.
  private mutating func setKept(_ names: [[UInt8]]) {
    kept = ([:], [])
    // Readers make lines in the order of the table's columns.
    for (name, cell) in names.compactMap({ name in others[name].map { (name, $0) } }).sorted(by: { $0.1 < $1.1 }) {
      kept.numbers[name] = kept.cells.count
      kept.cells.append(cell)
    }
  }

  /// Writes the details, and writes their last lines to the columns from which they come.
  private mutating func setDetails(_ value: JSONNode?) {
    set(.details, value)
    if kept.cells.isEmpty { return }
    clearKept()
    guard let index = places[.details], !texts[index].isEmpty else { return }
    let whole = texts[index]
    whole.withUnsafeBufferPointer { whole in
      let lines = CustomColumnLines(whole, kept.numbers)
      if lines.cells.isEmpty { return }
      texts[index] = Array(whole[lines.details])
      for (number, text) in lines.cells { texts[kept.cells[number]] = Array(whole[text]) }
    }
  }

  private mutating func clearKept() {
    for cell in kept.cells { texts[cell].removeAll(keepingCapacity: true) }
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
