import Foundation
import Interchange
import SQLiteIO

/// The bytes of attachments that an undone run brought: put aside when nothing refers to them any more, and brought
/// back when the undo is undone.
package struct UndoMedia {
  private let sidecar: Sidecar
  private let store: StateStore

  /// Works on what lies beside one library.
  package init(_ sidecar: Sidecar, _ store: StateStore) {
    self.sidecar = sidecar
    self.store = store
  }

  /// Those that no record mentions.
  package func unused(of hashes: [String]) throws -> [String] {
    var left = Set(hashes)
    guard !left.isEmpty else { return [] }
    let lines = try store.connection.prepare("SELECT line FROM records")
    let mark = Array("\"sha256\":\"".utf8)
    while try !left.isEmpty && lines.step() {
      let line = lines.blob(at: 0)
      var at = 0
      while at + mark.count + 64 <= line.count {
        if line[at] == mark[0], line[at..<at + mark.count].elementsEqual(mark) {
          at += mark.count
          left.remove(String(decoding: line[at..<at + 64], as: UTF8.self))
        }
        at += 1
      }
    }
    return left.sorted()
  }

  /// Brings back what another undo had put aside.
  /// - Returns: the hashes of what it brought back.
  package func bringBack(from run: Int64) throws -> [String] {
    guard let folder = try sidecar.folder.part(.undo)?.folder(UndoJournal.mediaName(of: run)) else { return [] }
    let names = folder.names.filter(MediaStore.isHash).sorted()
    let media = MediaStore(sidecar)
    for name in names {
      try folder.check(name, isFolder: false)
      try media.keep(folder.path(name), sha256: name)
    }
    try media.publish()
    return names
  }

  /// Puts bytes aside; what cannot be moved stays where it is and does no harm.
  package func putAside(_ hashes: [String], for run: Int64) {
    guard !hashes.isEmpty, let media = try? sidecar.folder.part(.media),
      let aside = try? sidecar.part(.undo).makeFolder(UndoJournal.mediaName(of: run))
    else { return }
    for hash in hashes where MediaStore.isHash(hash) { _ = media.move(hash, to: aside, as: hash) }
  }

  /// Puts aside what an undo would have that was killed after the library's commit. What it is follows from the journal
  /// of the run that it took back; without that the bytes stay where they are and do no harm.
  func putAsideAfterKill(_ run: StateStore.Run) {
    guard let undone = run.undoes, let reader = try? UndoJournalReader(of: undone, in: sidecar.folder),
      let hashes = try? unused(of: reader.extras.media)
    else { return }
    putAside(hashes, for: run.id)
  }
}
