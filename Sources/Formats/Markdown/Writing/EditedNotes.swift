import Diagnostics
import Foundation
import Interchange

/// Notes of a vault that somebody edited since FleetKit wrote or read them, and that the run replaces.
///
/// Each is kept in `.fleetkit/set-aside/` before another one takes its place.
struct EditedNotes {
  private var notes: [(path: String, copy: String)] = []
  private var taken: Set<String> = []

  /// Remembers a note, and says where it will be.
  mutating func keep(
    _ path: String, item: String, title: String, _ staging: VaultStaging, _ context: RunContext
  ) {
    let copy = SetAside.name(for: path, in: staging.target, taken: taken)
    taken.insert(VaultPath.folded(copy))
    notes.append((path, copy))
    let message =
      "the note was edited and not imported; the library's version takes its place, and the edited one is kept as "
      + "'\(copy)'"
    context.findings.report(
      Diagnostic(
        .editedNote, message, at: Place(file: staging.target + "/" + path), record: "item \(item)", title: title))
  }

  /// Keeps the notes as they are now.
  ///
  /// A second name for the same file: at no moment is there no note, nor only half of the copy.
  /// - Throws: `RunFailure` when one of them cannot be kept; nothing has been replaced then.
  func move(_ staging: VaultStaging) throws {
    if notes.isEmpty { return }
    SetAside.make(in: staging.target)
    for note in notes {
      let path = staging.target + "/" + note.path
      let copy = staging.target + "/" + note.copy
      // Some file systems have no second names.
      if link(path, copy) == 0 || VaultPath.entry(at: path) == .nothing || rename(path, copy) == 0 { continue }
      throw VaultStaging.failure("keep", path)
    }
    VaultStaging.sync(staging.target + "/" + VaultPath.setAside)
  }
}
