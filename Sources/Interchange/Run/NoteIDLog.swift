import Synchronization

/// Notes that say no id, and the ids that their records have, for those who want them written into the notes.
public final class NoteIDLog: Sendable {
  private struct State {
    var notes: [(file: String, id: String)] = []
    var renamed: [String: String] = [:]
  }

  private let state = Mutex(State())

  /// Makes an empty log.
  public init() {}

  /// Adds a note.
  /// - Parameter file: the note as the system finds it.
  public func add(_ file: String, id: String) { state.withLock { $0.notes.append((file, id)) } }

  /// Notes that a record went into a library under another id.
  public func rename(_ id: String, to target: String) { state.withLock { $0.renamed[id] = target } }

  /// The notes with the ids that their records have in the end, in the order of reading.
  public var all: [(file: String, id: String)] {
    state.withLock { state in state.notes.map { ($0.file, state.renamed[$0.id] ?? $0.id) } }
  }
}
