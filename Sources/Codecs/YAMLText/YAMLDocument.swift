import JSONText

/// A YAML 1.2 document as JSON, with the position of every value in the YAML text.
///
/// Plain scalars follow the core schema: `yes`, `no`, `on`, `off` and dates are text, `0o17` and `0x1F` are numbers, an
/// empty value and `~` are null. Member names are always text. A construct without a clear meaning in JSON is an error:
/// a name that occurs twice, a merge key, a custom tag, `.inf`, `.nan`, or a second document. Aliases are allowed as
/// long as they expand to little text (`YAMLLimits`). A document is immutable, so threads can share it.
/// - Source: YAML 1.2.2, 10.3 "Core schema"; the grammar is libyaml's.
public struct YAMLDocument: Sendable {
  /// A range in the YAML text, as an editor shows it.
  public struct Position: Hashable, Sendable {
    /// The line, counted from the caller's `firstLine`, which is 1 by default.
    public let line: Int
    /// The column in Unicode scalars, counted from 1.
    public let column: Int
    /// The column after the last character; nil if the value ends on another line or has no end of its own before its
    /// parent's.
    public let endColumn: Int?
  }

  /// The same data as JSON, with numbers as written where JSON allows that, and members in source order.
  public let json: JSONDocument
  /// The position of each token of `json`, in token order.
  private let places: [PackedPosition]

  /// Parses the UTF-8 of `text`, which must contain one document. A text that is empty or has only comments means null.
  ///
  /// A byte order mark, CRLF line ends and a `---` line are allowed.
  /// - Parameter firstLine: the number of the text's first line, if it is an excerpt of a larger text.
  /// - Throws: `YAMLError` with the line and column of the error.
  public init(
    parsing text: Span<UInt8>, firstLine: Int = 1, limits: YAMLLimits = YAMLLimits()
  ) throws(YAMLError) {
    let text = text.extracting(droppingFirst: text.starts(with: "\u{FEFF}") ? 3 : 0)
    let writer = try text.withUnsafeBufferPointer { bytes throws(YAMLError) in
      let lines = LineTable(bytes, firstLine: firstLine)
      guard bytes.count <= limits.textLength else {
        throw YAMLError(
          "the text has \(bytes.count) bytes; the limit is \(limits.textLength)", line: firstLine, column: 1)
      }
      if let offset = UTF8Check.firstInvalid(in: bytes.span) {
        throw YAMLError("these bytes are not UTF-8", at: lines.position(ofByte: offset))
      }
      var writer = JSONFromYAML(lines: lines, limits: limits)
      try writer.run()
      return writer
    }
    do {
      json = try JSONDocument(parsing: writer.json.bytes.span)
    } catch {
      // This should be impossible, because the conversion respects every limit of JSON.
      throw YAMLError(error.message, line: firstLine, column: 1)
    }
    places = writer.places
  }

  /// Parses a string in the same way.
  /// - Throws: `YAMLError` with the line and column of the error.
  public init(parsing text: String, firstLine: Int = 1, limits: YAMLLimits = YAMLLimits()) throws(YAMLError) {
    try self.init(parsing: text.utf8.span, firstLine: firstLine, limits: limits)
  }

  /// Returns the position of the value at `pointer`, or nil if there is no such value.
  ///
  /// The value of an alias has the position of the alias. The values inside it have the positions where they were
  /// written.
  /// - Parameter name: whether to return the position of the member's name instead, which is nil for elements and the
  ///   outermost value.
  public func position(of pointer: JSONPointer, name: Bool = false) -> Position? {
    var index = ChildIndex()
    return position(of: pointer, name: name, using: &index)
  }

  /// Returns the same position as `position(of:name:)`, but reuses results of earlier queries about the same document.
  package func position(of pointer: JSONPointer, name: Bool, using index: inout ChildIndex) -> Position? {
    json.withNode(json.root.tokenIndex) { root in
      var node = root
      for step in pointer.steps {
        guard let found = index.child(of: node, at: step) else { return nil }
        node = found.value
      }
      return position(ofToken: node.index, name: name)
    }
  }

  /// Returns the position of a value of `json`.
  /// - Parameter name: whether to return the position of the member's name instead, which is nil for elements and the
  ///   outermost value.
  public func position(of value: JSONValue, name: Bool = false) -> Position? {
    position(ofToken: value.tokenIndex, name: name)
  }

  private func position(ofToken token: Int, name: Bool) -> Position? {
    var index = token
    if name {
      index -= 1
      guard index >= 0, json.withNode(index, { $0.token.flags.contains(.name) }) else { return nil }
    }
    return places.indices.contains(index) ? places[index].position : nil
  }
}

/// A position in twelve bytes. It is compact because every value of a text has one.
struct PackedPosition {
  private let line: UInt32
  private let column: UInt32
  /// The end column; 0 if it is unknown.
  private let endColumn: UInt32

  init(_ position: YAMLDocument.Position) {
    line = UInt32(clamping: position.line)
    column = UInt32(clamping: position.column)
    endColumn = UInt32(clamping: position.endColumn ?? 0)
  }

  var position: YAMLDocument.Position {
    YAMLDocument.Position(line: Int(line), column: Int(column), endColumn: endColumn == 0 ? nil : Int(endColumn))
  }
}

/// The limits on the time and memory that reading a YAML text may take.
public struct YAMLLimits: Sendable, Equatable {
  /// The length of the longest text in bytes.
  public var textLength = 16 << 20
  /// The largest number of values and names. Each takes about fifty bytes, and two bytes of text are enough to make
  /// one.
  public var values = 2_000_000
  /// The number of bytes of JSON to which all aliases together may expand.
  ///
  /// A few lines of anchors can expand to terabytes, while people who write by hand repeat only a list or two.
  public var aliasedLength = 1 << 20
  /// The largest nesting depth, which is never more than JSON allows.
  public var depth = JSONLimits.depth

  /// Creates the default limits.
  public init() {}
}

/// The reason why a text is not YAML that FleetKit can read, with its line and column.
public struct YAMLError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A one-line message that describes the problem in plain terms, without the position.
  public let message: String
  /// The line, counted from the caller's first line, which is 1 by default.
  public let line: Int
  /// The column in Unicode scalars, counted from 1.
  public let column: Int

  /// Creates an error at a line and column.
  public init(_ message: String, line: Int, column: Int) {
    self.message = message
    self.line = line
    self.column = column
  }

  init(_ message: String, at place: YAMLDocument.Position) {
    self.init(message, line: place.line, column: place.column)
  }

  /// The position and the message: `3:1: a tab cannot be used for indentation; use spaces`.
  public var description: String { "\(line):\(column): \(message)" }
}

/// A problem as libyaml reported it, before it is translated to plain terms.
struct YAMLProblem {
  /// The component of libyaml that reported the problem.
  enum Kind {
    /// The component that decodes bytes to characters.
    case reader(byte: Int)
    case grammar
    /// The component that limits the nesting depth of values.
    case limit
  }

  let kind: Kind
  /// libyaml's message.
  let problem: String
  /// The construct that libyaml was reading.
  let context: String
  /// The index of the character at which libyaml stopped.
  let at: Int
  /// The index of the character at which the construct began.
  let begin: Int

  /// Returns an error that helps to correct the problem, at the position to correct.
  func error(_ lines: LineTable) -> YAMLError {
    switch kind {
    case .reader(let byte):
      let text =
        problem == "control characters are not allowed"
        ? "a control character is not allowed; in double quotes it can be written as \\x and two hex digits" : problem
      return YAMLError(text, at: lines.position(ofByte: byte))
    case .limit:
      return YAMLError("values nest too deeply", at: lines.position(at))
    case .grammar:
      let (message, place) = words
      return YAMLError(message, at: lines.position(place))
    }
  }

  /// The message and its position. If the end of a long value is missing, the position is the value's beginning.
  private var words: (String, Int) {
    switch problem {
    case "found character that cannot start any token":
      return ("a value cannot begin with this character; quote the value, or indent with spaces instead of tabs", at)
    case "found a tab character that violates indentation",
      "found a tab character where an indentation space is expected":
      return ("a tab cannot be used for indentation; use spaces", at)
    case "found unexpected end of stream":
      return ("the quote that opens here is never closed", begin)
    case "found unexpected document indicator":
      return ("the quote that opens here is not closed before a line of '---' or '...'", begin)
    case "could not find expected ':'":
      return ("a ':' is missing after this name, or the previous line is incomplete", begin)
    case "mapping values are not allowed in this context":
      return ("a ':' is not allowed here; quote text that contains ': ', or check the indentation", at)
    case "block sequence entries are not allowed in this context":
      return ("a '- ' entry is not allowed here; begin the list on its own line", at)
    case "did not find expected key":
      return ("a member was expected here; check the indentation and the quotes of the previous lines", at)
    case "did not find expected '-' indicator":
      return ("a '- ' entry was expected here; check the indentation", at)
    case "did not find expected ',' or ']'":
      return ("a ',' or ']' is missing here, in the list that began earlier", at)
    case "did not find expected ',' or '}'":
      return ("a ',' or '}' is missing here, in the mapping that began earlier", at)
    case "did not find expected node content":
      return ("a value was expected here", at)
    case "did not find expected <document start>":
      return ("the document has already ended; check the indentation", at)
    case "found unknown escape character":
      return ("a backslash in double quotes must begin an escape; use single quotes to keep it", at)
    case "did not find expected hexdecimal number", "found invalid Unicode character escape code":
      return ("this escape does not encode a character", at)
    case "found undefined tag handle":
      return ("this tag has an unknown prefix; remove the tag", at)
    case "did not find expected alphabetic or numeric character":
      return (
        "a name must follow '\(context == "while scanning an alias" ? "*" : "&")'; quote text that begins like this",
        at
      )
    default:
      return (problem.isEmpty ? "this is not YAML" : problem, at)
    }
  }
}
