import Content
import Synchronization

/// What FleetKit wrote into a vault last, for its readers: looked up when somebody asks for the first time.
final class VaultMemory: Sendable {
  /// Longer notes are not read again.
  private static let longest = 64 << 20

  private let vault: String
  private let written = Mutex<WrittenNotes?>(nil)

  /// - Parameter vault: the path of its root.
  init(vault: String) { self.vault = vault }

  /// What was written where a note stands.
  /// - Parameters:
  ///   - file: the note as the system finds it.
  ///   - path: its path in the vault.
  func last(_ file: String, at path: String) -> LastWritten? {
    guard let bytes = FileBytes.bytes(file, limit: Self.longest) else { return nil }
    return known { $0.last(bytes, at: path.precomposed) }
  }

  /// What was written where the notes of a deck stand: untouched only if each of them is, and none has come or gone.
  /// - Parameter folder: its path in the vault, with a slash at its end.
  func last(_ cards: [(file: String, path: String)], in folder: String) -> LastWritten? {
    let all = cards.map { last($0.file, at: $0.path) }
    guard let first = all.lazy.compactMap({ $0 }).first else { return nil }
    let isUntouched =
      all.allSatisfy { $0?.isUntouched ?? false } && known { $0.count(in: folder.precomposed) } == all.count
    return LastWritten(
      isUntouched: isUntouched, content: first.content, updated: first.updated, library: first.library)
  }

  /// The notes whose making is remembered: whether each was written as a card of a deck, by its path in the vault.
  var cards: [String: Bool] { known { $0.cards } }

  private func known<Answer>(_ ask: (WrittenNotes) -> Answer) -> Answer {
    written.withLock { written in
      if let written { return ask(written) }
      let read = WrittenNotes(vault: vault, limit: WrittenNotes.longestOfImport)
      written = read
      return ask(read)
    }
  }
}
