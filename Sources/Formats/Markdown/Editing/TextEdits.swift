/// Non-overlapping changes to a text.
struct TextEdits {
  private typealias Edit = (range: Range<Int>, bytes: [UInt8])

  let text: UnsafeBufferPointer<UInt8>
  private var edits: [Edit] = []

  init(text: UnsafeBufferPointer<UInt8>) { self.text = text }

  /// Replaces a range of bytes.
  mutating func replace(_ range: Range<Int>, with bytes: [UInt8]) { edits.append((range, bytes)) }

  /// Inserts bytes before an offset.
  mutating func insert(_ bytes: [UInt8], at offset: Int) { edits.append((offset..<offset, bytes)) }

  /// Sorts the changes. Call it after the last change and before `applied`.
  mutating func sort() {
    edits.sort { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
  }

  /// Returns a part of the text with the changes applied.
  /// - Parameter isLast: whether changes at the very end belong to this part. Otherwise, they belong to the next part.
  func applied(to part: Range<Int>, isLast: Bool) -> [UInt8] {
    var out: [UInt8] = []
    var at = part.lowerBound
    var next = firstEdit(from: part.lowerBound)
    while next < edits.count {
      let edit = edits[next]
      guard edit.range.lowerBound < part.upperBound || isLast && edit.range.lowerBound == part.upperBound else { break }
      if edit.range.lowerBound > at { out += text[at..<edit.range.lowerBound] }
      out += edit.bytes
      at = max(at, edit.range.upperBound)
      next += 1
    }
    if at < part.upperBound { out += text[at..<part.upperBound] }
    return out
  }

  /// Returns the index of the first change at or after an offset.
  private func firstEdit(from offset: Int) -> Int {
    var (low, high) = (0, edits.count)
    while low < high {
      let middle = (low + high) / 2
      if edits[middle].range.lowerBound < offset { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
