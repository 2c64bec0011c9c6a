/// Searches bytes that no pointer refers to for table cells.
///
/// A cell is accepted only if its record fills it exactly and has all columns of a table, each with a possible value.
/// The time is proportional to the number of bytes.
struct RowSearch {
  /// The bytes that do not belong to a cell.
  struct Gaps {
    private(set) var ranges: [Range<Int>]

    init(from start: Int, to end: Int) { ranges = start < end ? [start..<end] : [] }

    /// Removes a range of bytes.
    mutating func remove(_ range: Range<Int>) {
      taken.append(range)
    }

    private var taken: [Range<Int>] = []

    /// The remaining ranges.
    var left: [Range<Int>] {
      guard let all = ranges.first else { return [] }
      var result: [Range<Int>] = []
      var start = all.lowerBound
      for range in taken.sorted(by: { $0.lowerBound < $1.lowerBound }) {
        if range.lowerBound > start { result.append(start..<min(range.lowerBound, all.upperBound)) }
        start = max(start, range.upperBound)
      }
      if start < all.upperBound { result.append(start..<all.upperBound) }
      return result.filter { !$0.isEmpty }
    }
  }

  private let limits: BTreePage.Limits
  private let shapes: [(table: Int, shape: RecoveredTableShape)]
  private let headerSizes: ClosedRange<Int>?

  /// - Parameter shapes: the tables whose rows to search for, with their numbers.
  init(usable: Int, shapes: [(table: Int, shape: RecoveredTableShape)]) {
    limits = BTreePage.Limits(usable: usable, kind: .tableLeaf)
    self.shapes = shapes
    let counts = shapes.map(\.shape.columns.count)
    if let least = counts.min(), let most = counts.max() {
      // A serial type takes at most five bytes in a record that SQLite can write.
      headerSizes = least + 1...5 * most + 3
    } else {
      headerSizes = nil
    }
  }

  /// Returns the cells that were found, in the order of their bytes. No two cells share a byte.
  func cells(_ bytes: [UInt8], _ gaps: Gaps, _ encoding: DatabaseEncoding) -> [(table: Int, cell: BTreePage.Cell)] {
    guard let headerSizes else { return [] }
    var result: [(table: Int, cell: BTreePage.Cell)] = []
    var serials: [Int] = []
    // The budget limits the work, so that hostile bytes are not decoded again and again.
    var budget = 8 * limits.usable
    for gap in gaps.left {
      var start = gap.lowerBound
      while start < gap.upperBound, budget > 0 {
        defer { start += 1 }
        guard let cell = limits.cell(bytes, start, .tableLeaf), cell.end <= gap.upperBound,
          let (size, _) = bytes.varint(cell.body, before: cell.body + cell.local),
          size <= Int64(headerSizes.upperBound),
          size >= Int64(headerSizes.lowerBound)
        else { continue }
        let range = cell.body..<cell.body + cell.local
        guard case .sound(let size) = Record.header(bytes, range, payload: cell.payload, into: &serials) else {
          continue
        }
        let fitting = shapes.filter { $0.shape.columns.count == serials.count && $0.shape.fits(serials: serials) }
        guard !fitting.isEmpty else { continue }
        budget -= cell.local
        let values = Record.values(bytes, from: cell.body + size, to: range.upperBound, serials: serials, encoding)
        // The values in a record with overflow pages are checked when the record is read.
        let rows = fitting.filter { cell.overflow != 0 || $0.shape.row(values, rowid: cell.rowid) != nil }
        guard rows.count == 1, let found = rows.first else { continue }
        result.append((found.table, cell))
        start = cell.end - 1
      }
    }
    return result
  }
}
