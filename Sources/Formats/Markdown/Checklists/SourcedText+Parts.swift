extension SourcedText {
  /// Where a byte of the text stands in the note.
  func place(_ value: Int) -> Int {
    guard let index = stretch(at: value) else { return range.lowerBound + value }
    return stretches[index].source + value - stretches[index].value
  }

  /// A part of the text, with its own places.
  func part(_ part: Range<Int>) -> SourcedText {
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

  /// The last stretch that begins at or before a byte.
  private func stretch(at value: Int) -> Int? {
    var (low, high) = (0, stretches.count)
    while low < high {
      let middle = (low + high) / 2
      if stretches[middle].value <= value { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : low - 1
  }
}
