import Content
import Diagnostics
import Interchange

/// The ids of a checklist or deck, of its sections, and of its steps or cards. They are read from the rows or derived.
struct RowIDs: ~Copyable {
  /// The id of the checklist or deck.
  private(set) var list = UUIDBits(high: 0, low: 0)
  /// The ids that are almost UUIDs.
  private(set) var nearly = MalformedIDs()
  private let layout: TableLayout
  private let scope: TableScope
  private let isDeck: Bool
  private var seen = IDTable()
  private var deriver = IDDeriver()
  /// The length of the prefix of the deriver's name that all steps of the section share; 0 if the prefix must be
  /// written first.
  private var sectionMark = 0

  init(_ layout: TableLayout, scope: TableScope) {
    self.layout = layout
    self.scope = scope
    isDeck = layout.shape == .cards
  }

  /// Begins a checklist or deck.
  /// - Parameters:
  ///   - name: the text that identifies the checklist or deck.
  ///   - cell: the cell of this text if it is in an id column; otherwise nil.
  /// - Returns: the problem of the text, or nil. An error concerns all rows; a lesser problem concerns only the first
  ///   row.
  mutating func begin(_ name: Span<UInt8>, inIDCell cell: Int?) -> RowProblem? {
    seen.removeAll()
    sectionMark = 0
    var problem: RowProblem?
    if let cell {
      if let id = UUIDBits(name) {
        list = id
        return nil
      }
      problem = self.problem(name, cell)
    }
    scope.begin(&deriver, kind: isDeck ? "deck" : "checklist")
    deriver.add(name)
    list = deriver.id()
    return problem
  }

  /// Returns the problem of text that is in an id column but is not a UUID, or nil if the text is a name.
  private mutating func problem(_ name: Span<UInt8>, _ cell: Int) -> RowProblem? {
    Self.isMalformedID(name) ? .noID(name, cell, layout) : nearly.check(name, cell: cell, layout)
  }

  /// Returns whether text was meant to be a UUID but is not one, because it was truncated or has an additional letter.
  /// Words with dashes are names.
  static func isMalformedID(_ text: Span<UInt8>) -> Bool {
    guard text.count >= 30, text.count <= 40, text.contains(0x2D) else { return false }
    var others = 0
    for at in text.indices where text[at] != 0x2D && text[at] &- 0x30 >= 10 {
      let byte = text[at]
      guard (byte | 0x20) &- 0x61 < 26 else { return false }
      if (byte | 0x20) &- 0x61 >= 6 { others += 1 }
    }
    return others <= 2
  }

  /// Returns the id of an item that people identify by their own word.
  private mutating func named(_ text: Span<UInt8>) -> UUIDBits {
    sectionMark = 0
    deriver.begin()
    deriver.add(list)
    deriver.add(text)
    return deriver.id()
  }

  // MARK: Sections

  /// Returns the id of a section from its row, or nil if the row has none.
  mutating func section(
    _ name: Span<UInt8>, _ cell: Int, _ problems: inout [RowProblem]
  ) -> UUIDBits? {
    if name.isEmpty { return nil }
    if let id = UUIDBits(name) { return id }
    if let problem = problem(name, cell) { problems.append(problem) }
    return named(name)
  }

  /// Ends the section, so that the next row begins another one.
  mutating func leaveSection() { sectionMark = 0 }

  /// Returns the id of a section whose rows have no id.
  mutating func section(titled name: Span<UInt8>) -> UUIDBits {
    deriver.begin()
    deriver.add(list)
    deriver.add("")
    deriver.add(name)
    let mark = deriver.mark
    var repeats = 0
    while true {
      deriver.truncate(to: mark)
      deriver.add(String(repeats))
      let id = deriver.id()
      if seen.add(id) == 0 { return id }
      repeats += 1
    }
  }

  // MARK: Steps and cards

  /// Returns the id of a step or card from its row.
  mutating func step(
    _ name: Span<UInt8>, _ cell: Int, title: Span<UInt8>,
    in sections: borrowing SectionList, _ problems: inout [RowProblem]
  ) -> UUIDBits {
    let given = UUIDBits(name)
    if given == nil, Self.isMalformedID(name) {
      problems.append(.noID(name, cell, layout))
      return list
    }
    if given == nil, let problem = nearly.check(name, cell: cell, layout) { problems.append(problem) }
    let id = given ?? named(name)
    if seen.add(id) == 0 { return id }
    problems.append(
      RowProblem(
        .repeatedRowID, "'\(layout.header(cell))' is '\(CellScanner.shown(name))', as in an earlier row", cell: cell))
    return step(titled: title, in: sections)
  }

  /// Returns the id of a step or card that the column of `--key` distinguishes.
  mutating func step(
    key: Span<UInt8>, _ cell: Int, title: Span<UInt8>,
    in sections: borrowing SectionList, _ problems: inout [RowProblem]
  ) -> UUIDBits {
    let id = named(key)
    if seen.add(id) == 0 { return id }
    problems.append(
      RowProblem(
        .repeatedKey, "'\(layout.header(cell))' is '\(CellScanner.shown(key))', as in an earlier row", cell: cell))
    return step(titled: title, in: sections)
  }

  /// Returns the id that the canonicalizer would derive from the item, the section, the title and the sequence number
  /// among steps with the same title.
  mutating func step(
    titled title: Span<UInt8>, in sections: borrowing SectionList
  ) -> UUIDBits {
    if sectionMark == 0 {
      deriver.begin()
      deriver.add(list)
      if let name = sections.currentName, !isDeck { deriver.add(name.span) } else { deriver.add("") }
      sectionMark = deriver.mark
    }
    deriver.truncate(to: sectionMark)
    deriver.add(title)
    let mark = deriver.mark
    deriver.add("0")
    let id = deriver.id()
    var repeats = seen.add(id)
    if repeats == 0 { return id }
    while true {
      deriver.truncate(to: mark)
      deriver.add(String(repeats))
      let other = deriver.id()
      let again = seen.add(other)
      if again == 0 { return other }
      repeats += 1
    }
  }
}

/// Counts the ids of one record. The memory is reused for the next record.
struct IDTable: ~Copyable {
  private var ids: [UUIDBits]
  /// The number of occurrences of each id; 0 for an empty slot.
  private var counts: [Int32]
  /// The slots with an id.
  private var used: [UInt32] = []
  private var mask: Int

  private static let nothing = UUIDBits(high: 0, low: 0)

  init() {
    ids = Array(repeating: Self.nothing, count: 64)
    counts = Array(repeating: 0, count: 64)
    mask = 63
  }

  /// Removes all ids. The time is proportional to their number.
  mutating func removeAll() {
    for slot in used { counts[Int(slot)] = 0 }
    used.removeAll(keepingCapacity: true)
  }

  /// Adds an id.
  /// - Returns: the number of times that the id was added before.
  mutating func add(_ id: UUIDBits) -> Int {
    // A table of a million rows has an id for each row, so the hash table grows when three quarters of its slots are
    // used.
    if used.count * 4 >= counts.count * 3 { grow() }
    let at = slot(of: id)
    counts[at] += 1
    if counts[at] == 1 {
      ids[at] = id
      used.append(UInt32(truncatingIfNeeded: at))
    }
    return Int(counts[at]) - 1
  }

  /// Returns the slot of an id, or the empty slot where the id belongs.
  private func slot(of id: UUIDBits) -> Int {
    // The ids that users write may be anything. A random key for each run prevents deliberate collisions.
    var at = start(id)
    while counts[at] > 0, ids[at] != id { at = (at + 1) & mask }
    return at
  }

  private static let seed = UInt64.random(in: 0...UInt64.max) | 1

  private func start(_ id: UUIDBits) -> Int {
    let mixed = (id.high ^ Self.seed).multipliedFullWidth(by: (id.low ^ 0x9E37_79B9_7F4A_7C15) | 1)
    return Int(truncatingIfNeeded: mixed.high ^ mixed.low) & mask
  }

  private mutating func grow() {
    let old = (ids: ids, counts: counts)
    ids = Array(repeating: Self.nothing, count: old.ids.count * 2)
    counts = Array(repeating: 0, count: ids.count)
    mask = ids.count - 1
    for index in used.indices {
      let from = Int(used[index])
      let at = slot(of: old.ids[from])
      ids[at] = old.ids[from]
      counts[at] = old.counts[from]
      used[index] = UInt32(truncatingIfNeeded: at)
    }
  }
}

/// Counts the values in id columns that look like malformed UUIDs and are treated as names. The first value is reported
/// at its cell; the others are only counted.
struct MalformedIDs {
  /// The number of these values.
  private(set) var count = 0

  /// Checks text that is not a UUID.
  /// - Returns: a problem to report, or nil if the text is not reported.
  mutating func check(_ text: Span<UInt8>, cell: Int, _ layout: TableLayout) -> RowProblem? {
    guard Self.isNearly(text) else { return nil }
    count += 1
    if count > 1 { return nil }
    return RowProblem(
      .nearlyID,
      "'\(layout.header(cell))' is '\(CellScanner.shown(text))', which is almost a UUID and is treated as a name",
      cell: cell)
  }

  /// Returns whether text is a UUID in a different form (such as in braces or without dashes) or a UUID with some
  /// digits missing or added.
  private static func isNearly(_ text: Span<UInt8>) -> Bool {
    guard text.count >= 26, text.count <= 60 else { return false }
    var digits = 0
    var tells = false
    var others = 0
    for at in text.indices {
      let byte = text[at]
      let letter = (byte | 0x20) &- 0x61
      if byte &- 0x30 < 10 {
        digits += 1
      } else if letter < 6 {
        digits += 1
        tells = true
      } else if byte == 0x2D {
        tells = true
      } else if letter < 26 || byte >= 0x80 {
        others += 1
      }
    }
    // 'urn:uuid:' has seven letters that are not digits.
    return tells && (26...38).contains(digits) && others <= (text.contains(0x3A) ? 7 : 2)
  }
}
