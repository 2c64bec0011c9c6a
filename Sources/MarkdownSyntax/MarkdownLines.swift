/// The bytes of each line of a text, without its end (LF, CR or both). 8 bytes for each line.
public struct MarkdownLines: RandomAccessCollection, Sendable {
  private var starts: [Int32] = []
  private var ends: [Int32] = []

  init() {}

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of lines.
  public var endIndex: Int { starts.count }
  /// The bytes of a line.
  public subscript(line: Int) -> Range<Int> { Int(starts[line])..<Int(ends[line]) }

  /// The line that contains an offset, or the last one that begins before it; 0 without one.
  public func line(at offset: Int) -> Int {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if Int(starts[middle]) <= offset { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : 0
  }

  mutating func removeAll() {
    starts.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }

  mutating func append(_ line: Range<Int>) {
    starts.append(Int32(truncatingIfNeeded: line.lowerBound))
    ends.append(Int32(truncatingIfNeeded: line.upperBound))
  }
}
