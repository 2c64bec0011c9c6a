/// Converts libyaml's positions, which count characters from the start of the text, to bytes, lines and columns.
///
/// libyaml also ends a line at NEL, LS and PS; editors and the rest of FleetKit end a line only at LF.
struct LineTable {
  private struct Entry {
    let scalar: Int
    let byte: Int
    let line: Int
    /// The character that begins the line.
    let lineStart: Int
  }

  /// The number of characters that share an entry. For a text of empty lines, one entry per line would take thirty
  /// times the memory.
  private static let stretch = 64

  private let text: UnsafeBufferPointer<UInt8>
  private var entries: [Entry] = []

  /// Creates a table by reading the text once. The text must keep its address as long as the table exists.
  init(_ text: UnsafeBufferPointer<UInt8>, firstLine: Int) {
    self.text = text
    var scalar = 0
    var line = firstLine
    var lineStart = 0
    entries.append(Entry(scalar: 0, byte: 0, line: line, lineStart: 0))
    var last = 0
    for byte in text.indices {
      let value = text[byte]
      if value & 0xC0 == 0x80 { continue }
      if scalar - last >= Self.stretch {
        entries.append(Entry(scalar: scalar, byte: byte, line: line, lineStart: lineStart))
        last = scalar
      }
      scalar += 1
      if value == 0x0A {
        line += 1
        lineStart = scalar
      }
    }
  }

  /// Returns the line and column of a character, and the column of `end` if it is on the same line.
  func position(_ scalar: Int, to end: Int? = nil) -> YAMLDocument.Position {
    let entry = entry(of: scalar)
    var endColumn: Int?
    if let end, end > scalar {
      let last = self.entry(of: end)
      if last.line == entry.line { endColumn = end - entry.lineStart + 1 }
    }
    return YAMLDocument.Position(line: entry.line, column: scalar - entry.lineStart + 1, endColumn: endColumn)
  }

  /// Returns the line and column of a byte.
  func position(ofByte offset: Int) -> YAMLDocument.Position {
    let entry = entries[index { $0.byte <= offset }]
    var scalar = entry.scalar
    for byte in entry.byte..<max(entry.byte, min(offset, text.count)) where text[byte] & 0xC0 != 0x80 { scalar += 1 }
    return position(scalar)
  }

  /// Returns an entry for the line of a character. Starts at the last stored entry before the character and counts the
  /// line ends from there.
  private func entry(of scalar: Int) -> Entry {
    let before = entries[index { $0.scalar <= scalar }]
    var at = before.scalar
    var byte = before.byte
    var line = before.line
    var lineStart = before.lineStart
    while at < scalar, byte < text.count {
      if text[byte] == 0x0A {
        line += 1
        lineStart = at + 1
      }
      at += 1
      byte += 1
      while byte < text.count, text[byte] & 0xC0 == 0x80 { byte += 1 }
    }
    return Entry(scalar: at, byte: byte, line: line, lineStart: lineStart)
  }

  /// Returns the offset of the byte at which a character begins.
  func byte(ofScalar scalar: Int) -> Int {
    let entry = entries[index { $0.scalar <= scalar }]
    var left = scalar - entry.scalar
    var byte = entry.byte
    while left > 0, byte < text.count {
      byte += 1
      while byte < text.count, text[byte] & 0xC0 == 0x80 { byte += 1 }
      left -= 1
    }
    return byte
  }

  /// Returns the index of the last entry for which `holds` is true. `holds` must be true for the first entries and
  /// false for all entries after them.
  private func index(_ holds: (Entry) -> Bool) -> Int {
    var low = 0
    var high = entries.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if holds(entries[middle]) { low = middle } else { high = middle }
    }
    return low
  }
}
