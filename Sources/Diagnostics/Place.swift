/// Where a finding points: a line and column of a file, or a value inside a column of a library's row.
///
/// Printed as `guides/anchor.json:14:3` or `library.sqlite#checklists/3F2A…/content:/0/items/3/title`.
public struct Place: Hashable, Sendable, CustomStringConvertible {
  /// The row of a library that a place lies in.
  public struct Row: Hashable, Sendable {
    /// The table, as the library calls it.
    public let table: String
    /// The row's id.
    public let id: String
    /// The column, when one is meant.
    public let column: String?

    /// Names a row, or one column of it.
    public init(table: String, id: String, column: String? = nil) {
      self.table = table
      self.id = id
      self.column = column
    }
  }

  /// The file as the user named it; `-` for standard input.
  public var file: String
  /// The member of an archive or folder, when the file has members.
  public var member: String?
  /// Line from 1: of the file, or of the text in the row's column.
  public var line: Int?
  /// Column in Unicode scalars from 1.
  public var column: Int?
  /// The column behind the last one that is meant, on the same line; nil when nobody knows where it ends.
  public var endColumn: Int?
  /// The row, for databases.
  public var row: Row?
  /// JSON Pointer inside the file, line or column; empty for the whole.
  public var pointer: String

  /// Names a place.
  public init(
    file: String, member: String? = nil, line: Int? = nil, column: Int? = nil, endColumn: Int? = nil,
    row: Row? = nil, pointer: String = ""
  ) {
    self.file = file
    self.member = member
    self.line = line
    self.column = column
    self.endColumn = endColumn
    self.row = row
    self.pointer = pointer
  }

  /// The text form that every report prints.
  public var description: String {
    var text = file
    if let member { text += "!" + member }
    if let row {
      text += "#\(row.table)/\(row.id)"
      if let column = row.column {
        text += "/\(column)"
        text += pointer.isEmpty ? position : ":" + pointer
      }
      return text
    }
    return text + (line == nil && !pointer.isEmpty ? "#" + pointer : position)
  }

  /// `:14:3`, as far as it is known.
  private var position: String {
    guard let line else { return "" }
    return ":\(line)" + (column.map { ":\($0)" } ?? "")
  }
}
