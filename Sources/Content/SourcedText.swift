import JSONText

/// Text from a source, with the range of source bytes that it came from.
///
/// Removing indentation or joining lines splits the text into several stretches. Each stretch is one contiguous piece
/// of the source. All offsets are in bytes from the start of the source's text.
package struct SourcedText: Sendable {
  /// The text itself, UTF-8.
  package var bytes: [UInt8]
  /// The whole range in the source that the text came from.
  package var range: Range<Int>
  /// The beginnings of the stretches in the text and in the source, in ascending order. Empty if there is one stretch
  /// that begins with `range`.
  package var stretches: [Stretch] = []

  /// A piece of bytes that is the same in the text and in the source.
  package struct Stretch: Sendable {
    package let value: Int
    package let source: Int

    /// Makes a piece at offset `value` of the text and offset `source` of the source.
    package init(value: Int, source: Int) {
      self.value = value
      self.source = source
    }
  }

  /// Makes text that is unchanged in the source.
  package init(_ text: Span<UInt8>, _ range: Range<Int>) {
    bytes = [UInt8](text.extracting(range))
    self.range = range
  }

  /// Makes text from several pieces.
  package init(bytes: [UInt8], range: Range<Int>, stretches: [Stretch] = []) {
    self.bytes = bytes
    self.range = range
    self.stretches = stretches
  }

  /// The text as a string.
  package var string: String { String(decoding: bytes, as: UTF8.self) }

  /// The text as a JSON string, with the whole range as its place.
  package var quoted: SourcedText {
    var out = ByteBuffer(capacity: bytes.count + 16)
    out.appendJSONString(bytes.span)
    return SourcedText(bytes: out.copy(0..<out.count), range: range)
  }

  /// Returns the source bytes that a range of the text came from, or the whole range if they are unknown.
  package func source(of part: Range<Int>) -> Range<Int> {
    let first = place(part.lowerBound)
    let last = part.isEmpty ? first : place(part.upperBound - 1) + 1
    guard range.contains(first) || first == range.upperBound, last >= first, last <= range.upperBound else {
      return range
    }
    return first..<last
  }

  // MARK: Parts

  /// Returns the source offset of a byte of the text.
  package func place(_ value: Int) -> Int {
    guard let index = stretch(at: value) else { return range.lowerBound + value }
    return stretches[index].source + value - stretches[index].value
  }

  /// Returns a range of the text, with its own source positions.
  package func part(_ part: Range<Int>) -> SourcedText {
    let bytes = Array(self.bytes[part])
    guard !part.isEmpty else { return SourcedText(bytes: [], range: place(part.lowerBound)..<place(part.lowerBound)) }
    let range = place(part.lowerBound)..<place(part.upperBound - 1) + 1
    guard range.lowerBound <= range.upperBound else { return SourcedText(bytes: bytes, range: self.range) }
    guard let first = stretch(at: part.lowerBound) else { return SourcedText(bytes: bytes, range: range) }
    var inside = [Stretch(value: 0, source: range.lowerBound)]
    var next = first + 1
    while next < stretches.count, stretches[next].value < part.upperBound {
      inside.append(Stretch(value: stretches[next].value - part.lowerBound, source: stretches[next].source))
      next += 1
    }
    return SourcedText(bytes: bytes, range: range, stretches: inside.count > 1 ? inside : [])
  }

  /// Returns the last stretch that begins at or before a byte.
  private func stretch(at value: Int) -> Int? {
    var (low, high) = (0, stretches.count)
    while low < high {
      let middle = (low + high) / 2
      if stretches[middle].value <= value { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : low - 1
  }
}
