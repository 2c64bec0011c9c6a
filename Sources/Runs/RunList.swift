import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

/// What ran on a library. Only reads, also while a run is at work.
///
/// ```swift
/// for run in try RunList("anyfleet.sqlite").runs { print(run.id, run.state.rawValue) }
/// ```
public struct RunList: Sendable {
  /// Runs, newest first.
  public let runs: [RunRecord]

  /// Reads what lies beside a library.
  /// - Throws: `RunFailure` with status 2 when neither the library nor anything beside it is there, or when what lies
  ///   beside it cannot be read.
  public init(_ library: String) throws {
    guard let sidecar = try SidecarFolder(of: library), let state = try sidecar.state() else {
      guard access(library, F_OK) == 0 else {
        throw RunFailure(.failed, "list the runs of '\(library)': there is no such library")
      }
      runs = []
      return
    }
    let isLocked = try Self.isLocked(sidecar.root)
    let found = try Self.read(state, beside: library)
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

  /// The run that `undo last` takes back: the newest one that changed something and was neither undone nor is an undo.
  public var last: RunRecord? { runs.first { $0.state == .done && $0.undoes == nil } }

  /// One of them.
  /// - Throws: `RunFailure` with status 64 when there is none of that number.
  public func run(_ id: Int64) throws -> RunRecord {
    guard let run = runs.first(where: { $0.id == id }) else { throw StateStore.unknown(id) }
    return run
  }

  /// Reads the runs as they were noted last. A run that writes much keeps others from reading its store until it ends;
  /// then a copy is read, which its journal takes back to what was committed.
  private static func read(_ state: String, beside library: String) throws -> [StateStore.Run] {
    do {
      return try StateStore.reading(of: library, busyTimeout: 200).map { try StateStore.runs($0) } ?? []
    } catch let error as SQLiteError where !error.isBusy {
      throw StateStore.failure(error, state)
    } catch is SQLiteError {}
    // Another try where its writer committed between the copies of the file and of its journal.
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

  /// Whether a run is at work. Takes the lock for a moment; those that want it have patience.
  private static func isLocked(_ sidecar: OpenFolder) throws -> Bool {
    guard let file = try sidecar.file("lock", O_RDONLY) else { return false }
    defer { close(file) }
    return flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }
}
