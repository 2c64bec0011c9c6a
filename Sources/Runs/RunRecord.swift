import JSONText
import SQLiteLibrary

/// A run on a library, as `fleetkit runs` shows it.
public struct RunRecord: Sendable {
  /// What became of a run.
  public enum State: String, Sendable {
    /// It is at work now.
    case running
    /// It ended before its time and changed nothing, or has not noted yet that it did.
    case interrupted
    /// The library has what it wrote.
    case done
    /// It ended and changed nothing.
    case unchanged = "nothing changed"
    /// It was refused, and changed nothing: something was not as it has to be.
    case refused
    /// A later run took it back.
    case undone
  }

  /// Its number in this library.
  public let id: Int64
  /// The command: `import`, `undo` …
  public let command: String
  /// When it began, RFC 3339 in UTC.
  public let started: String
  /// When it ended; nil while it runs, and when it was interrupted.
  public let finished: String?
  /// What became of it.
  public let state: State
  /// Where its content is from: sources, versions, the run that it took back.
  public let sources: [String]
  /// The copy from before, a file name in the library's `backups` folder; nil when none was made.
  public let backup: String?
  /// What became of the records, as a JSON object; nil when it does not say.
  public let counts: String?
  /// What it was asked to do, as a JSON object; nil when it cannot be done again.
  public let request: String?
  /// The run that it took back; nil when it is no undo.
  public let undoes: Int64?
  /// The run that took it back; nil when none did.
  public internal(set) var undoneBy: Int64?
  /// Whether it made the library: there is nothing before it that an undo could bring back.
  public let madeLibrary: Bool
  /// Whether `undo` can take it back.
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

  /// One of the numbers of `counts`; nil when it does not say.
  public func count(_ name: String) -> Int? {
    counts.flatMap { try? JSONDocument(parsing: $0) }?.root[name]?.integer.map { Int(clamping: $0) }
  }
}
