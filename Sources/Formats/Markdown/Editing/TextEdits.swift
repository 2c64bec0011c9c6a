/// Changes to parts of a text, none of which overlap.
struct TextEdits {
  let text: UnsafeBufferPointer<UInt8>
  private var edits: [(range: Range<Int>, bytes: [UInt8])] = []

  init(text: UnsafeBufferPointer<UInt8>) { self.text = text }

  /// Puts other bytes in the place of some.
  mutating func replace(_ range: Range<Int>, with bytes: [UInt8]) { edits.append((range, bytes)) }

  /// Puts bytes before an offset.
  mutating func insert(_ bytes: [UInt8], at offset: Int) { edits.append((offset..<offset, bytes)) }

  /// A part of the text with the changes in it; those at its very end belong to what follows, unless nothing does.
  func applied(to part: Range<Int>, isLast: Bool) -> [UInt8] {
    let inside = edits.filter {
      part.contains($0.range.lowerBound) || isLast && $0.range.lowerBound == part.upperBound
    }.sorted { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
    var out: [UInt8] = []
    var at = part.lowerBound
    for edit in inside {
      if edit.range.lowerBound > at { out += text[at..<edit.range.lowerBound] }
      out += edit.bytes
      at = max(at, edit.range.upperBound)
    }
    if at < part.upperBound { out += text[at..<part.upperBound] }
    return out
  }
}
