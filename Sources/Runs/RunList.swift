import Foundation
import Interchange
import JSONText
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

/// A run on a library, as `fleetkit runs` shows it.
public struct RunRecord: Sendable {
  /// The outcome of a run.
  public enum State: String, Sendable {
    /// The run is in progress.
    case running
    /// The run was interrupted and changed nothing, or its changes are not recorded yet.
    case interrupted
    /// The library contains the run's changes.
    case done
    /// The run finished without changes.
    case unchanged = "nothing changed"
    /// The run was refused because a precondition was not met, and changed nothing.
    case refused
    /// A later run undid this one.
    case undone
  }

  /// The run's number in this library.
  public let id: Int64
  /// The command: `import`, `undo` …
  public let command: String
  /// The time when the run began, RFC 3339 in UTC.
  public let started: String
  /// The time when the run ended; nil while it is running, and if it was interrupted.
  public let finished: String?
  /// The outcome of the run.
  public let state: State
  /// The origin of the run's content: sources, versions, or the run that it undid.
  public let sources: [String]
  /// The backup made before the run, as a file name in the library's `backups` folder; nil if no backup was made.
  public let backup: String?
  /// The number of records of each outcome, as a JSON object; nil if the counts were not recorded.
  public let counts: String?
  /// The run's request, as a JSON object; nil if the run cannot be repeated.
  public let request: String?
  /// The run that this one undid; nil if this run is not an undo.
  public let undoes: Int64?
  /// The run that undid this one, if any.
  public internal(set) var undoneBy: Int64?
  /// Whether the run created the library. Such a run cannot be undone, because no earlier state exists.
  public let madeLibrary: Bool
  /// Whether `undo` can undo the run.
  public internal(set) var canUndo = false

  init(_ run: StateStore.Run, isRunning: Bool) {
    id = run.id
    command = run.command
    started = run.started
    finished = run.finished
    backup = run.backup
    counts = run.counts
    request = run.request
    madeLibrary = run.has(.madeLibrary)
    let detail = run.detail.flatMap { try? JSONDocument(parsing: $0) }?.root
    undoes = detail?["undoes"]?.integer
    if let undone = undoes {
      sources = ["run \(undone)"]
    } else if let from = detail?["from"]?.string, let to = detail?["to"]?.string {
      sources = ["v\(from) to v\(to)"]
    } else {
      sources = detail?["sources"]?.elements.compactMap(\.string) ?? []
    }
    state =
      switch run.state {
      case .running, .intended: isRunning ? .running : .interrupted
      case .void: run.has(.refused) ? .refused : .unchanged
      case .undone: .undone
      case .done: run.isChanging ? .done : .unchanged
      }
  }

  /// Returns one of the numbers in `counts`; nil if the number is missing.
  ///
  /// If more rows than records were rejected, `rejected` is the number of rows. A record is not rejected if only some
  /// of its rows are.
  public func count(_ name: String) -> Int? {
    guard let root = counts.flatMap({ try? JSONDocument(parsing: $0) })?.root, let count = root[name]?.integer else {
      return nil
    }
    let rows = name == "rejected" ? root["rows"]?[name]?.integer ?? 0 : 0
    return Int(clamping: max(count, rows))
  }
}

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
      if let open { try store.resolveKilledRuns(open) } else { try store.resolveKilledRuns(nil) }
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
