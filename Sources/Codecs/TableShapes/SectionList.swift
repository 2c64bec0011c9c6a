import Content
import Interchange
import JSONText

/// The sections in the rows of a checklist. A deck has a single unnamed section for its cards.
struct SectionList: ~Copyable {
  /// A section that was read.
  struct Section {
    fileprivate let title: Range<Int>
    fileprivate(set) var id: UUIDBits?
    fileprivate(set) var count = 0
    /// Whether a usable row refers to it.
    fileprivate(set) var isMentioned = false
    let row: BatchRows.Row
  }

  /// The index of the current section; -1 before the first row.
  private(set) var current = -1
  /// The last section title in the rows.
  private(set) var lastTitle = ByteBuffer(capacity: 256)
  private(set) var lastID = ByteBuffer(capacity: 64)
  private let titleCell: Int
  private let idCell: Int
  private let isExact: Bool
  private var all: [Section] = []
  private var names = ByteBuffer(capacity: 1024)
  private var byTitle: [KeyHash: Int] = [:]
  private var byID: [UUIDBits: Int] = [:]

  /// The largest number of sections in a checklist that are searched without a hash table.
  private static let few = 16

  init(_ layout: TableLayout) {
    let isDeck = layout.shape == .cards
    titleCell = isDeck ? -1 : layout.cell(.section)
    idCell = isDeck ? -1 : layout.cell(.sectionID)
    isExact = layout.isExact
  }

  /// Starts a new checklist or deck.
  mutating func begin() {
    current = -1
    lastTitle.removeAll()
    lastID.removeAll()
    all.removeAll(keepingCapacity: true)
    names.removeAll()
    if !byTitle.isEmpty { byTitle = [:] }
    if !byID.isEmpty { byID = [:] }
  }

  /// The approximate size of the sections, as JSON in bytes.
  var size: Int { names.count + all.count * 128 }

  var indices: Range<Int> { all.indices }

  subscript(_ index: Int) -> Section { all[index] }

  /// Returns the title of a section as written in its rows; empty if the section has none.
  func name(_ section: Int) -> UnsafeBufferPointer<UInt8> {
    names.bytes.extracting(all[section].title)
  }

  /// The title of the current section; nil before the first row.
  var currentName: UnsafeBufferPointer<UInt8>? { current >= 0 ? name(current) : nil }

  // MARK: Rows

  /// Moves to the section of a row.
  /// - Parameter isStep: whether the row is a step, which must be in a section.
  @inline(__always)
  mutating func enterSection(
    of row: borrowing TableRow, ordinal: Int, isStep: Bool, _ ids: inout RowIDs, _ problems: inout [RowProblem]
  ) {
    if current >= 0, titleCell < 0, idCell < 0 { return }
    let rowTitle = row.trimmed(titleCell).span
    let rowID = row.trimmed(idCell).span
    if current >= 0, rowTitle.equals(lastTitle.bytes.span), rowID.equals(lastID.bytes.span) { return }
    // A row without a section belongs to the section of the row above.
    if current >= 0 || !isStep, rowTitle.isEmpty, rowID.isEmpty { return }
    lastTitle.removeAll()
    lastTitle.append(rowTitle)
    lastID.removeAll()
    lastID.append(rowID)
    let id = ids.section(rowID, idCell, &problems)
    let written = isExact ? row.text(titleCell).span : rowTitle
    let next = move(rowTitle, id, written: written, BatchRows.Row(row, ordinal: ordinal))
    if next != current { ids.leaveSection() }
    current = next
  }

  /// Begins the single section of a deck with the deck's first card.
  mutating func beginDeck(_ row: BatchRows.Row) {
    if current >= 0 { return }
    all.append(Section(title: 0..<0, id: nil, row: row))
    current = 0
  }

  /// Counts a step or card in the current section.
  /// - Returns: the number of steps or cards that the section had before.
  mutating func addStep() -> Int {
    defer { all[current].count += 1 }
    all[current].isMentioned = true
    return all[current].count
  }

  /// Records that a row without a step refers to the current section.
  mutating func markMentioned() { if current >= 0 { all[current].isMentioned = true } }

  // MARK: Looking up

  private mutating func move(
    _ title: Span<UInt8>, _ id: UUIDBits?, written: Span<UInt8>, _ row: BatchRows.Row
  ) -> Int {
    let found = id.flatMap { section(id: $0) } ?? section(titled: title, withoutID: id != nil)
    guard let found else { return add(written, id, row) }
    if let id, all[found].id == nil {
      all[found].id = id
      if all.count > Self.few { byID[id] = found }
    }
    return found
  }

  private func section(id: UUIDBits) -> Int? {
    if all.count > Self.few { return byID[id] }
    return all.firstIndex { $0.id == id }
  }

  /// Returns the index of a section with this title. The current section takes precedence.
  private func section(titled text: Span<UInt8>, withoutID: Bool) -> Int? {
    // Rows without a section belong to a section with the checklist's title.
    func fits(_ index: Int) -> Bool {
      let name = name(index).span
      return (!withoutID || all[index].id == nil) && name.extracting(CellScanner.trimmed(name)).equals(text)
    }
    if withoutID, text.isEmpty { return nil }
    if current >= 0, fits(current) { return current }
    if all.count > Self.few {
      return byTitle[KeyHash(text, kind: 3)].flatMap { fits($0) ? $0 : nil }
    }
    return all.indices.first(where: fits)
  }

  private mutating func add(
    _ written: Span<UInt8>, _ id: UUIDBits?, _ row: BatchRows.Row
  ) -> Int {
    let start = names.count
    names.append(written)
    all.append(Section(title: start..<names.count, id: id, row: row))
    let index = all.count - 1
    if all.count == Self.few + 1 {
      for (number, section) in all.enumerated() { addToIndex(number, section.id) }
    } else if all.count > Self.few {
      addToIndex(index, id)
    }
    return index
  }

  private mutating func addToIndex(_ index: Int, _ id: UUIDBits?) {
    if let id, byID[id] == nil { byID[id] = index }
    let name = name(index).span
    let key = KeyHash(name.extracting(CellScanner.trimmed(name)), kind: 3)
    if byTitle[key] == nil { byTitle[key] = index }
  }
}
