import JSONText

/// Puts ids behind single steps of a note that says none.
///
/// Someone gave a step another title. It is the same step, with the ticks of charters, but its id does not follow from
/// its words any more; so its line says it, and every other line stays as it is.
struct StepIDMarks {
  /// The ids of a checklist's steps, section by section, with the note's text as the reader understands it.
  let titles: [[Range<Int>]]

  /// The text with the ids that a record has and the note's reading has not.
  /// - Returns: nil where both do not have the same number of sections and steps, or nothing would be added.
  func added(to text: [UInt8], read: NoteRecord, record: NoteRecord) -> [UInt8]? {
    guard let theirs = Self.ids(read), let mine = Self.ids(record), mine.map(\.count) == theirs.map(\.count),
      mine.map(\.count) == titles.map(\.count)
    else { return nil }
    var marks: [(at: Int, id: String)] = []
    for (section, ids) in mine.enumerated() {
      for (step, id) in ids.enumerated() where id != theirs[section][step] {
        let start = titles[section][step].upperBound
        guard start <= text.count else { return nil }
        // What else a line says of its step is between its title and its end.
        var end = text[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? text.count
        while end > start, text[end - 1] == 0x20 || text[end - 1] == 0x09 { end -= 1 }
        marks.append((end, id))
      }
    }
    if marks.isEmpty { return nil }
    var out = text
    for mark in marks.sorted(by: { $0.at > $1.at }) {
      out.insert(contentsOf: Array(" <!-- id=\(mark.id) -->".utf8), at: mark.at)
    }
    return out
  }

  private static func ids(_ record: NoteRecord) -> [[String]]? {
    guard record.type == .checklist else { return nil }
    return record.withBody { sections in
      var all: [[String]] = []
      sections.forEachElement { section in
        var ids: [String] = []
        section.member("items")?.forEachElement { ids.append($0.member("id")?.string ?? "") }
        all.append(ids)
      }
      return all
    }
  }
}

/// Tells bodies that were written in FleetKit's notation, with some ids still missing.
///
/// Someone put a step into a note that FleetKit wrote. Its line gets an id, so that ticks stay with it whatever it is
/// called later; every other line is as it was.
enum AddedIDs {
  /// Whether a body differs from the one that is in the note only by ids that it says in addition.
  static func areAll(of own: [UInt8], to original: [UInt8]) -> Bool {
    // Notes that say no id at all are someone's own: nothing is added to their bodies.
    guard contains(original, Array("<!-- id=".utf8)) else { return false }
    let mine = own.split(separator: 0x0A, omittingEmptySubsequences: false)
    let theirs = original.split(separator: 0x0A, omittingEmptySubsequences: false)
    var next = 0
    for line in mine {
      if next < theirs.count, adds(line, to: theirs[next]) {
        next += 1
      } else if !isComment(line) {
        return false
      }
    }
    return next == theirs.count
  }

  /// Whether a line is another one, or that with an id at its end.
  private static func adds(_ line: ArraySlice<UInt8>, to other: ArraySlice<UInt8>) -> Bool {
    guard line.starts(with: other) else { return false }
    let rest = line.dropFirst(other.count)
    return rest.isEmpty || (rest.first == 0x20 && isComment(rest.dropFirst()))
  }

  /// Whether a text is a comment that holds an id and nothing else.
  private static func isComment(_ text: ArraySlice<UInt8>) -> Bool {
    let start = Array("<!-- id=".utf8)
    let end = Array(" -->".utf8)
    guard text.count > start.count + end.count, text.starts(with: start), text.reversed().starts(with: end.reversed())
    else { return false }
    return text.dropFirst(start.count).dropLast(end.count).allSatisfy { $0 != 0x20 }
  }

  private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    var start = text.startIndex
    while let at = text[start...].firstIndex(of: part[0]) {
      if text[at...].starts(with: part) { return true }
      start = at + 1
    }
    return false
  }
}
