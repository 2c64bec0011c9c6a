import Foundation
import Interchange

/// What a run changed, row by row, so that it can be undone: `<sidecar>/undo/<run>.journal`.
///
/// A head of eight bytes; blocks of entries, each a Zstandard frame with its length before it; at the end the index of
/// blocks and tables, packed in the same way, and where it begins. Entries are read backwards, a block at a time.
/// - Source: formats/sqlite-library.md, "The folder beside it"
package enum UndoJournal {
  /// How many are kept.
  package static let kept = 20

  static let magic: StaticString = "FKUNDO1\n"
  static let end: StaticString = "FKUNDOE\n"
  /// Bytes of entries from which on a block is packed.
  static let blockSize = 256 << 10

  /// The name of a run's journal in the folder of journals.
  static func name(of run: Int64) -> String { "\(run).journal" }

  /// The name of the folder with the bytes of attachments that an undo put aside.
  static func mediaName(of run: Int64) -> String { "\(run).media" }

  /// Whether a run has a journal.
  package static func isThere(_ run: StateStore.Run, in sidecar: SidecarFolder) throws -> Bool {
    try sidecar.part(.undo)?.entry(name(of: run.id)) == .file
  }

  /// Removes all but the newest.
  package static func rotate(_ sidecar: Sidecar) {
    guard let folder = try? sidecar.folder.part(.undo) else { return }
    let names = folder.names
    let runs = Set(names.filter { $0.hasSuffix(".journal") }.compactMap { number($0) }).sorted()
    let gone = Set(runs.dropLast(kept))
    for name in names {
      guard let run = number(name), gone.contains(run) || !runs.contains(run) else { continue }
      folder.remove(name)
    }
  }

  private static func number(_ name: String) -> Int64? {
    let parts = name.split(separator: ".")
    guard parts.count == 2, parts[1] == "journal" || parts[1] == "media" else { return nil }
    return Int64(parts[0])
  }

  /// Removes the journal of a run that changed nothing.
  package static func remove(_ run: Int64, from sidecar: SidecarFolder) {
    guard let folder = try? sidecar.part(.undo) else { return }
    folder.remove(name(of: run))
    folder.remove(mediaName(of: run))
  }
}
