import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

/// An interrupted run, after its outcome was determined.
package struct InterruptedRun {
  /// The run.
  package let run: StateStore.Run
  /// Whether the library already has all changes of the run, so that only the run's end was not recorded.
  package let wasCommitted: Bool

  /// Determines the outcome of the run and records it.
  /// - Throws: `RunFailure` with status 64 if there is no such run, 4 if the run was not interrupted or cannot be
  ///   resumed, 7 if another program uses the library, 2 if a file cannot be read.
  package init(_ id: Int64, of library: String) throws {
    guard try SidecarFolder(of: library)?.state() != nil else {
      guard access(library, F_OK) != 0 else { throw StateStore.unknown(id) }
      throw RunFailure(
        .usage, "resume run \(id): the library '\(library)' does not exist and has no recorded runs",
        advice: "Run the import command again with --create, which creates the library.")
    }
    do {
      // A library that the run was to create may not exist yet.
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
