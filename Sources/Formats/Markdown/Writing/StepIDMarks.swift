import JSONText

/// Puts ids behind single steps of a note that says none.
///
/// Somebody gave a step another title. It is the same step, with the ticks of charters, but its id does not follow from
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
        // What else a line says of its step stands between its title and its end.
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
