import CSQLite

/// What SQLite answered, with what was being done.
public struct SQLiteError: Error, CustomStringConvertible, Sendable {
  /// The extended result code.
  public let code: Int32
  /// SQLite's own words.
  public let message: String
  /// What was being done, as a phrase: `read the table 'charters'`.
  public let operation: String

  /// Makes an error.
  public init(code: Int32, message: String, operation: String) {
    self.code = code
    self.message = message
    self.operation = operation
  }

  /// The primary result code.
  public var primary: Int32 { code & 0xFF }
  /// Another connection holds the lock.
  public var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }
  /// The file is damaged or no database.
  public var isDamage: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }
  /// A constraint (primary key, unique, not null) forbids the change.
  public var isConstraint: Bool { primary == SQLITE_CONSTRAINT }
  /// The disk is full.
  public var isFull: Bool { primary == SQLITE_FULL }

  /// Operation, reason and code in one line.
  public var description: String { "\(operation): \(message) (SQLite \(code))" }
}
