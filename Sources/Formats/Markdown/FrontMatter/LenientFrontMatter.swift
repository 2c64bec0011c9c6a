import Content
import JSONText

/// Reads the plain lines of front matter that is not valid YAML because of lines such as `title: Foo: bar`, `{{date}}`,
/// or tabs.
///
/// A key is the text before the first colon of an unindented line. The rest of the line is always text; comments are
/// not recognized. Quotes around a whole value are removed. `[a, b]` is a list, and so are `- a` lines below a key
/// without a value. All other lines are skipped. The time is linear in the length of the text.
enum LenientFrontMatter {
  /// One key and its value.
  struct Entry: Sendable {
    let key: SourcedText
    /// A single value, or the elements of a list.
    var values: [SourcedText]
    var isList: Bool
    /// The bytes of the value as written. If the value is a list over several lines, the range covers all the entry's
    /// lines.
    var range: Range<Int>
  }

  /// Returns the entries of the text between the fences, in order; keys may occur twice.
  /// - Parameter content: the range of the text between the fences in the note.
  static func entries(_ text: Span<UInt8>, content: Range<Int>) -> [Entry] {
    let content = content.clamped(to: text.indices)
    var entries: [Entry] = []
    // Whether list lines can still be added to the last entry.
    var isOpen = false
    var start = content.lowerBound
    while start < content.upperBound {
      var end = start
      while end < content.upperBound, text[end] != 0x0A, text[end] != 0x0D { end += 1 }
      let line = trimmed(text, start..<end)
      if isOpen, let element = element(text, line) {
        let last = entries.count - 1
        entries[last].range =
          (entries[last].isList ? entries[last].range.lowerBound : element.range.lowerBound)..<element.range.upperBound
        entries[last].isList = true
        entries[last].values.append(element)
      } else if !line.isEmpty, line.lowerBound == start, let entry = entry(text, line) {
        isOpen = entry.range.isEmpty
        entries.append(entry)
      } else if !line.isEmpty {
        isOpen = false
      }
      start = end + 1
    }
    // An empty value is an empty string.
    for index in entries.indices where !entries[index].isList && entries[index].values.isEmpty {
      entries[index].values = [SourcedText(text, entries[index].range)]
    }
    return entries
  }

  // MARK: Lines

  private static func entry(_ text: Span<UInt8>, _ line: Range<Int>) -> Entry? {
    guard let first = line.first, text[first] != UInt8(ascii: "#"), text[first] != UInt8(ascii: "-") else { return nil }
    guard
      let colon = line.first(where: {
        text[$0] == UInt8(ascii: ":") && ($0 + 1 == line.upperBound || isBlank(text[$0 + 1]))
      })
    else { return nil }
    let key = unquoted(text, trimmed(text, line.lowerBound..<colon))
    if key.isEmpty { return nil }
    let value = trimmed(text, colon + 1..<line.upperBound)
    var entry = Entry(key: SourcedText(text, key), values: [], isList: false, range: value)
    if value.count >= 2, text[value.lowerBound] == UInt8(ascii: "["), text[value.upperBound - 1] == UInt8(ascii: "]"),
      // `[[page]]` is a link.
      text[value.lowerBound + 1] != UInt8(ascii: "[")
    {
      entry.isList = true
      entry.values = elements(text, value.lowerBound + 1..<value.upperBound - 1)
    } else if !value.isEmpty {
      entry.values = [SourcedText(text, unquoted(text, value))]
    }
    return entry
  }

  /// Returns the element of a line such as `- a`.
  private static func element(_ text: Span<UInt8>, _ line: Range<Int>) -> SourcedText? {
    guard line.count >= 2, text[line.lowerBound] == UInt8(ascii: "-"), isBlank(text[line.lowerBound + 1]) else {
      return nil
    }
    return SourcedText(text, unquoted(text, trimmed(text, line.lowerBound + 1..<line.upperBound)))
  }

  /// Returns the elements between brackets; commas inside quotes do not separate them.
  private static func elements(_ text: Span<UInt8>, _ range: Range<Int>) -> [SourcedText] {
    var found: [SourcedText] = []
    var start = range.lowerBound
    var quote: UInt8?
    var isBlankSoFar = true
    func close(_ end: Int) {
      let part = trimmed(text, start..<end)
      if !part.isEmpty { found.append(SourcedText(text, unquoted(text, part))) }
    }
    for at in range {
      let byte = text[at]
      if byte == quote {
        quote = nil
      } else if quote == nil, byte == UInt8(ascii: ",") {
        close(at)
        start = at + 1
        isBlankSoFar = true
        continue
      } else if isBlankSoFar, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      }
      if !isBlank(byte) { isBlankSoFar = false }
    }
    close(range.upperBound)
    return found
  }

  // MARK: Bytes

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func trimmed(_ text: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, isBlank(text[start]) { start += 1 }
    while start < end, isBlank(text[end - 1]) { end -= 1 }
    return start..<end
  }

  /// Returns the range without its surrounding quotes.
  private static func unquoted(_ text: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
    guard range.count >= 2 else { return range }
    let first = text[range.lowerBound]
    guard first == UInt8(ascii: "\"") || first == UInt8(ascii: "'"), text[range.upperBound - 1] == first else {
      return range
    }
    let inside = range.lowerBound + 1..<range.upperBound - 1
    // `"a" and "b"` is not a quoted string.
    return text.extracting(inside).contains(first) ? range : inside
  }
}

extension NoteMetadata {
  /// Reads the plain lines of front matter that is not YAML, as strings and lists of strings.
  /// - Parameter content: the range of the text between the fences in the note.
  init(lenient text: Span<UInt8>, content: Range<Int>) {
    var json = ByteBuffer(capacity: content.count * 2 + 64)
    json.append(UInt8(ascii: "{"))
    var seen: Set<[UInt8]> = []
    for entry in LenientFrontMatter.entries(text, content: content) where seen.insert(entry.key.bytes).inserted {
      if seen.count > 1 { json.append(UInt8(ascii: ",")) }
      json.appendJSONString(entry.key.bytes.span)
      json.append(UInt8(ascii: ":"))
      if entry.isList {
        json.append(UInt8(ascii: "["))
        for (index, value) in entry.values.enumerated() {
          if index > 0 { json.append(UInt8(ascii: ",")) }
          json.appendJSONString(value.bytes.span)
        }
        json.append(UInt8(ascii: "]"))
      } else if let value = entry.values.first, !value.bytes.isEmpty {
        json.appendJSONString(value.bytes.span)
      } else {
        json.append("null")
      }
    }
    json.append(UInt8(ascii: "}"))
    self.init(try? JSONDocument(parsing: json.bytes.span))
  }
}
