import Foundation
import GRDB
import RegistryStore

/// Messages for store failures, and the meaning of SQLite's errors for a caller.
///
/// No message contains content or personal data: SQLite's messages name tables and columns, never values, and the
/// statement and its arguments are left out.
enum StoreProblem {
  static func newer(path: String, found: Int, known: Int) -> StoreFailure {
    .unavailable(
      "open '\(path)': it was written by a newer registry (schema \(found), this one supports \(known)). "
        + "Start the newer program.")
  }

  static func altered(path: String, _ difference: SchemaShape.Difference) -> StoreFailure {
    let change = difference.added.map { "added: \($0)" } ?? "missing: \(difference.missing ?? "")"
    return .unavailable(
      "open '\(path)': another program has changed its schema (\(change)). Restore the file from a backup, or name "
        + "another one.")
  }

  static let oldSQLite = StoreFailure.unavailable(
    "open the database: this SQLite cannot turn off a schema's triggers and views. Install SQLite 3.37 or newer.")

  static func foreign(path: String) -> StoreFailure {
    .unavailable("open '\(path)': it is not a registry's database. Name another file, or one that does not exist yet.")
  }

  static func folder(path: String) -> StoreFailure {
    .unavailable("open '\(path)': it is a folder. Name a file in it.")
  }

  static func noFolder(_ folder: String, path: String, isFile: Bool) -> StoreFailure {
    .unavailable(
      isFile
        ? "open '\(path)': '\(folder)' is a file, not a folder. Name another path."
        : "open '\(path)': the folder '\(folder)' does not exist. Make it, or name another one.")
  }

  static func inUse(path: String) -> StoreFailure {
    .busy("open '\(path)': another registry has it open. Stop that one, or name another file.")
  }

  static func file(_ path: String, _ doing: String, errno code: Int32) -> StoreFailure {
    .unavailable("\(doing) '\(path)': \(String(cString: strerror(code)))")
  }

  static let tooMuchWaits = StoreFailure.busy("write: too many changes are waiting. Try again in a moment.")
  static let tooManyRead = StoreFailure.busy("read: too many list requests are waiting. Try again in a moment.")
  static let damaged = StoreFailure.unavailable("read: a row has an unexpected form; the file is damaged.")

  /// Converts an error of any type for the caller; cancellation is passed on unchanged.
  static func failure(_ error: any Error) -> any Error {
    switch error {
    case let failure as StoreFailure: return failure
    case is CancellationError: return error
    case let error as DatabaseError: return meaning(error)
    default: return StoreFailure.unavailable("the store failed: \(type(of: error))")
    }
  }

  private static func meaning(_ error: DatabaseError) -> StoreFailure {
    let text = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
    switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED: return .busy("the database is busy: \(text)")
    case .SQLITE_FULL: return .unavailable("write: the disk is full; nothing was changed. Free some space.")
    case .SQLITE_IOERR: return .unavailable("the disk failed: \(text)")
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: return .unavailable("the file is damaged: \(text)")
    case .SQLITE_INTERRUPT: return .busy("the request took too long.")
    default: return .unavailable("the database failed: \(text)")
    }
  }
}
