import JSONText
import SQLiteLibrary

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
  public func count(_ name: String) -> Int? {
    counts.flatMap { try? JSONDocument(parsing: $0) }?.root[name]?.integer.map { Int(clamping: $0) }
  }
}
