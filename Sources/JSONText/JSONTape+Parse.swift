/// What the parser noticed about a whole text while it built the tokens.
public struct JSONTextTraits: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt8
  /// Makes a set of bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// There is white space between tokens.
  public static let spaced = JSONTextTraits(rawValue: 1)
  /// Some string holds an escape that the writer would not write.
  public static let unusualEscapes = JSONTextTraits(rawValue: 2)
}

/// What one parse added to a tape.
public struct JSONParse: Sendable {
  /// Index of the token of the outermost value.
  public let root: Int
  /// Offset of the first byte after the value.
  public let end: Int
  /// What the parser noticed.
  public let traits: JSONTextTraits
}

extension JSONTape {
  /// Parses the value in `text[range]` strictly by RFC 8259 and appends its tokens.
  ///
  /// White space and one byte order mark around the value are allowed, anything else after it is an error.
  /// Allocates nothing but tape; on error the tape is as it was before.
  /// - Parameter range: the part of `text` that holds exactly one value; token offsets count from the start of `text`.
  /// - Returns: the outermost token and the traits of the text.
  /// - Throws: `JSONError` with the offset of the first byte that cannot be.
  /// - Source: RFC 8259; duplicate names are accepted here and found by `JSONNode.duplicateName`.
  public mutating func parse(
    _ text: UnsafeBufferPointer<UInt8>, in range: Range<Int>? = nil
  ) throws(JSONError) -> JSONParse {
    let range = range ?? 0..<text.count
    let before = used
    guard text.count <= JSONLimits.textLength else { throw JSONError(.tooLong, at: 0) }
    guard let base = text.baseAddress, !range.isEmpty else { throw JSONError(.empty, at: range.lowerBound) }
    var scanner = JSONScanner(base: base, start: range.lowerBound, end: range.upperBound)
    do {
      return try scanner.parse(into: &self)
    } catch {
      truncate(to: before)
      throw error
    }
  }
}
