import JSONText
import SQLiteLibrary

/// A run on a library, as `fleetkit runs` shows it.
public struct RunRecord: Sendable {
  /// The outcome of a run.
  public enum State: String, Sendable {
    /// It is running now.
    case running
    /// It was interrupted and changed nothing, or its changes are not recorded yet.
    case interrupted
    /// The library has its changes.
    case done
    /// It finished without changes.
    case unchanged = "nothing changed"
    /// It was refused because a precondition was not met, and changed nothing.
    case refused
    /// A later run undid it.
    case undone
  }

  /// Its number in this library.
  public let id: Int64
  /// The command: `import`, `undo` …
  public let command: String
  /// The time when it began, RFC 3339 in UTC.
  public let started: String
  /// The time when it ended; nil while it is running, and if it was interrupted.
  public let finished: String?
  /// The outcome.
  public let state: State
  /// The origin of its content: sources, versions, or the run that it undid.
  public let sources: [String]
  /// The backup made before it, a file name in the library's `backups` folder; nil if no backup was made.
  public let backup: String?
  /// The number of records of each outcome, as a JSON object; nil if not recorded.
  public let counts: String?
  /// The request, as a JSON object; nil if it cannot be repeated.
  public let request: String?
  /// The run that it undid; nil if it is not an undo.
  public let undoes: Int64?
  /// The run that undid it, if any.
  public internal(set) var undoneBy: Int64?
  /// Whether it created the library. Then it cannot be undone, because no earlier state exists.
  public let madeLibrary: Bool
  /// Whether `undo` can undo it.
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

  /// Returns one of the numbers of `counts`; nil if it is missing.
  public func count(_ name: String) -> Int? {
    counts.flatMap { try? JSONDocument(parsing: $0) }?.root[name]?.integer.map { Int(clamping: $0) }
  }
}
