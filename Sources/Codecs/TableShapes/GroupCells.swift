import Content
import Diagnostics
import Interchange
import JSONText

/// The values in rows that describe a whole checklist or deck. The first filled cell of a column counts; later cells
/// repeat it.
struct GroupCells: ~Copyable {
  /// The title in the rows.
  private(set) var title = ByteBuffer(capacity: 256)
  /// The number of lists for each language that was detected from the letters in their titles.
  private(set) var languages: [String: Int] = [:]
  private let layout: TableLayout
  private let isExact: Bool
  private let titleCell: Int
  private var isTitleSet = false
  private var isTitleReported = false
  private var language: GroupCell
  private var description: GroupCell
  private var tags: GroupCell
  private var type: GroupCell
  private var created: GroupCell
  private var updated: GroupCell
  private var lineage: LineageCells

  init(_ layout: TableLayout) {
    self.layout = layout
    isExact = layout.isExact
    let isDeck = layout.shape == .cards
    titleCell = layout.cell(isDeck ? .deck : .checklist)
    language = GroupCell(layout.cell(.language))
    description = GroupCell(layout.cell(isDeck ? .deckDescription : .checklistDescription))
    tags = GroupCell(layout.cell(isDeck ? .deckTags : .checklistTags))
    type = GroupCell(isDeck ? -1 : layout.cell(.type))
    created = GroupCell(layout.cell(.created))
    updated = GroupCell(layout.cell(.updated))
    lineage = LineageCells(layout)
  }

  /// Starts a new checklist or deck.
  mutating func begin() {
    title.removeAll()
    isTitleSet = false
    isTitleReported = false
    language.begin()
    description.begin()
    tags.begin()
    type.begin()
    created.begin()
    updated.begin()
    lineage.begin()
  }

  /// Reads the values of a row.
  @inline(__always)
  mutating func read(_ row: borrowing TableRow, _ problems: inout [RowProblem]) {
    let rowTitle = row.trimmed(titleCell).span
    if !rowTitle.isEmpty {
      if !isTitleSet {
        title.append(isExact ? row.text(titleCell).span : rowTitle)
        isTitleSet = true
      } else if !isTitleReported, !repeatsTitle(rowTitle) {
        isTitleReported = true
        problems.append(.differing(rowTitle, titleCell, layout))
      }
    }
    let rowLanguage = row.trimmed(language.cell).span
    if !rowLanguage.isEmpty { readLanguage(rowLanguage, &problems) }
    if description.cell >= 0 { readDescription(row, &problems) }
    if tags.cell >= 0 { readTags(row, &problems) }
    let rowType = row.trimmed(type.cell).span
    if !rowType.isEmpty { readType(rowType, &problems) }
    let rowCreated = row.trimmed(created.cell).span
    if !rowCreated.isEmpty { Self.readTime(rowCreated, &created, layout, &problems) }
    let rowUpdated = row.trimmed(updated.cell).span
    if !rowUpdated.isEmpty { Self.readTime(rowUpdated, &updated, layout, &problems) }
    if lineage.isThere { lineage.read(row, layout, &problems) }
  }

  private func repeatsTitle(_ text: Span<UInt8>) -> Bool {
    let title = title.bytes.span
    return text.equals(title.extracting(CellScanner.trimmed(title)))
  }

  private mutating func readDescription(_ row: borrowing TableRow, _ problems: inout [RowProblem]) {
    let text = (isExact ? row.text(description.cell) : row.trimmed(description.cell)).span
    switch description.compare(text) {
    case .nothing: return
    case .other: problems.append(.differing(text, description.cell, layout))
    case .first: description.set(text) { $0.appendJSONString(text) }
    }
  }

  private mutating func readTags(_ row: borrowing TableRow, _ problems: inout [RowProblem]) {
    let text = row.trimmed(tags.cell).span
    switch tags.compare(text) {
    case .nothing: return
    case .other: problems.append(.differing(text, tags.cell, layout))
    case .first: tags.set(text) { CellTags.append(text, into: &$0) }
    }
  }

  private mutating func readLanguage(_ text: Span<UInt8>, _ problems: inout [RowProblem]) {
    switch language.compare(text) {
    case .nothing: return
    case .other: problems.append(.differing(text, language.cell, layout))
    case .first:
      guard let code = CellValue.language(text) else {
        let why = "which is not a language code; write en or ru, for example"
        return problems.append(.value(text, language.cell, why, layout))
      }
      language.set(text) { $0.appendJSONString(code) }
    }
  }

  private mutating func readType(_ text: Span<UInt8>, _ problems: inout [RowProblem]) {
    switch type.compare(text) {
    case .nothing: return
    case .other: problems.append(.differing(text, type.cell, layout))
    case .first:
      guard let word = CellValue.checklistType(text) else {
        let why = "which is not a checklist type; the types are \(CellValue.checklistTypes.joined(separator: ", "))"
        return problems.append(.value(text, type.cell, why, layout))
      }
      type.set(text) { $0.appendJSONString(word) }
    }
  }

  private static func readTime(
    _ text: Span<UInt8>, _ cell: inout GroupCell, _ layout: TableLayout, _ problems: inout [RowProblem]
  ) {
    switch cell.compare(text) {
    case .nothing: return
    case .other: problems.append(.differing(text, cell.cell, layout))
    case .first:
      guard let (time, quirks) = Timestamp.parse(text), !quirks.contains(.rollsOver) else {
        return problems.append(.value(text, cell.cell, "which is not a time; write 2026-01-05 10:11:12", layout))
      }
      cell.set(text) { $0.appendJSONDate(time) }
    }
  }

  // MARK: Writing

  /// The tags; nil if a later row may have them.
  var knownTags: [String]? {
    if tags.cell < 0 { return [] }
    guard tags.isSet else { return nil }
    return (try? JSONDocument(parsing: tags.json.bytes.span))?.root.elements.compactMap(\.string)
  }

  /// Sets the title of a checklist or deck whose rows have no title.
  mutating func complete(title name: String) {
    if !isTitleSet || title.count == 0 { title.append(utf8: name) }
  }

  /// Writes the value for a slot from the rows. Writes nothing for the id and the body, which are not in a single cell.
  mutating func write(_ slot: EnvelopeTemplate.Slot, into out: inout ByteBuffer) {
    switch slot {
    case .id, .body: return
    case .title: out.appendJSONString(title.bytes.span)
    case .description: if description.isSet { out.append(description.json.bytes.span) } else { out.append("null") }
    case .tags: if tags.isSet { out.append(tags.json.bytes.span) } else { out.append("[]") }
    case .language:
      if language.isSet {
        out.append(language.json.bytes.span)
      } else if let code = LetterLanguage.infer(title.bytes.span, in: 0..<title.count) {
        languages[code, default: 0] += 1
        out.appendJSONString(code)
      } else {
        out.append("\"en\"")
      }
    case .created: if created.isSet { out.append(created.json.bytes.span) } else { out.append("null") }
    case .updated: if updated.isSet { out.append(updated.json.bytes.span) } else { out.append("null") }
    case .checklistType: if type.isSet { out.append(type.json.bytes.span) } else { out.append("\"general\"") }
    case .lineage(let column): lineage.write(column, into: &out)
    }
  }
}

/// A cell that describes a whole checklist or deck. The first row that fills it counts; later rows repeat it.
struct GroupCell: ~Copyable {
  /// The index of the cell; -1 if the table has no such column.
  let cell: Int
  /// The text of the first row that filled the cell.
  private var raw = ByteBuffer(capacity: 64)
  /// The value as JSON.
  private(set) var json = ByteBuffer(capacity: 64)
  private(set) var isSet = false
  private var isReported = false

  init(_ cell: Int) { self.cell = cell }

  /// Starts a new group.
  mutating func begin() {
    isSet = false
    isReported = false
  }

  /// The effect of a row's cell on the group.
  enum News {
    /// The cell is empty or repeats the known value.
    case nothing
    /// The cell has the first value.
    case first
    /// The cell differs from an earlier value. This is reported only once.
    case other
  }

  @inline(__always)
  mutating func compare(_ text: Span<UInt8>) -> News {
    if text.isEmpty { return .nothing }
    guard isSet else { return .first }
    if text.equals(raw.bytes.span) || isReported { return .nothing }
    isReported = true
    return .other
  }

  /// Stores the value of the first row.
  mutating func set(_ text: Span<UInt8>, json value: (inout ByteBuffer) -> Void) {
    raw.removeAll()
    raw.append(text)
    json.removeAll()
    value(&json)
    isSet = true
  }
}

/// The cells with the lineage of a checklist or deck. For each cell, the first row that fills it counts; later rows
/// repeat it.
///
/// A checklist is a fork of a single original, so every row has the same values.
struct LineageCells: ~Copyable {
  /// Whether the table has a lineage column.
  let isThere: Bool
  private var forkedFrom: GroupCell
  private var forkCount: GroupCell
  private var author: GroupCell
  private var authorID: GroupCell
  private var publicID: GroupCell

  init(_ layout: TableLayout) {
    isThere = TableColumn.lineage.contains(where: layout.has)
    forkedFrom = GroupCell(layout.cell(.forkedFromID))
    forkCount = GroupCell(layout.cell(.forkCount))
    author = GroupCell(layout.cell(.originalAuthorUsername))
    authorID = GroupCell(layout.cell(.originalAuthorUserID))
    publicID = GroupCell(layout.cell(.originalContentPublicID))
  }

  /// Starts a new group.
  mutating func begin() {
    forkedFrom.begin()
    forkCount.begin()
    author.begin()
    authorID.begin()
    publicID.begin()
  }

  /// Reads the values of a row.
  mutating func read(_ row: borrowing TableRow, _ layout: TableLayout, _ problems: inout [RowProblem]) {
    Self.readCell(row.trimmed(forkedFrom.cell).span, .forkedFromID, &forkedFrom, layout, &problems)
    Self.readCell(row.trimmed(forkCount.cell).span, .forkCount, &forkCount, layout, &problems)
    Self.readCell(row.trimmed(author.cell).span, .originalAuthorUsername, &author, layout, &problems)
    Self.readCell(row.trimmed(authorID.cell).span, .originalAuthorUserID, &authorID, layout, &problems)
    Self.readCell(row.trimmed(publicID.cell).span, .originalContentPublicID, &publicID, layout, &problems)
  }

  private static func readCell(
    _ text: Span<UInt8>, _ column: TableColumn, _ cell: inout GroupCell, _ layout: TableLayout,
    _ problems: inout [RowProblem]
  ) {
    switch cell.compare(text) {
    case .nothing: return
    case .other: problems.append(.differing(text, cell.cell, layout))
    case .first:
      guard let value = json(column, text) else {
        return problems.append(.value(text, cell.cell, why(column), layout))
      }
      cell.set(text) { $0.append(utf8: value) }
    }
  }

  /// Writes a member's value.
  func write(_ column: TableColumn, into out: inout ByteBuffer) {
    switch column {
    case .forkedFromID where forkedFrom.isSet: out.append(forkedFrom.json.bytes.span)
    case .forkCount: if forkCount.isSet { out.append(forkCount.json.bytes.span) } else { out.append("0") }
    case .originalAuthorUsername where author.isSet: out.append(author.json.bytes.span)
    case .originalAuthorUserID where authorID.isSet: out.append(authorID.json.bytes.span)
    case .originalContentPublicID where publicID.isSet: out.append(publicID.json.bytes.span)
    default: out.append("null")
    }
  }

  // MARK: Values

  /// Returns the value of a cell as JSON, or nil if it is invalid.
  static func json(_ column: TableColumn, _ text: Span<UInt8>) -> String? {
    switch column {
    case .forkedFromID, .originalAuthorUserID:
      return UUIDBits(text).map { "\"\($0.text)\"" }
    case .forkCount:
      guard let count = CellValue.integer(text), count >= 0 else { return nil }
      return String(count)
    default:
      var out = ByteBuffer(capacity: text.count + 2)
      out.appendJSONString(text)
      return String(decoding: out.bytes.span)
    }
  }

  /// Returns the member of an item that corresponds to a column.
  static func member(_ column: TableColumn, of item: JSONNode) -> JSONNode? {
    switch column {
    case .forkedFromID: item.member("forked_from_id")
    case .forkCount: item.member("fork_count")
    case .originalAuthorUsername: item.member("original_author_username")
    case .originalAuthorUserID: item.member("original_author_user_id")
    case .originalContentPublicID: item.member("original_content_public_id")
    default: nil
    }
  }

  /// Returns the reason why a cell of a column has no valid value, as the end of a sentence.
  static func why(_ column: TableColumn) -> String {
    column == .forkCount ? "which is not a number of copies" : "which is not an id"
  }

  // MARK: Writing

  private static let start: StaticString = ",\"forked_from_id\":"
  private static let nothing: StaticString = """
    ,"forked_from_id":null,"fork_count":0,"original_author_username":null,\
    "original_author_user_id":null,"original_content_public_id":null,
    """

  /// Returns whether an item's canonical line contains a lineage. The lineage members are before the document.
  static func isPresent(in line: Span<UInt8>) -> Bool {
    var at = 0
    while let comma = line.firstIndex(of: UInt8(ascii: ","), from: at) {
      if line.starts(with: start, at: comma) { return !line.starts(with: nothing, at: comma) }
      at = comma + 1
    }
    return false
  }
}

/// The canonical text of an item, with slots for values from a table. All other members have their defaults. A template
/// is made once from `Shapes`.
struct EnvelopeTemplate: Sendable {
  /// A value of an item that a table may contain.
  enum Slot: Sendable, Equatable {
    case id, title, description, tags, language, created, updated, checklistType, body
    case lineage(TableColumn)
  }

  /// Constant text and the slot after it.
  struct Piece: Sendable {
    let text: [UInt8]
    let slot: Slot
  }

  /// The pieces in the order of writing.
  let pieces: [Piece]
  /// The text after the last slot.
  let tail: [UInt8]

  /// Creates the template for items of a type.
  init(_ type: ContentType) {
    var pieces: [Piece] = []
    var text: [UInt8] = []
    func add(_ shape: Shape, _ slots: [String: Slot], _ inner: (ShapeMember) -> Bool) {
      text.append(UInt8(ascii: "{"))
      var isFirst = true
      for member in shape.members where member.absent != .omit {
        if !isFirst { text.append(UInt8(ascii: ",")) }
        isFirst = false
        text += member.key
        if inner(member) { continue }
        if let slot = slots[member.nameText] {
          pieces.append(Piece(text: text, slot: slot))
          text = []
        } else if member.kind == .contentType {
          text += Array("\"\(type.rawValue)\"".utf8)
        } else if member.nameText == "syncStatus" {
          text += Array("\"pending\"".utf8)
        } else {
          text += member.absent == .literal ? Array(member.literal) : Array("null".utf8)
        }
      }
      text.append(UInt8(ascii: "}"))
    }
    let document: [String: Slot] = [
      "id": .id, "title": .title, "description": .description, "tags": .tags, "createdAt": .created,
      "updatedAt": .updated, "checklistType": .checklistType, "sections": .body, "cards": .body, "markdown": .body,
    ]
    var envelope: [String: Slot] = [
      "id": .id, "title": .title, "description": .description, "tags": .tags, "language": .language,
      "created_at": .created, "updated_at": .updated,
    ]
    for column in TableColumn.lineage { envelope[column.rawValue] = .lineage(column) }
    add(Shapes.item, envelope) { member in
      guard member.kind == .document else { return false }
      add(Shapes.document(type), document) { _ in false }
      return true
    }
    self.pieces = pieces
    tail = text
  }

  /// The templates for each type.
  static let checklist = EnvelopeTemplate(.checklist)
  static let guide = EnvelopeTemplate(.practiceGuide)
  static let deck = EnvelopeTemplate(.flashcardDeck)

  /// Returns the template for items of a type.
  static func of(_ type: ContentType) -> EnvelopeTemplate {
    switch type {
    case .checklist: checklist
    case .practiceGuide: guide
    case .flashcardDeck: deck
    }
  }
}
