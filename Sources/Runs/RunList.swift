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
    let sidecar = Sidecar.path(of: library)
    let state = sidecar + "/state.sqlite"
    guard access(state, F_OK) == 0 else {
      guard access(library, F_OK) == 0 else {
        throw RunFailure(.failed, "list the runs of '\(library)': there is no such library")
      }
      runs = []
      return
    }
    let isLocked = Self.isLocked(sidecar)
    let found = try Self.read(state)
    var records = found.enumerated().map { RunRecord($1, isRunning: isLocked && $0 == 0) }
    var undone: [Int64: Int64] = [:]
    for record in records where record.state == .done {
      if let id = record.undoes { undone[id] = max(undone[id] ?? 0, record.id) }
    }
    for index in records.indices {
      if records[index].state == .undone { records[index].undoneBy = undone[records[index].id] }
      records[index].canUndo =
        records[index].state == .done && UndoJournal.isThere(found[index], sidecar: sidecar)
    }
    runs = records
  }

  /// One of them.
  /// - Throws: `RunFailure` with status 64 when there is none of that number.
  public func run(_ id: Int64) throws -> RunRecord {
    guard let run = runs.first(where: { $0.id == id }) else { throw StateStore.unknown(id) }
    return run
  }

  /// Reads the runs as they were noted last. A run that writes much keeps others from reading its store until it ends;
  /// then a copy is read, which its journal takes back to what was committed.
  private static func read(_ state: String) throws -> [StateStore.Run] {
    let isHot = access(state + "-journal", F_OK) == 0
    do {
      if !isHot || SQLiteLocks.hasWriter(state) {
        return try StateStore.runs(SQLiteConnection(state, .read, busyTimeout: 200))
      }
    } catch  where !error.isBusy {
      throw StateStore.failure(error, state)
    } catch {}
    // Another try where its writer committed between the copies of the file and of its journal.
    var last: SQLiteError?
    for _ in 0..<5 {
      do {
        let copy = try PrivateCopy(of: state)
        return try StateStore.runs(SQLiteConnection(copy.path, .write))
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
  private static func isLocked(_ sidecar: String) -> Bool {
    let file = open(sidecar + "/lock", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    return flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }
}
