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
