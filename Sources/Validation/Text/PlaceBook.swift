import Diagnostics

/// Places of records, eight bytes each: what a rule remembers of every record of a run.
struct PlaceBook {
  /// A place in the book.
  struct Entry: BitwiseCopyable {
    fileprivate let source: UInt32
    /// The line; 0 for a row of a library, whose id the caller knows.
    fileprivate let line: UInt32
  }

  /// What many records share: file, member and table.
  private struct Source: Equatable {
    let file: String
    let member: String?
    let table: String?
  }

  private var sources: [Source] = []

  /// Notes where a record begins.
  mutating func note(_ place: Place) -> Entry {
    let line = UInt32(clamping: place.line ?? 0)
    let source = Source(file: place.file, member: place.member, table: place.row?.table)
    // Records come source by source and from few tables, so one of the last is nearly always right.
    if let known = sources.suffix(8).lastIndex(of: source) {
      return Entry(source: UInt32(clamping: known), line: line)
    }
    sources.append(source)
    return Entry(source: UInt32(clamping: sources.count - 1), line: line)
  }

  /// The place again.
  /// - Parameter id: the record's id, for rows of a library.
  func place(_ entry: Entry, id: String) -> Place {
    let source = sources[Int(entry.source)]
    return Place(
      file: source.file, member: source.member, line: entry.line == 0 ? nil : Int(entry.line),
      row: source.table.map { Place.Row(table: $0, id: id) })
  }
}
