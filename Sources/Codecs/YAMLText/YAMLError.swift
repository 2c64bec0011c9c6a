/// Why a text is not YAML that FleetKit reads, and at which line and column.
public struct YAMLError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong, in one line of plain words without the place.
  public let message: String
  /// Line from 1; the caller's first line counts.
  public let line: Int
  /// Column in Unicode scalars from 1.
  public let column: Int

  /// Makes an error at a place.
  public init(_ message: String, line: Int, column: Int) {
    self.message = message
    self.line = line
    self.column = column
  }

  init(_ message: String, at place: YAMLDocument.Position) {
    self.init(message, line: place.line, column: place.column)
  }

  /// Place and message: `3:1: a tab cannot indent; use spaces`.
  public var description: String { "\(line):\(column): \(message)" }
}

/// What libyaml met, before it is said in plain words.
struct YAMLProblem {
  /// Who met it.
  enum Kind {
    /// What turns bytes into characters.
    case reader(byte: Int)
    case grammar
    /// Something nests deeper than libyaml allows.
    case limit
  }

  let kind: Kind
  /// libyaml's words.
  let problem: String
  /// What libyaml was doing.
  let context: String
  /// The character where it stopped.
  let at: Int
  /// The character where that began.
  let begin: Int

  /// The problem as people can act on it, at the place where they can.
  func error(_ lines: LineTable) -> YAMLError {
    switch kind {
    case .reader(let byte):
      let text =
        problem == "control characters are not allowed"
        ? "a control character stands here; in double quotes it can be written as \\x and two hex digits" : problem
      return YAMLError(text, at: lines.position(ofByte: byte))
    case .limit:
      return YAMLError("values nest too deep", at: lines.position(at))
    case .grammar:
      let (message, place) = words
      return YAMLError(message, at: lines.position(place))
    }
  }

  /// Message and place. What is missing at the end of a long value is said at its beginning.
  private var words: (String, Int) {
    switch problem {
    case "found character that cannot start any token":
      return ("a value cannot begin with this character; put it in quotes (and indent with spaces, not with tabs)", at)
    case "found a tab character that violates indentation",
      "found a tab character where an indentation space is expected":
      return ("a tab cannot indent; use spaces", at)
    case "found unexpected end of stream":
      return ("the quote that opens here is never closed", begin)
    case "found unexpected document indicator":
      return ("the quote that opens here is not closed before a line of '---' or '...'", begin)
    case "could not find expected ':'":
      return ("a ':' is missing after this name, or the line before it is not finished", begin)
    case "mapping values are not allowed in this context":
      return ("a ':' cannot stand here; put text that contains ': ' in quotes, or check the indentation", at)
    case "block sequence entries are not allowed in this context":
      return ("a '- ' entry cannot stand here; begin the list on a line of its own", at)
    case "did not find expected key":
      return ("a member was expected here; check the indentation and the quotes of the lines before", at)
    case "did not find expected '-' indicator":
      return ("a '- ' entry was expected here; check the indentation", at)
    case "did not find expected ',' or ']'":
      return ("a ',' or ']' is missing here, in the list that began before", at)
    case "did not find expected ',' or '}'":
      return ("a ',' or '}' is missing here, in the mapping that began before", at)
    case "did not find expected node content":
      return ("a value was expected here", at)
    case "did not find expected <document start>":
      return ("the document has ended before this; check the indentation", at)
    case "found unknown escape character":
      return ("a backslash in double quotes must begin an escape; use single quotes to keep it", at)
    case "did not find expected hexdecimal number", "found invalid Unicode character escape code":
      return ("this escape names no character", at)
    case "found undefined tag handle":
      return ("this tag's beginning is not known; tags are not used here", at)
    case "did not find expected alphabetic or numeric character":
      return (
        "a name must follow '\(context == "while scanning an alias" ? "*" : "&")'; put text that begins so in quotes",
        at
      )
    default:
      return (problem.isEmpty ? "this is not YAML" : problem, at)
    }
  }
}
