import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

/// A run that was interrupted, after it is certain what became of it.
package struct InterruptedRun {
  /// The run.
  package let run: StateStore.Run
  /// Whether it turned out that the library has all of it; only that it is done was not noted.
  package let wasCommitted: Bool

  /// Finds out, and settles what the run had reached.
  /// - Throws: `RunFailure`: 64 when there is no such run, 4 when it was not interrupted or cannot be resumed, 7 when
  ///   another program uses the library, 2 when something cannot be read.
  package init(_ id: Int64, of library: String) throws {
    guard try SidecarFolder(of: library)?.state() != nil else {
      guard access(library, F_OK) != 0 else { throw StateStore.unknown(id) }
      throw RunFailure(
        .usage, "resume run \(id): there is no library '\(library)', and no run of it is known",
        advice: "Run the command of the import again, with --create: it makes the library.")
    }
    do {
      // A library that was to be made may not be there.
      let open = access(library, F_OK) == 0 ? try WritableLibrary(library, checkingPages: false) : nil
      let sidecar = try open?.sidecar ?? Sidecar(of: library)
      let store = try StateStore(sidecar)
      guard let before = try store.run(id) else { throw StateStore.unknown(id) }
      if let open { try store.settleKilledRuns(open) } else { try store.settleKilledRuns(nil) }
      if before.state == .intended, let after = try store.run(id), after.state == .done {
        run = after
        wasCommitted = true
        return
      }
      run = try store.interrupted(id)
      wasCommitted = false
    } catch let error as SQLiteError {
      throw WritableLibrary.failure(error, library)
    }
  }
}
