/// Why a text is not YAML that FleetKit can read, with line and column.
public struct YAMLError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The problem in one line of plain words, without the place.
  public let message: String
  /// Line, counted from the caller's first line, which is 1 by default.
  public let line: Int
  /// Column in Unicode scalars from 1.
  public let column: Int

  /// Creates an error at a place.
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

/// A problem that libyaml reported, before it is put into plain words.
struct YAMLProblem {
  /// The part of libyaml that reported it.
  enum Kind {
    /// The part that turns bytes into characters.
    case reader(byte: Int)
    case grammar
    /// The values nest deeper than libyaml allows.
    case limit
  }

  let kind: Kind
  /// libyaml's message.
  let problem: String
  /// What libyaml was doing.
  let context: String
  /// The character at which it stopped.
  let at: Int
  /// The character at which that construct began.
  let begin: Int

  /// The problem in words that help to correct it, at the place to correct.
  func error(_ lines: LineTable) -> YAMLError {
    switch kind {
    case .reader(let byte):
      let text =
        problem == "control characters are not allowed"
        ? "a control character is not allowed; in double quotes it can be written as \\x and two hex digits" : problem
      return YAMLError(text, at: lines.position(ofByte: byte))
    case .limit:
      return YAMLError("values nest too deep", at: lines.position(at))
    case .grammar:
      let (message, place) = words
      return YAMLError(message, at: lines.position(place))
    }
  }

  /// The message and its place. A missing end of a long value is reported at its beginning.
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
      return ("a ':' is not allowed here; put text that contains ': ' in quotes, or check the indentation", at)
    case "block sequence entries are not allowed in this context":
      return ("a '- ' entry is not allowed here; begin the list on a line of its own", at)
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
      return ("this tag has an unknown prefix; tags are not used here", at)
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
