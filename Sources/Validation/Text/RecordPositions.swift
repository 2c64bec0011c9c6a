import Diagnostics

/// Places of records in eight bytes each, for rules that store a place for every record of a run.
struct RecordPositions {
  /// A stored place.
  struct Entry: BitwiseCopyable {
    fileprivate let source: UInt32
    /// The line; 0 for a row of a library, whose id the caller has.
    fileprivate let line: UInt32
  }

  /// The properties of a place that many records share: file, member and table.
  private struct Source: Equatable {
    let file: String
    let member: String?
    let table: String?
  }

  private var sources: [Source] = []

  /// Stores the place where a record begins.
  mutating func note(_ place: Place) -> Entry {
    let line = UInt32(clamping: place.line ?? 0)
    let source = Source(file: place.file, member: place.member, table: place.row?.table)
    // Records arrive source by source and from few tables, so one of the last entries nearly always matches.
    if let known = sources.suffix(8).lastIndex(of: source) {
      return Entry(source: UInt32(clamping: known), line: line)
    }
    sources.append(source)
    return Entry(source: UInt32(clamping: sources.count - 1), line: line)
  }

  /// Returns a stored place.
  /// - Parameter id: the record's id, for rows of a library.
  func place(_ entry: Entry, id: String) -> Place {
    let source = sources[Int(entry.source)]
    return Place(
      file: source.file, member: source.member, line: entry.line == 0 ? nil : Int(entry.line),
      row: source.table.map { Place.Row(table: $0, id: id) })
  }
}
