/// A text that was taken from a note, and the bytes of the note that it came from.
///
/// Taking off indentation or joining lines makes a text of several stretches; each of them lies in one piece in the
/// note. All offsets count from the start of the note's text.
struct SourcedText: Sendable {
  /// The text itself, UTF-8.
  var bytes: [UInt8]
  /// All of the note that it came from.
  var range: Range<Int>
  /// Where stretches begin, in the text and in the note, ascending; empty for one stretch that begins with `range`.
  var stretches: [Stretch] = []

  /// A piece that lies in the note as it lies in the text.
  struct Stretch: Sendable {
    let value: Int
    let source: Int
  }

  /// A text that stands in the note as it is.
  init(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
    bytes = Array(text[range])
    self.range = range
  }

  /// A text that was put together.
  init(bytes: [UInt8], range: Range<Int>, stretches: [Stretch] = []) {
    self.bytes = bytes
    self.range = range
    self.stretches = stretches
  }

  /// The text as a string.
  var string: String { String(decoding: bytes, as: UTF8.self) }

  /// The bytes of the note that a part of the text came from; all of them where nobody knows better.
  func source(of part: Range<Int>) -> Range<Int> {
    let first = offset(of: part.lowerBound)
    let last = part.isEmpty ? first : offset(of: part.upperBound - 1) + 1
    guard range.contains(first) || first == range.upperBound, last >= first, last <= range.upperBound else {
      return range
    }
    return first..<last
  }

  private func offset(of value: Int) -> Int {
    guard let stretch = stretches.last(where: { $0.value <= value }) else { return range.lowerBound + value }
    return stretch.source + value - stretch.value
  }
}
