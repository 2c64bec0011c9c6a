import Content

/// Non-overlapping changes to text.
struct TextEdits {
  private typealias Edit = (range: Range<Int>, bytes: [UInt8])

  private var edits: [Edit] = []

  /// Creates an empty list of changes.
  init() {}

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
  func applied(to part: Range<Int>, of text: Span<UInt8>, isLast: Bool) -> [UInt8] {
    var out: [UInt8] = []
    var at = part.lowerBound
    var next = firstEdit(from: part.lowerBound)
    while next < edits.count {
      let edit = edits[next]
      guard edit.range.lowerBound < part.upperBound || isLast && edit.range.lowerBound == part.upperBound else { break }
      if edit.range.lowerBound > at { out.append(contentsOf: text.extracting(at..<edit.range.lowerBound)) }
      out += edit.bytes
      at = max(at, edit.range.upperBound)
      next += 1
    }
    if at < part.upperBound { out.append(contentsOf: text.extracting(at..<part.upperBound)) }
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

/// The change to a title in its note. It replaces only the differing words if the marks can stay, otherwise the whole
/// title.
struct TitleEdit {
  let range: Range<Int>
  let bytes: [UInt8]

  /// Finds the change.
  /// - Parameters:
  ///   - place: the title in the note.
  ///   - old: the title in the record.
  ///   - new: the wanted title.
  init(_ text: Span<UInt8>, _ place: SourcedText, from old: [UInt8], to new: [UInt8]) {
    let line = MarkdownRoundTrip.line(new)
    if old == place.bytes, let edit = Self.inside(text, place, to: line) {
      self = edit
    } else {
      (range, bytes) = (place.range, line)
    }
  }

  private init(range: Range<Int>, bytes: [UInt8]) {
    self.range = range
    self.bytes = bytes
  }

  /// Returns a change to a part of a title with marks; nil if the part is not contiguous in the note, or if the title
  /// with these marks would not be displayed as the new title.
  private static func inside(_ text: Span<UInt8>, _ place: SourcedText, to new: [UInt8]) -> TitleEdit? {
    let old = place.bytes
    guard !place.stretches.isEmpty, !new.isEmpty, !place.range.contains(where: { text[$0] == 0x0A || text[$0] == 0x0D })
    else { return nil }
    var start = 0
    while start < min(old.count, new.count), old[start] == new[start] { start += 1 }
    while start > 0, start < old.count && isInside(old[start]) || start < new.count && isInside(new[start]) {
      start -= 1
    }
    var tail = 0
    while tail < min(old.count, new.count) - start, old[old.count - 1 - tail] == new[new.count - 1 - tail] { tail += 1 }
    while tail > 0, isInside(old[old.count - tail]) { tail -= 1 }
    let (from, to) = (start, old.count - tail)
    let words = Array(new[start..<new.count - tail])
    var edit: TitleEdit
    if from == to {
      let at = from == old.count ? place.range.upperBound : from == 0 ? place.range.lowerBound : place.place(from)
      edit = TitleEdit(range: at..<at, bytes: words)
    } else {
      let range = place.place(from)..<place.place(to - 1) + 1
      guard range.count == to - from, text.extracting(range).equals(old[from..<to].span) else { return nil }
      edit = TitleEdit(range: range, bytes: words)
    }
    if edit.shows(new, text, place.range) { return edit }
    // The title is a page link without a label, so add one.
    guard let label = edit.labelled(text, place) else { return nil }
    return label.shows(new, text, place.range) ? label : nil
  }

  /// Whether a byte is a UTF-8 continuation byte.
  private static func isInside(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

  /// Whether the changed title is displayed as the given text, and every link keeps its target.
  private func shows(_ new: [UInt8], _ text: Span<UInt8>, _ title: Range<Int>) -> Bool {
    let bytes =
      Array(text.extracting(title.lowerBound..<range.lowerBound)) + bytes
      + Array(text.extracting(range.upperBound..<title.upperBound))
    let read = PlainTitle.read(SourcedText(bytes: bytes, range: 0..<bytes.count))
    return (read?.text.bytes ?? bytes) == new && Self.targets(bytes) == Self.targets(Array(text.extracting(title)))
  }

  /// Returns the targets of all links in a title.
  private static func targets(_ title: [UInt8]) -> [[UInt8]] {
    var targets: [[UInt8]] = []
    for at in title.indices.dropLast() {
      let (first, second) = (title[at], title[at + 1])
      if first == UInt8(ascii: "["), second == first {
        targets.append(Array(title[(at + 2)...].prefix { $0 != UInt8(ascii: "|") && $0 != UInt8(ascii: "]") }))
      } else if first == UInt8(ascii: "]"), second == UInt8(ascii: "(") {
        targets.append(Array(title[(at + 2)...].prefix { $0 != UInt8(ascii: ")") }))
      }
    }
    return targets
  }

  /// Returns the change that turns `[[page]]` into `[[page|label]]`.
  private func labelled(_ text: Span<UInt8>, _ place: SourcedText) -> TitleEdit? {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start > place.range.lowerBound, text[start - 1] != UInt8(ascii: "[") { start -= 1 }
    while end < place.range.upperBound, text[end] != UInt8(ascii: "]") { end += 1 }
    guard start - 2 >= place.range.lowerBound, text[start - 2] == UInt8(ascii: "["), end + 1 < place.range.upperBound,
      text[end + 1] == UInt8(ascii: "]"), !text.extracting(start..<end).contains(UInt8(ascii: "|"))
    else { return nil }
    let label =
      Array(text.extracting(start..<range.lowerBound)) + bytes + Array(text.extracting(range.upperBound..<end))
    return TitleEdit(range: start..<end, bytes: Array(text.extracting(start..<end)) + [UInt8(ascii: "|")] + label)
  }
}
