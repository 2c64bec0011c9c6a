import JSONText

/// One YAML 1.2 document as JSON, with the place of every value in the YAML text.
///
/// Plain scalars follow the core schema: `yes`, `no`, `on`, `off` and dates are text, `0o17` and `0x1F` are numbers,
/// an empty value and `~` are null. Names of members are unchanged text. Anything without a clear meaning in JSON is
/// refused with its place: names that occur twice, merge keys, custom tags, `.inf` and `.nan`, a second document.
/// Aliases are allowed as long as they repeat little (`YAMLLimits`). Immutable, so it can be shared between threads.
/// - Source: YAML 1.2.2, 10.3 "Core schema"; the grammar is libyaml's.
public struct YAMLDocument: Sendable {
  /// A range of the YAML text, as an editor shows it.
  public struct Position: Hashable, Sendable {
    /// Line, counted from the caller's `firstLine`, which is 1 by default.
    public let line: Int
    /// Column in Unicode scalars from 1.
    public let column: Int
    /// The column after the last character; nil if the value ends on another line, or only where its parent ends.
    public let endColumn: Int?
  }

  /// The same data as JSON: numbers as written if JSON allows that, members in the order of the text.
  public let json: JSONDocument
  /// The place of each token of `json`, in the order of its tokens.
  private let places: [PackedPosition]

  /// Parses the UTF-8 of `text`, which must contain one document; an empty text and comments alone mean null.
  ///
  /// A byte order mark, CRLF line ends and a `---` line are allowed.
  /// - Parameter firstLine: the number of the text's first line, for a part of a larger text.
  /// - Throws: `YAMLError` with the line and column of the error.
  public init(
    parsing text: UnsafeBufferPointer<UInt8>, firstLine: Int = 1, limits: YAMLLimits = YAMLLimits()
  ) throws(YAMLError) {
    var text = text
    if text.count >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF {
      text = UnsafeBufferPointer(rebasing: text[3...])
    }
    let lines = LineTable(text, firstLine: firstLine)
    guard text.count <= limits.textLength else {
      throw YAMLError(
        "the text has \(text.count) bytes; the limit is \(limits.textLength)", line: firstLine, column: 1)
    }
    if let offset = UTF8Check.firstInvalid(in: text) {
      throw YAMLError("these bytes are not UTF-8", at: lines.position(ofByte: offset))
    }
    var writer = JSONFromYAML(text: text, lines: lines, limits: limits)
    try writer.run()
    do {
      json = try JSONDocument(parsing: writer.json.bytes)
    } catch {
      // The writer keeps to every limit of JSON, so this was never seen.
      throw YAMLError(error.message, line: firstLine, column: 1)
    }
    places = writer.places
  }

  /// Parses `text` in the same way.
  /// - Throws: `YAMLError` with the line and column of the error.
  public init(parsing text: String, firstLine: Int = 1, limits: YAMLLimits = YAMLLimits()) throws(YAMLError) {
    var text = text
    // `withUTF8` does not pass on typed errors.
    let result: Result<YAMLDocument, YAMLError> = text.withUTF8 { bytes in
      Result { () throws(YAMLError) in try YAMLDocument(parsing: bytes, firstLine: firstLine, limits: limits) }
    }
    self = try result.get()
  }

  /// The place of the value at `pointer`; nil if there is no such value.
  ///
  /// The value of an alias has the place of the alias; the values inside it have the place where they were written.
  /// - Parameter name: returns the place of the member's name instead; nil for elements and the outermost value.
  public func position(of pointer: JSONPointer, name: Bool = false) -> Position? {
    var index = ChildIndex()
    return position(of: pointer, name: name, using: &index)
  }

  /// The same for many queries about one document; reuses the results of the earlier ones.
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

  /// The place of a value of `json`.
  /// - Parameter name: returns the place of the member's name instead; nil for elements and the outermost value.
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

/// A position in twelve bytes: there is one for every value of a text.
struct PackedPosition {
  private let line: UInt32
  private let column: UInt32
  /// 0 if it is not known.
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

/// The limits of what a YAML text may require of its reader.
public struct YAMLLimits: Sendable, Equatable {
  /// The longest text in bytes.
  public var textLength = 16 << 20
  /// The largest number of values and names. Each takes some fifty bytes, and two bytes of text can make one.
  public var values = 2_000_000
  /// How much all aliases together may repeat, in bytes of the JSON that they expand to.
  ///
  /// A few lines of anchors can expand to terabytes; people who write by hand repeat a list or two.
  public var aliasedLength = 1 << 20
  /// The deepest nesting of values; never more than JSON allows.
  public var depth = JSONLimits.depth

  /// Creates the default limits.
  public init() {}
}
