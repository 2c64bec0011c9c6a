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
    JSONStrings.unescape(value.inner.span, into: &plain)
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
    let lines = CustomColumnLines(whole.span, kept.numbers)
    if lines.cells.isEmpty { return }
    texts[index] = Array(whole[lines.details])
    for (number, text) in lines.cells { texts[kept.cells[number]] = Array(whole[text]) }
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
      row.bytes.append(text.span)
    }
    try sink.write(row)
  }
}

/// Finds the members of an item that a table cannot hold: the members that have no column and differ from their
/// default.
struct ItemLosses {
  private let shape: TableShape
  private let losses: LossLog
  private let item: Set<String>
  private let inner: Set<String>
  private static let sectionMembers: Set<String> = ["id", "title", "items"]

  init(_ shape: TableShape, losses: LossLog) {
    self.shape = shape
    self.losses = losses
    let every = Set(
      ["kind", "id", "content_type", "title", "language", "created_at", "updated_at", "content_data"]
        + TableColumn.lineage.map(\.rawValue))
    switch shape {
    case .steps:
      item = every.union(["description", "tags"])
      inner = Set(Shapes.checklistItem.tableMembers)
    case .cards:
      item = every.union(["description", "tags"])
      inner = Set(Shapes.card.tableMembers)
    case .catalogue:
      item = every.union(["description", "tags"])
      inner = []
    case .charters:
      item = [
        "kind", "id", "name", "boat_name", "location", "start_date", "end_date", "created_at", "updated_at",
      ]
      inner = []
    }
  }

  /// Returns whether a document must be written to its cell as JSON because Markdown cannot express all of it.
  func needsJSON(_ node: JSONNode) -> Bool {
    guard let document = node.member("content_data"), document.kind == .object else { return false }
    guard node.member("content_type")?.equals("practice_guide") == true,
      let text = document.member("markdown")?.string
    else { return true }
    // Text that begins like this would be read as JSON or as front matter.
    let start = text.utf8.drop { $0 == 0x20 || $0 &- 0x09 < 5 }
    if start.first == UInt8(ascii: "{") || text.utf8.starts(with: "---".utf8) { return true }
    var differs = false
    visit(document, Shapes.practiceGuide, held: ["markdown"], repeating: node) { _ in differs = true }
    return differs
  }

  /// Records the losses of an item.
  /// - Parameter documentIsWhole: whether the item's document is in its cell as JSON.
  func record(_ node: JSONNode, documentIsWhole: Bool) {
    let id = node.member("id")?.string ?? ""
    if shape == .charters {
      return visit(node, Shapes.charter, held: item) { member in
        losses.record(
          .charter, id: id, field: "/\(member)",
          reason: .noTableColumn(shape: shape.rawValue, member: member, noun: "a charter"))
      }
    }
    func lose(_ field: String, _ noun: String, _ member: String) {
      losses.record(
        .item, id: id, field: field, reason: .noTableColumn(shape: shape.rawValue, member: member, noun: noun))
    }
    visit(node, Shapes.item, held: item) { member in
      // The column names are restored together with the columns.
      if shape == .steps, member == "extras", let extras = node.member("extras"), CustomColumnNames.isAll(of: extras) {
        return
      }
      lose("/\(member)", "an item", member)
    }
    recordTags(node.member("tags"), "/tags", id, isHeld: item.contains("tags"))
    guard let document = node.member("content_data"), document.kind == .object else {
      // An empty cell is read as an empty guide, and a list without rows is read as an empty list.
      if shape != .catalogue || node.member("content_type")?.equals("practice_guide") == true {
        losses.record(.item, id: id, field: "/content_data", reason: .noDocument)
      }
      return
    }
    if documentIsWhole { return }
    let held: Set<String> =
      switch shape {
      case .steps: ["checklistType", "sections"]
      case .cards: ["cards"]
      case .catalogue, .charters: ["markdown"]
      }
    let type = node.member("content_type")?.string.flatMap(ContentType.init(rawValue:)) ?? .practiceGuide
    visit(document, Shapes.document(type), held: held, repeating: node) {
      lose("/content_data/\($0)", "a document", $0)
    }
    var ids: Set<String> = []
    /// Records the loss of an id that occurs twice, because readers treat the second of two steps with the same id as a
    /// copied row.
    func recordID(_ node: JSONNode, _ path: String) {
      guard let own = node.member("id")?.string, !ids.insert(own).inserted else { return }
      losses.record(.item, id: id, field: path + "/id", reason: .repeatedID)
    }
    forEach(document.member("sections")) { section, number in
      let path = "/content_data/sections/\(number)"
      visit(section, Shapes.checklistSection, held: Self.sectionMembers, at: number) {
        lose("\(path)/\($0)", "a section", $0)
      }
      forEach(section.member("items")) { step, number in
        let path = "\(path)/items/\(number)"
        visit(step, Shapes.checklistItem, held: inner, at: number) { lose("\(path)/\($0)", "a step", $0) }
        recordID(step, path)
        recordTags(step.member("tags"), path + "/tags", id, isHeld: true)
      }
    }
    forEach(document.member("cards")) { card, number in
      let path = "/content_data/cards/\(number)"
      visit(card, Shapes.card, held: inner, at: number) { lose("\(path)/\($0)", "a card", $0) }
      recordID(card, path)
      recordTags(card.member("tags"), path + "/tags", id, isHeld: true)
    }
  }

  /// Calls `body` for the members that have no column and differ from their default. A document's status is ignored,
  /// because it always equals its item's status.
  private func visit(
    _ node: JSONNode, _ shape: Shape, held: Set<String>, repeating item: JSONNode? = nil, at position: Int? = nil,
    _ body: (String) -> Void
  ) {
    node.forEachMember(of: shape, beyond: held, repeating: item, at: position) { name, value in
      guard let name = name.string, name != "syncStatus" || !value.equals("pending") else { return }
      body(name)
    }
  }

  private func recordTags(_ tags: JSONNode?, _ path: String, _ id: String, isHeld: Bool) {
    guard isHeld, let tags, tags.kind == .array else { return }
    var all: [[UInt8]] = []
    tags.forEachElement { all.append(Array(($0.string ?? "").utf8)) }
    if CellTags.cell(all) != nil { return }
    losses.record(
      .item, id: id, field: path,
      reason: .tagsInCell)
  }

  private func forEach(_ list: JSONNode?, _ body: (JSONNode, Int) -> Void) {
    guard let list, list.kind == .array else { return }
    var number = 0
    list.forEachElement { element in
      body(element, number)
      number += 1
    }
  }
}
