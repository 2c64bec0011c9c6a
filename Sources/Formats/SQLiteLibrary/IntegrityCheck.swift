import Foundation
import SQLiteIO

/// Checks every page of a database on a thread of its own, while the rows are read on another.
package final class IntegrityCheck: @unchecked Sendable {
  private let done = DispatchSemaphore(value: 0)
  private var result: Result<String?, SQLiteError> = .success(nil)

  /// Begins to check.
  package init(path: String, access: SQLiteConnection.Access) {
    let thread = Thread { [self] in
      do throws(SQLiteError) {
        let connection = try SQLiteConnection(path, access)
        let answer = try connection.rows("PRAGMA quick_check(1)").first?.first ?? nil
        // "*** in database main ***" on a line of its own says nothing about the one database that there is.
        let complaint = answer.map { $0.split(separator: "\n").filter { !$0.hasPrefix("***") }.joined(separator: "; ") }
        result = .success(answer == "ok" ? nil : complaint ?? "quick_check says nothing")
      } catch {
        result = .failure(error)
      }
      done.signal()
    }
    thread.name = "fleetkit.check"
    thread.start()
  }

  /// Waits for the end; nil when the file is sound, else what is wrong with it.
  /// - Throws: `SQLiteError` when the check could not run.
  package func wait() throws(SQLiteError) -> String? {
    done.wait()
    done.signal()  // the answer may be asked for again
    return try result.get()
  }
}
