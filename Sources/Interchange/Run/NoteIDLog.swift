import Synchronization

/// Notes that say no id, and the ids that their records have, for those who want them written into the notes.
public final class NoteIDLog: Sendable {
  private struct State {
    var notes: [(file: String, id: String)] = []
    var renamed: [String: String] = [:]
    var placeBound: Set<String> = []
  }

  private let state = Mutex(State())

  /// Makes an empty log.
  public init() {}

  /// Adds a note.
  /// - Parameters:
  ///   - file: the note as the system finds it.
  ///   - hangsOnPlace: whether the id is another one when the vault lies elsewhere.
  public func add(_ file: String, id: String, hangsOnPlace: Bool) {
    state.withLock { state in
      state.notes.append((file, id))
      if hangsOnPlace { state.placeBound.insert(id) }
    }
  }

  /// Adds what another run collected.
  public func add(contentsOf other: NoteIDLog) {
    let (notes, placeBound) = other.state.withLock { ($0.notes, $0.placeBound) }
    state.withLock { state in
      state.notes += notes
      state.placeBound.formUnion(placeBound)
    }
  }

  /// The ids that are others when the vault lies elsewhere, as the source has them.
  public var placeBound: Set<String> { state.withLock { $0.placeBound } }

  /// Notes that a record went into a library under another id.
  public func rename(_ id: String, to target: String) { state.withLock { $0.renamed[id] = target } }

  /// The notes with the ids that their records have in the end, in the order of reading.
  public var all: [(file: String, id: String)] {
    state.withLock { state in state.notes.map { ($0.file, state.renamed[$0.id] ?? $0.id) } }
  }
}
