import Foundation
import SQLiteIO

/// Checks a database on a thread of its own, while something else is done on another.
package final class IntegrityCheck: @unchecked Sendable {
  private let done = DispatchSemaphore(value: 0)
  private var result: Result<String?, SQLiteError> = .success(nil)

  /// Begins to check.
  /// - Parameters:
  ///   - checks: pragmas, run one after another until one of them complains.
  ///   - setting: pragmas to run before.
  package init(
    path: String, access: SQLiteConnection.Access, checks: [String] = ["PRAGMA quick_check(1)"],
    setting: String = IntegrityCheck.smallCache
  ) {
    let thread = Thread { [self] in
      do throws(SQLiteError) {
        let connection = try SQLiteConnection(path, access)
        try connection.execute(setting)
        for check in checks {
          if let complaint = try Self.complaint(connection, check) {
            result = .success(complaint)
            break
          }
        }
      } catch {
        result = .failure(error)
      }
      done.signal()
    }
    thread.name = "fleetkit.check"
    thread.start()
  }

  /// Who reads every page once needs no cache but the processor's: this one fits into it.
  package static let smallCache = "PRAGMA cache_size = -256"

  private static func complaint(_ connection: SQLiteConnection, _ check: String) throws(SQLiteError) -> String? {
    let answer = try connection.rows(check).first?.first ?? nil
    if answer == "ok" { return nil }
    // "*** in database main ***" on a line of its own says nothing about the one database that there is.
    let complaint = answer.map { $0.split(separator: "\n").filter { !$0.hasPrefix("***") }.joined(separator: "; ") }
    return complaint ?? "\(check) says nothing"
  }

  /// Waits for the end; nil when the file is sound, else what is wrong with it.
  /// - Throws: `SQLiteError` when the check could not run.
  package func wait() throws(SQLiteError) -> String? {
    done.wait()
    done.signal()  // the answer may be asked for again
    return try result.get()
  }
}
