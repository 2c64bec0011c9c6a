import Interchange

/// The rows that the records of a batch were made of.
struct BatchRows: Sendable {
  /// A row, as its reader can find it again.
  struct Row: Sendable {
    var number: Int32
    /// Which of the rows below the header it is, from 1.
    var ordinal: Int32
    var offset: Int

    init(_ row: borrowing TableRow, ordinal: Int) {
      number = Int32(clamping: row.number)
      self.ordinal = Int32(clamping: ordinal)
      offset = row.offset
    }

    /// As places take it.
    var place: (number: Int, offset: Int) { (Int(number), offset) }
  }

  /// A row that could not be used, and the step that it was to be, as far as anybody knows.
  struct Lost: Sendable {
    var row: Row
    var id: [UInt8] = []
    var title: [UInt8] = []
  }

  /// A section, or the one list of a deck: its own row and its first step.
  struct Section: Sendable {
    var row: Row
    var firstStep: Int
  }

  /// A record: its first row and its first section.
  struct Item: Sendable {
    var row: Row
    var firstSection: Int
  }

  var items: [Item] = []
  var sections: [Section] = []
  var steps: [Row] = []
  /// The rows that records go on without, by the record's place in `items`.
  var lost: [Int: [Lost]] = [:]

  /// The sections of a record, as places in `sections`.
  func sections(of item: Int) -> Range<Int> {
    guard items.indices.contains(item) else { return 0..<0 }
    let end = items.indices.contains(item + 1) ? items[item + 1].firstSection : sections.count
    return items[item].firstSection..<end
  }

  /// The steps of a section, as places in `steps`.
  func steps(of section: Int) -> Range<Int> {
    guard sections.indices.contains(section) else { return 0..<0 }
    let end = sections.indices.contains(section + 1) ? sections[section + 1].firstStep : steps.count
    return sections[section].firstStep..<end
  }
}
