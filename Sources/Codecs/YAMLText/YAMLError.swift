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
