import JSONText

/// Adds ids to single steps of a note that contains no ids.
///
/// A step whose title was changed in the library is still the same step and keeps the ticks of charters. However, its
/// id can no longer be derived from its title, so the id is written on the step's line. Every other line stays
/// unchanged.
struct StepIDMarks {
  /// The ranges of the step titles in the parsed text of the note, section by section.
  let titles: [[Range<Int>]]

  /// Returns the text with the ids of the record that could not be read from the note.
  /// - Returns: nil if the note and the record do not have the same number of sections and steps, or if no id would be
  ///   added.
  func added(to text: [UInt8], read: NoteRecord, record: NoteRecord) -> [UInt8]? {
    guard let theirs = Self.ids(read), let mine = Self.ids(record), mine.map(\.count) == theirs.map(\.count),
      mine.map(\.count) == titles.map(\.count)
    else { return nil }
    var marks: [(at: Int, id: String)] = []
    for (section, ids) in mine.enumerated() {
      for (step, id) in ids.enumerated() where id != theirs[section][step] {
        let start = titles[section][step].upperBound
        guard start <= text.count else { return nil }
        // The step's other attributes are between its title and the end of the line.
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

/// Recognizes bodies that were written in FleetKit's notation but do not contain all ids.
///
/// If a step was added to a note that FleetKit wrote, the step's line gets an id, so that ticks stay with the step when
/// its title changes. Every other line stays unchanged.
enum AddedIDs {
  /// Whether a body differs from the note's original body only by additional ids.
  static func areAll(of own: [UInt8], to original: [UInt8]) -> Bool {
    // A person wrote a note without ids, so no ids are added to its body.
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

  /// Whether a line is equal to another line, or to the other line with an id appended.
  private static func adds(_ line: ArraySlice<UInt8>, to other: ArraySlice<UInt8>) -> Bool {
    guard line.starts(with: other) else { return false }
    let rest = line.dropFirst(other.count)
    return rest.isEmpty || (rest.first == 0x20 && isComment(rest.dropFirst()))
  }

  /// Whether a text is a comment that contains only an id.
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
