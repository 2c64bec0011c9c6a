/// Finds bytes of a string's text in the string as it was written, for many offsets: all of them together cost about
/// one walk, in whatever order they come.
struct WrittenOffsets: Sendable {
  private struct Mark {
    /// Bytes of text, escapes resolved.
    var text = 0
    /// Bytes as written.
    var written = 0
  }

  /// How many bytes of text lie between marks, at least.
  private static let stretch = 1024

  private var marks = [Mark()]

  /// Where the byte at `offset` of the text stands in `inner`: the start of the escape that made it.
  mutating func written(_ offset: Int, in inner: UnsafeBufferPointer<UInt8>) -> Int {
    var low = 0
    var high = marks.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if marks[middle].text <= offset { low = middle } else { high = middle }
    }
    var at = marks[low]
    while at.written < inner.count {
      let step = JSONStrings.step(inner, at.written)
      if at.text + step.made > offset { return at.written }
      at.text += step.made
      at.written += step.written
      if let last = marks.last, at.text - last.text >= Self.stretch { marks.append(at) }
    }
    return inner.count
  }
}
