internal import CYaml

/// Reads the events of a YAML text through libyaml, which is part of Yams.
///
/// Yams composes whole trees, traps on some events, and hashes keys that aliases make extremely large. Therefore only
/// its grammar is used here. Only one event is in memory at a time, and no tree is built.
struct YAMLEvents: ~Copyable {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let isReady: Bool

  /// Begins reading UTF-8, which must keep its address as long as events are read.
  init(_ text: UnsafeBufferPointer<UInt8>) {
    parser = .allocate(capacity: 1)
    parser.initialize(to: yaml_parser_t())
    isReady = yaml_parser_initialize(parser) == 1
    guard isReady else { return }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, text.baseAddress, text.count)
  }

  deinit {
    if isReady { yaml_parser_delete(parser) }
    parser.deinitialize(count: 1)
    parser.deallocate()
  }

  /// Returns the next event.
  /// - Throws: the first violation of the grammar, with FleetKit's message and the position.
  mutating func next(_ lines: LineTable) throws(YAMLError) -> YAMLEvent {
    guard isReady else { throw YAMLError("there is not enough memory", at: lines.position(0)) }
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw YAMLProblem(parser.pointee).error(lines) }
    defer { yaml_event_delete(&event) }
    return YAMLEvent(event)
  }
}

extension YAMLEvent {
  fileprivate init(_ event: yaml_event_t) {
    start = Int(clamping: event.start_mark.index)
    end = Int(clamping: event.end_mark.index)
    var anchor: UnsafeMutablePointer<UInt8>?
    var tag: UnsafeMutablePointer<UInt8>?
    switch event.type {
    case YAML_STREAM_END_EVENT: kind = .streamEnd
    case YAML_DOCUMENT_START_EVENT: kind = .documentStart
    case YAML_DOCUMENT_END_EVENT: kind = .documentEnd
    case YAML_ALIAS_EVENT:
      anchor = event.data.alias.anchor
      kind = .alias
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      anchor = scalar.anchor
      tag = scalar.tag
      let value = UnsafeBufferPointer(start: scalar.value, count: scalar.value == nil ? 0 : scalar.length)
      kind = .scalar(Array(value), isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
    case YAML_SEQUENCE_START_EVENT:
      anchor = event.data.sequence_start.anchor
      tag = event.data.sequence_start.tag
      kind = .sequenceStart(isFlow: event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE)
    case YAML_MAPPING_START_EVENT:
      anchor = event.data.mapping_start.anchor
      tag = event.data.mapping_start.tag
      kind = .mappingStart(isFlow: event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE)
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: kind = .end
    default: kind = .other
    }
    self.anchor = anchor.map { String(cString: $0) }
    self.tag = tag.map { String(cString: $0) }
  }
}

extension YAMLProblem {
  fileprivate init(_ parser: yaml_parser_t) {
    switch parser.error {
    case YAML_MEMORY_ERROR: kind = .limit
    case YAML_READER_ERROR: kind = .reader(byte: Int(clamping: parser.problem_offset))
    default: kind = .grammar
    }
    problem = parser.problem.map { String(cString: $0) } ?? ""
    context = parser.context.map { String(cString: $0) } ?? ""
    at = Int(clamping: parser.problem_mark.index)
    begin = Int(clamping: parser.context_mark.index)
  }
}

/// A grammatical event in a YAML text.
struct YAMLEvent {
  /// The kind of event.
  enum Kind: Equatable {
    case streamEnd
    case documentStart
    case documentEnd
    case alias
    /// A scalar: its text with escapes resolved, and whether it has neither quotes nor block indicators.
    case scalar([UInt8], isPlain: Bool)
    case sequenceStart(isFlow: Bool)
    case mappingStart(isFlow: Bool)
    /// The end of a sequence or mapping.
    case end
    case other
  }

  let kind: Kind
  /// The anchor that the event sets or, for an alias, refers to.
  let anchor: String?
  /// The full tag, such as `tag:yaml.org,2002:str`; nil without a tag, or for `!` alone.
  let tag: String?
  /// The start of the event, including its anchor and tag, in characters from the start of the text.
  let start: Int
  /// The index of the character after the last one.
  let end: Int
}

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
  /// times the text's own size.
  private static let stretch = 64

  let text: UnsafeBufferPointer<UInt8>
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
