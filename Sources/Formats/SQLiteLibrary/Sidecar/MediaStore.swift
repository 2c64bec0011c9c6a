import Content
import Foundation
import Interchange
import SQLiteIO

/// The bytes of attachments beside a library: `<library>.fleetkit/media/<sha256>`, one file for the same bytes,
/// however many attachments stand for them.
///
/// Files come before the library's commit and are never changed. What a killed run brought stays and is used by the
/// next one.
package final class MediaStore {
  private let sidecar: Sidecar
  /// Hashes of what this run brought.
  package private(set) var brought: [String] = []
  private var known: Set<String> = []

  /// Opens the store of a library; nothing is made before something is kept.
  package init(_ sidecar: Sidecar) { self.sidecar = sidecar }

  /// Where the bytes of a hash lie beside a library.
  /// - Returns: nil when they do not, or when `sha256` is none.
  /// - Throws: `RunFailure` with status 4 when the sidecar folder is not what it should be.
  package static func path(of sha256: String, beside library: String) throws -> String? {
    guard isHash(sha256), let folder = try SidecarFolder(of: library)?.part(.media) else { return nil }
    return folder.entry(sha256) == .file ? folder.path(sha256) : nil
  }

  /// 64 hexadecimal digits in small letters: nothing else may become a file's name.
  package static func isHash(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { $0 &- 0x30 < 10 || $0 >= 0x61 && $0 <= 0x66 }
  }

  /// Copies a file into the store, unless its bytes are there, and sees them onto the disk.
  /// - Parameter sha256: what the attachment says its bytes are; they are checked while they are copied.
  /// - Returns: false when `sha256` is no hash, so that there is nothing to keep them under.
  /// - Throws: `RunFailure` with status 2 when the file cannot be read or written, or has other bytes.
  @discardableResult
  package func keep(_ file: String, sha256: String) throws -> Bool {
    guard Self.isHash(sha256) else { return false }
    guard known.insert(sha256).inserted else { return true }
    let media = try sidecar.part(.media)
    try media.check(sha256, isFolder: false)
    if media.entry(sha256) == .file { return true }
    let source = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard source >= 0 else { throw RunFailure(.failed, "read '\(file)': \(SystemError.last)") }
    defer { close(source) }
    let staging = try sidecar.part(.staging)
    guard let copy = try staging.file(sha256, O_WRONLY | O_CREAT | O_TRUNC) else {
      throw RunFailure(.failed, "write '\(staging.path(sha256))': it was removed at the same time")
    }
    defer { close(copy) }
    do {
      guard try Self.copy(source, file, to: copy, staging.path(sha256)) == sha256 else {
        throw RunFailure(
          .failed, "read '\(file)': it was changed while it was read; nothing was imported", advice: "Run it again.")
      }
      guard fsync(copy) == 0, staging.move(sha256, to: media, as: sha256) else {
        throw RunFailure(.failed, "write '\(media.path(sha256))': \(SystemError.last)")
      }
    } catch {
      staging.remove(sha256)
      throw error
    }
    brought.append(sha256)
    return true
  }

  /// Copies to the end; answers the hash of what was copied.
  private static func copy(_ source: Int32, _ from: String, to target: Int32, _ to: String) throws -> String {
    var digest = DigestStream()
    let piece = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 18)
    defer { piece.deallocate() }
    while true {
      let got = read(source, piece.baseAddress, piece.count)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw RunFailure(.failed, "read '\(from)': \(SystemError.last)") }
      if got == 0 { return Digest.hex(digest.finish()) }
      digest.update(UnsafeBufferPointer(rebasing: piece[..<got]))
      var done = 0
      while done < got {
        let wrote = write(target, piece.baseAddress.map { $0 + done }, got - done)
        if wrote < 0, errno == EINTR { continue }
        guard wrote > 0 else { throw RunFailure(.failed, "write '\(to)': \(SystemError.last)") }
        done += wrote
      }
      try Interruption.check()
    }
  }

  /// Sees the names of what was kept onto the disk, before anything refers to them.
  package func publish() throws {
    guard !brought.isEmpty else { return }
    let folder = try sidecar.part(.media)
    guard folder.sync() else { throw RunFailure(.failed, "write '\(folder.path)': \(SystemError.last)") }
  }

  /// Removes what this run brought.
  package func discard() {
    guard let folder = try? sidecar.folder.part(.media) else { return }
    for hash in brought { folder.remove(hash) }
    brought = []
  }
}

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
