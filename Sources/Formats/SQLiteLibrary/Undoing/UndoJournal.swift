import Foundation

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

  /// Where the journal of a run lies.
  package static func path(of run: Int64, sidecar: String) -> String {
    "\(sidecar)/\(Sidecar.Part.undo.rawValue)/\(run).journal"
  }

  /// Where the bytes of attachments lie that an undo put aside.
  package static func media(of run: Int64, sidecar: String) -> String {
    "\(sidecar)/\(Sidecar.Part.undo.rawValue)/\(run).media"
  }

  /// Whether a run has a journal.
  package static func isThere(_ run: StateStore.Run, sidecar: String) -> Bool {
    access(path(of: run.id, sidecar: sidecar), R_OK) == 0
  }

  /// Removes all but the newest.
  package static func rotate(_ sidecar: Sidecar) {
    let folder = sidecar.path + "/" + Sidecar.Part.undo.rawValue
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let runs = Set(names.filter { $0.hasSuffix(".journal") }.compactMap { number($0) }).sorted()
    let gone = Set(runs.dropLast(kept))
    for name in names {
      guard let run = number(name), gone.contains(run) || !runs.contains(run) else { continue }
      try? FileManager.default.removeItem(atPath: folder + "/" + name)
    }
  }

  private static func number(_ name: String) -> Int64? {
    let parts = name.split(separator: ".")
    guard parts.count == 2, parts[1] == "journal" || parts[1] == "media" else { return nil }
    return Int64(parts[0])
  }

  /// Removes the journal of a run that changed nothing.
  package static func remove(_ run: Int64, sidecar: String) {
    unlink(path(of: run, sidecar: sidecar))
    try? FileManager.default.removeItem(atPath: media(of: run, sidecar: sidecar))
  }
}
