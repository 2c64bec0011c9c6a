import Foundation

/// What a run changed, row by row, so that it can be undone: `<sidecar>/undo/<run>.journal`.
package enum UndoJournal {
  /// How many are kept.
  package static let kept = 20

  /// Where the journal of a run lies.
  package static func path(of run: Int64, sidecar: String) -> String {
    "\(sidecar)/\(Sidecar.Part.undo.rawValue)/\(run).journal"
  }

  /// Whether a run has a journal.
  package static func isThere(_ run: StateStore.Run, sidecar: String) -> Bool {
    access(path(of: run.id, sidecar: sidecar), R_OK) == 0
  }
}
