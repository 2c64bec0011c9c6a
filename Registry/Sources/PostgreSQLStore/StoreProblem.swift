import RegistryStore

/// Messages for store failures, and the meaning of PostgreSQL's errors for a caller.
///
/// No message contains content or personal data: the server's primary messages name tables and columns; details, which
/// contain values, are left out.
enum StoreProblem {
  static let tooMuchWaits = StoreFailure.busy(
    "too many requests are waiting for the database. Try again in a moment.")
  static let damaged = StoreFailure.unavailable("read: a row has an unexpected form; the database is damaged.")

  /// Converts an error of any type for the caller; cancellation is passed on unchanged.
  static func failure(_ error: any Error) -> any Error {
    switch error {
    case let failure as StoreFailure: failure
    case is CancellationError: error
    case let error as PostgreSQLError: meaning(error)
    default: StoreFailure.unavailable("the store failed: \(type(of: error))")
    }
  }

  static func meaning(_ error: PostgreSQLError) -> StoreFailure {
    switch error.state {
    case "53100": .unavailable("write: the database's disk is full; nothing was changed. Free some space.")
    case "53300", "53400", "55P03", "57014", "40001", "40P01": .busy("the database is busy: \(error.message)")
    case "28P01", "28000": .unavailable("connect: the database refused the user or the password in DATABASE_URL.")
    case "3D000": .unavailable("connect: \(error.message). Create it: createdb, or name another one in DATABASE_URL.")
    case "42501":
      .unavailable("\(error.message). Use a user that owns the database's tables, or grant it the rights.")
    case _ where error.isOfConnection: .unavailable("the database cannot be reached: \(error.message)")
    default: .unavailable("the database failed: \(error.message) (SQLSTATE \(error.state))")
    }
  }
}
