import JSONText

/// Converts the events of a YAML text to JSON and records the position of every token.
///
/// The conversion is iterative and takes one pass. Memory grows with the JSON that is written, whose size is bounded by
/// the length of the text and the limit on aliases.
struct JSONFromYAML: ~Copyable {
  /// An open sequence or mapping.
  private struct Frame {
    let isMapping: Bool
    let isFlow: Bool
    /// The offset at which its JSON begins.
    let start: Int
    /// The index of its token.
    let token: Int
    /// Its position in the YAML text, in characters.
    let scalar: Int
    let anchor: String?
    /// The names so far, as bytes: Swift's strings treat two encodings of one accented letter as equal, but JSON does
    /// not.
    var names: Set<[UInt8]> = []
    /// Whether the next event must be a name.
    var wantsName: Bool
    var isEmpty = true
    /// The number of nested levels, including this one.
    var height = 1
  }

  /// The value that an anchor refers to.
  private struct Anchored {
    let json: Range<Int>
    let tokens: Range<Int>
    let height: Int
  }

  private(set) var json = ByteBuffer(capacity: 256)
  private(set) var places: [PackedPosition] = []
  private let lines: LineTable
  private let limits: YAMLLimits
  private var frames: [Frame] = []
  private var anchors: [String: Anchored] = [:]
  /// The anchors whose values are not complete yet.
  private var open: Set<String> = []
  private var aliased = 0

  init(lines: LineTable, limits: YAMLLimits) {
    self.lines = lines
    self.limits = limits
  }

  /// Writes the single document of the text.
  /// - Throws: `YAMLError` at the first error.
  mutating func run() throws(YAMLError) {
    var events = YAMLEvents(lines.text)
    var documents = 0
    while true {
      let event = try events.next(lines)
      guard places.count <= limits.values else {
        throw YAMLError("the text has more than \(limits.values) values", at: lines.position(event.start))
      }
      switch event.kind {
      case .streamEnd:
        if documents == 0 { writeNull(at: 0) }
        return
      case .documentStart:
        documents += 1
        if documents > 1 {
          throw YAMLError("a second document begins here, but only one is supported", at: lines.position(event.start))
        }
      case .documentEnd, .other: break
      case .alias: try alias(event)
      case .scalar(let value, let isPlain): try scalar(event, value, isPlain: isPlain)
      case .sequenceStart(let isFlow): try begin(event, isMapping: false, isFlow: isFlow)
      case .mappingStart(let isFlow): try begin(event, isMapping: true, isFlow: isFlow)
      case .end: end(event)
      }
    }
  }

  private mutating func writeNull(at scalar: Int) {
    json.append("null")
    places.append(PackedPosition(lines.position(scalar)))
  }

  // MARK: Values

  private mutating func begin(_ event: YAMLEvent, isMapping: Bool, isFlow: Bool) throws(YAMLError) {
    // An anchor at the beginning of a block mapping may belong to the mapping's first name.
    let start = event.anchor == nil && event.tag == nil ? event.start : afterProperties(event)
    if frames.last?.wantsName == true {
      throw YAMLError("the name of a member must be text, not a list or a mapping", at: lines.position(start))
    }
    if let tag = event.tag, tag != "!", tag != Self.core + (isMapping ? "map" : "seq") { throw refused(tag, event) }
    guard frames.count < min(limits.depth, JSONLimits.depth) else {
      throw YAMLError("values nest deeper than \(limits.depth) levels", at: lines.position(start))
    }
    beforeValue()
    if let anchor = event.anchor { open.insert(anchor) }
    frames.append(
      Frame(
        isMapping: isMapping, isFlow: isFlow, start: json.count, token: places.count, scalar: start,
        anchor: event.anchor, wantsName: isMapping))
    places.append(PackedPosition(lines.position(start)))
    json.append(isMapping ? UInt8(ascii: "{") : UInt8(ascii: "["))
  }

  private mutating func end(_ event: YAMLEvent) {
    guard let frame = frames.popLast() else { return }
    json.append(frame.isMapping ? UInt8(ascii: "}") : UInt8(ascii: "]"))
    if frame.isFlow { places[frame.token] = PackedPosition(lines.position(frame.scalar, to: event.end)) }
    if let anchor = frame.anchor {
      open.remove(anchor)
      anchors[anchor] = Anchored(
        json: frame.start..<json.count, tokens: frame.token..<places.count, height: frame.height)
    }
    afterValue(height: frame.height)
  }

  private mutating func scalar(_ event: YAMLEvent, _ value: [UInt8], isPlain: Bool) throws(YAMLError) {
    let start = isPlain && value.isEmpty ? event.start : afterProperties(event)
    let place = lines.position(start, to: event.end)
    let meaning = try meaning(event, value, isPlain: isPlain)
    if frames.last?.wantsName == true { return try name(event, value, meaning, isPlain: isPlain, place) }
    beforeValue()
    let begin = json.count
    let token = places.count
    places.append(PackedPosition(place))
    switch meaning {
    case .null: json.append("null")
    case .bool(let isTrue): json.append(isTrue ? "true" : "false")
    case .number(let number): json.append(utf8: number)
    case .text: json.appendJSONString(value.span)
    case .refused(let why): throw YAMLError(why, at: place)
    }
    anchor(event, begin..<json.count, token)
    afterValue(height: 0)
  }

  private mutating func name(
    _ event: YAMLEvent, _ value: [UInt8], _ meaning: CoreScalar, isPlain: Bool, _ place: YAMLDocument.Position
  ) throws(YAMLError) {
    let last = frames.count - 1
    if meaning == .null {
      throw YAMLError("the name of a member is missing here; quote null or ~ if it is meant as a name", at: place)
    }
    if isPlain, value == [UInt8(ascii: "<"), UInt8(ascii: "<")] {
      throw YAMLError("merge keys (<<) are not part of YAML 1.2; write out the members", at: place)
    }
    if !frames[last].names.insert(value).inserted {
      let shown = String(decoding: value.prefix(80), as: UTF8.self)
      throw YAMLError("the member '\(MessageLine.of(shown))' occurs twice in one mapping", at: place)
    }
    if !frames[last].isEmpty { json.append(UInt8(ascii: ",")) }
    frames[last].isEmpty = false
    frames[last].wantsName = false
    let begin = json.count
    places.append(PackedPosition(place))
    json.appendJSONString(value.span)
    // A name is always text. An alias to a name that looks like a number would mean a number.
    if meaning == .text { anchor(event, begin..<json.count, places.count - 1) }
    json.append(UInt8(ascii: ":"))
  }

  private mutating func alias(_ event: YAMLEvent) throws(YAMLError) {
    let place = lines.position(event.start, to: event.end)
    let name = event.anchor ?? ""
    if frames.last?.wantsName == true {
      throw YAMLError("an alias cannot be the name of a member; quote text that begins with '*'", at: place)
    }
    if open.contains(name) { throw YAMLError("the alias '*\(name)' is inside the value that it refers to", at: place) }
    guard let anchored = anchors[name] else {
      throw YAMLError("no earlier value has the anchor '&\(name)'; quote text that begins with '*'", at: place)
    }
    guard frames.count + anchored.height <= min(limits.depth, JSONLimits.depth) else {
      throw YAMLError("values nest deeper than \(limits.depth) levels", at: place)
    }
    aliased += anchored.json.count
    guard aliased <= limits.aliasedLength else {
      throw YAMLError("the aliases up to this point expand to more than \(limits.aliasedLength) bytes", at: place)
    }
    beforeValue()
    json.reserve(anchored.json.count)
    json.append(json.bytes.span.extracting(anchored.json))
    places.append(PackedPosition(place))
    places.append(contentsOf: Array(places[anchored.tokens.dropFirst()]))
    afterValue(height: anchored.height)
  }

  /// Writes the comma that separates a value from the previous one.
  private mutating func beforeValue() {
    guard let frame = frames.last, !frame.isMapping else { return }
    if !frame.isEmpty { json.append(UInt8(ascii: ",")) }
    frames[frames.count - 1].isEmpty = false
  }

  private mutating func afterValue(height: Int) {
    let last = frames.count - 1
    guard last >= 0 else { return }
    frames[last].height = max(frames[last].height, height + 1)
    if frames[last].isMapping { frames[last].wantsName = true }
  }

  /// Records the value of an event's anchor, if it has one.
  private mutating func anchor(_ event: YAMLEvent, _ range: Range<Int>, _ token: Int) {
    guard let anchor = event.anchor else { return }
    anchors[anchor] = Anchored(json: range, tokens: token..<places.count, height: 0)
  }

  // MARK: Tags

  private static var core: String { "tag:yaml.org,2002:" }

  /// Returns the meaning of a scalar, which is determined by its tag or, if it has no tag, by its form.
  private func meaning(_ event: YAMLEvent, _ value: [UInt8], isPlain: Bool) throws(YAMLError) -> CoreScalar {
    guard let tag = event.tag else { return isPlain ? CoreScalar(value) : .text }
    // A tag of just `!` means text, whatever the value looks like.
    if tag == "!" { return .text }
    let meaning = CoreScalar(value)
    switch (tag.hasPrefix(Self.core) ? String(tag.dropFirst(Self.core.count)) : "", meaning) {
    case ("str", _): return .text
    case ("null", .null), ("bool", .bool), ("float", .number), ("float", .refused), ("int", .refused): return meaning
    case ("int", .number(let number)) where !number.utf8.contains { ".eE".utf8.contains($0) }: return meaning
    case ("null", _), ("bool", _), ("float", _), ("int", _):
      throw YAMLError("the value does not match its tag", at: lines.position(event.start))
    default: throw refused(tag, event)
    }
  }

  private func refused(_ tag: String, _ event: YAMLEvent) -> YAMLError {
    let name = tag.hasPrefix(Self.core) ? "!!" + tag.dropFirst(Self.core.count) : tag
    return YAMLError(
      "the tag '\(MessageLine.of(name))' is not supported; remove it", at: lines.position(event.start))
  }

  /// Returns the index of the character at which a value begins, after its anchor and tag.
  private func afterProperties(_ event: YAMLEvent) -> Int {
    let text = lines.text.span
    var at = lines.byte(ofScalar: event.start)
    var scalar = event.start
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
    func advance() {
      at += 1
      while at < text.count, text[at] & 0xC0 == 0x80 { at += 1 }
      scalar += 1
    }
    while at < text.count, scalar < event.end || scalar == event.start,
      text[at] == UInt8(ascii: "&") || text[at] == UInt8(ascii: "!")
    {
      while at < text.count, !isSpace(text[at]) { advance() }
      while at < text.count, isSpace(text[at]) || text[at] == UInt8(ascii: "#") {
        if text[at] == UInt8(ascii: "#") {
          while at < text.count, text[at] != 0x0A { advance() }
        } else {
          advance()
        }
      }
    }
    return scalar
  }
}

/// Makes text from outside safe for a one-line message.
enum MessageLine {
  static func of(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
  }
}
