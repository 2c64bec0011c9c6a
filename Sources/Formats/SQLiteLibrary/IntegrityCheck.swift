import Foundation
import SQLiteIO

/// Checks every page of a database on a thread of its own, while the rows are read on another.
package final class IntegrityCheck: @unchecked Sendable {
  private let done = DispatchSemaphore(value: 0)
  private var result: Result<String?, SQLiteError> = .success(nil)

  /// Begins to check.
  /// - Parameter thorough: whether every index is held against its table as well.
  package init(path: String, access: SQLiteConnection.Access, thorough: Bool = false) {
    let thread = Thread { [self] in
      do throws(SQLiteError) {
        let connection = try SQLiteConnection(path, access)
        if access == .readImmutable { try connection.execute("PRAGMA mmap_size = 1099511627776") }
        // Looking up every row in every index jumps about: pages that are loaded again are checked again.
        if thorough { try connection.execute("PRAGMA cache_size = -32768; PRAGMA cell_size_check = OFF") }
        let answer = try connection.rows("PRAGMA \(thorough ? "integrity" : "quick")_check(1)").first?.first ?? nil
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
