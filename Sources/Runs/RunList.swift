import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

/// The runs of a library. Reading them changes nothing, and works during a run.
///
/// ```swift
/// for run in try RunList("anyfleet.sqlite").runs { print(run.id, run.state.rawValue) }
/// ```
public struct RunList: Sendable {
  /// The runs, newest first.
  public let runs: [RunRecord]

  /// Reads the runs from a library's sidecar.
  /// - Throws: `RunFailure` with status 2 if neither the library nor its sidecar exists, or if the sidecar cannot be
  ///   read.
  public init(_ library: String) throws {
    guard let sidecar = try SidecarFolder(of: library), let state = try sidecar.state() else {
      guard access(library, F_OK) == 0 else {
        throw RunFailure(.failed, "list the runs of '\(library)': the library does not exist")
      }
      runs = []
      return
    }
    let isLocked = try Self.isLocked(sidecar.root)
    let found = try Self.read(state, of: library)
    var records = found.enumerated().map { RunRecord($1, isRunning: isLocked && $0 == 0) }
    var undone: [Int64: Int64] = [:]
    for record in records where record.state == .done {
      if let id = record.undoes { undone[id] = max(undone[id] ?? 0, record.id) }
    }
    for index in records.indices {
      if records[index].state == .undone { records[index].undoneBy = undone[records[index].id] }
      records[index].canUndo = try records[index].state == .done && UndoJournal.isThere(found[index], in: sidecar)
    }
    runs = records
  }

  /// The run that `undo last` undoes: the newest run that changed something, was not undone and is not itself an undo.
  public var last: RunRecord? { runs.first { $0.state == .done && $0.undoes == nil } }

  /// Returns the run with a number.
  /// - Throws: `RunFailure` with status 64 if no run has this number.
  public func run(_ id: Int64) throws -> RunRecord {
    guard let run = runs.first(where: { $0.id == id }) else { throw StateStore.unknown(id) }
    return run
  }

  /// Reads the last committed state of the runs. A run that writes much data locks its store until it ends. In that
  /// case, a copy is read, and the copy's journal rolls it back to the committed state.
  private static func read(_ state: String, of library: String) throws -> [StateStore.Run] {
    do {
      return try StateStore.reading(of: library, busyTimeout: 200).map { try StateStore.runs($0) } ?? []
    } catch let error as SQLiteError where !error.isBusy {
      throw StateStore.failure(error, state)
    } catch is SQLiteError {}
    // Retries if the writer committed between copying the file and copying its journal.
    var last: SQLiteError?
    for _ in 0..<5 {
      do {
        return try StateStore.runs(StateStore.readingCopy(state))
      } catch let error as SQLiteError where error.isDamage || error.isBusy {
        last = error
        usleep(100_000)
      } catch let error as SQLiteError {
        throw StateStore.failure(error, state)
      }
    }
    throw StateStore.failure(
      last ?? SQLiteError(code: 5, message: "it is being written", operation: "read the runs"), state)
  }

  /// Whether a run is in progress. The check takes the lock for a moment, and other programs wait for it.
  private static func isLocked(_ sidecar: OpenFolder) throws -> Bool {
    guard let file = try sidecar.file("lock", O_RDONLY) else { return false }
    defer { close(file) }
    return flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }
}
