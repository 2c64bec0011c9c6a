import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

/// Copies a library and its sidecar as of one moment, while other programs may be writing.
struct SnapshotTaker {
  /// The path of the library.
  let library: String
  /// How long to wait for other programs, in seconds.
  var patience: Double = 30

  /// The copies, laid out as a library and its sidecar.
  struct Copies {
    /// The library.
    let library: String
    /// The database of the sidecar; nil if there was none.
    let state: String?
  }

  /// Copies into an empty folder that only its owner can read.
  /// - Throws: `RunFailure`: 2 if the library does not exist or the disk is full, 7 if other programs kept the library
  ///   locked for 30 seconds.
  func take(into folder: String, progress: @escaping (Int, Int) throws -> Void) throws -> Copies {
    _ = try LibraryFile.sizeOfDatabase(library, library)
    let deadline = Date().addingTimeInterval(patience)
    while true {
      try Interruption.check()
      do {
        return try attempt(into: folder, progress: progress)
      } catch is DatabaseSource.Moment where Date() < deadline {
        // Another program opened or closed the database between two checks.
      } catch let error as SQLiteError where error.isBusy && Date() < deadline {
        // A writer did not finish within the time that SQLite waits.
      } catch is DatabaseSource.Moment {
        throw locked
      } catch let error as SQLiteError {
        throw error.isBusy ? locked : LibraryFile.failure(error, library)
      }
      try OpenFolder(named: folder).removeAll()
      // The interval is random, so that it does not coincide with a writer's intervals.
      usleep(UInt32.random(in: 2_000...20_000))
    }
  }

  private var locked: RunFailure {
    RunFailure(
      .locked, "back up '\(library)': another program has been using it for \(Int(patience)) seconds without a pause",
      advice: "Close the app, or try again when the other program has finished.")
  }

  private func attempt(into folder: String, progress: (Int, Int) throws -> Void) throws -> Copies {
    let beside = try SidecarFolder(of: library)?.state()
    // The sidecar is copied first, and is locked until the library is copied. An import records its intentions in the
    // sidecar before it changes the library, so both copies together show what was done.
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
