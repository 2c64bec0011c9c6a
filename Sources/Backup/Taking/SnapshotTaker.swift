import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

/// Copies a library and what lies beside it as they were at one moment, while others may be writing.
struct SnapshotTaker {
  /// The library.
  let library: String
  /// How long others are waited for, in seconds.
  var patience: Double = 30

  /// What was copied, laid out as a library and its folder are.
  struct Copies {
    /// The library.
    let library: String
    /// What lay beside it; nil when nothing did.
    let state: String?
  }

  /// Copies into an empty folder that only its owner can read.
  /// - Throws: `RunFailure`: 2 when there is no library or no room, 7 when others did not let go of it for 30 seconds.
  func take(into folder: String, progress: @escaping (Int, Int) throws -> Void) throws -> Copies {
    _ = try LibraryFile.sizeOfDatabase(library, library)
    let deadline = Date().addingTimeInterval(patience)
    while true {
      try Interruption.check()
      do {
        return try attempt(into: folder, progress: progress)
      } catch is DatabaseSource.Moment where Date() < deadline {
        // Somebody came or went between two looks.
      } catch let error as SQLiteError where error.isBusy && Date() < deadline {
        // A writer was not done within the time that SQLite waits.
      } catch is DatabaseSource.Moment {
        throw locked
      } catch let error as SQLiteError {
        throw error.isBusy ? locked : LibraryFile.failure(error, library)
      }
      try OpenFolder(named: folder).removeAll()
      // Not in step with whoever writes.
      usleep(UInt32.random(in: 2_000...20_000))
    }
  }

  private var locked: RunFailure {
    RunFailure(
      .locked, "back up '\(library)': another program has been using it for \(Int(patience)) seconds without a pause",
      advice: "Close the app, or try again when it has finished.")
  }

  private func attempt(into folder: String, progress: (Int, Int) throws -> Void) throws -> Copies {
    let beside = try SidecarFolder(of: library)?.state()
    // First what lies beside, and it is held until the library is copied: whoever imports writes there what he means
    // to do before he changes the library, so both copies together say what was done.
    let state = try beside.map { try DatabaseSource($0) }
    let copy = folder + "/library.sqlite"
    try DatabaseSource(library).copy(to: copy, progress: progress)
    guard let state else {
      guard try SidecarFolder(of: library)?.state() == nil else { throw DatabaseSource.Moment.passed }
      return Copies(library: copy, state: nil)
    }
    let sidecar = copy + ".fleetkit"
    guard mkdir(sidecar, 0o700) == 0 else { throw RunFailure(.failed, "write '\(sidecar)': \(SystemError.last)") }
    let stateCopy = sidecar + "/state.sqlite"
    try state.copy(to: stateCopy) { _, _ in }
    return Copies(library: copy, state: stateCopy)
  }
}
