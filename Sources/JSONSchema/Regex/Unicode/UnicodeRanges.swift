/// Reads the tables of code points in this module.
///
/// A table has one line for each entry: names separated by commas, a colon, and ranges. A range is written as the
/// distance from the end of the previous range (or 0) to its start, then optionally a point and its length minus one,
/// all in base 36. For example, `2.3 5` means 2 to 5, and 10.
enum UnicodeRanges {
  /// One entry of a table.
  struct Entry {
    /// The names, beginning with the long name.
    var names: [Substring]
    /// The code points in order.
    var ranges: [ClosedRange<UInt32>]
  }

  /// Reads a table.
  static func entries(of table: StaticString) -> [Entry] {
    "\(table)".split(separator: "\n").map { line in
      let colon = line.firstIndex(of: ":") ?? line.endIndex
      var end: UInt32 = 0
      let ranges = line[colon...].dropFirst().split(separator: " ").map { text -> ClosedRange<UInt32> in
        let parts = text.split(separator: ".").map { UInt32($0, radix: 36) ?? 0 }
        let start = end + parts[0]
        end = start + (parts.count > 1 ? parts[1] : 0)
        return start...end
      }
      return Entry(names: line[..<colon].split(separator: ","), ranges: ranges)
    }
  }

  /// Returns whether a code point is in one of `ranges`, which must be in order.
  static func contains(_ ranges: [ClosedRange<UInt32>], _ scalar: UInt32) -> Bool {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if scalar > ranges[middle].upperBound { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].lowerBound <= scalar
  }
}
