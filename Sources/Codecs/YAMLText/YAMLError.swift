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
