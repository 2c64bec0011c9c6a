import Content
import Foundation
import Interchange
import SQLiteIO

/// The attachment files in a library's sidecar: `<library>.fleetkit/media/<sha256>`. Attachments with equal bytes share
/// one file.
///
/// Files are written before the library's commit and are never changed. Files that a killed run added are kept, and the
/// next run uses them.
package final class MediaStore {
  private let sidecar: Sidecar
  /// The hashes of the files that this run added.
  package private(set) var brought: [String] = []
  private var known: Set<String> = []

  /// Opens a library's store. The folder is only created when the first file is stored.
  package init(_ sidecar: Sidecar) { self.sidecar = sidecar }

  /// Returns the path of the file with a given hash in a library's sidecar.
  /// - Returns: the path; nil if the file does not exist, or if `sha256` is not a hash.
  /// - Throws: `RunFailure` with status 4 if the sidecar folder cannot be trusted.
  package static func path(of sha256: String, beside library: String) throws -> String? {
    guard isHash(sha256), let folder = try SidecarFolder(of: library)?.part(.media) else { return nil }
    return folder.entry(sha256) == .file ? folder.path(sha256) : nil
  }

  /// Whether a string consists of 64 lower-case hexadecimal digits. Only such a string may be used as a file name.
  package static func isHash(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { $0 &- 0x30 < 10 || $0 >= 0x61 && $0 <= 0x66 }
  }

  /// Copies a file into the store, unless the store already has its bytes, and syncs the copy to the disk.
  /// - Parameter sha256: the attachment's hash. The bytes are checked against this hash while they are copied.
  /// - Returns: false if `sha256` is not a hash, because the file then has no name in the store.
  /// - Throws: `RunFailure` with status 2 if the file cannot be read or written, or has another hash.
  @discardableResult
  package func store(_ file: String, sha256: String) throws -> Bool {
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
      throw RunFailure(.failed, "write '\(staging.path(sha256))': another process removed it at the same time")
    }
    defer { close(copy) }
    do {
      guard try Self.copy(source, file, to: copy, staging.path(sha256)) == sha256 else {
        throw RunFailure(
          .failed, "read '\(file)': it changed while it was being read; nothing was imported", advice: "Run it again.")
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

  /// Copies all bytes up to the end of the file, and returns their hash.
  private static func copy(_ source: Int32, _ from: String, to target: Int32, _ to: String) throws -> String {
    var digest = DigestStream()
    let piece = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 18)
    defer { piece.deallocate() }
    while true {
      let got = read(source, piece.baseAddress, piece.count)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw RunFailure(.failed, "read '\(from)': \(SystemError.last)") }
      if got == 0 { return Digest.hex(digest.finish()) }
      digest.update(piece.span.extracting(first: got))
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

  /// Syncs the names of the stored files to the disk. Must be called before any record refers to these files.
  package func publish() throws {
    guard !brought.isEmpty else { return }
    let folder = try sidecar.part(.media)
    guard folder.sync() else { throw RunFailure(.failed, "write '\(folder.path)': \(SystemError.last)") }
  }

  /// Removes the files that this run added.
  package func discard() {
    guard let folder = try? sidecar.folder.part(.media) else { return }
    for hash in brought { folder.remove(hash) }
    brought = []
  }
}

/// The attachment files that an undone run added. They are moved away when no record refers to them any more, and moved
/// back when the undo itself is undone.
package struct UndoMedia {
  private let sidecar: Sidecar
  private let store: StateStore

  /// Prepares moving files in a library's sidecar.
  package init(_ sidecar: Sidecar, _ store: StateStore) {
    self.sidecar = sidecar
    self.store = store
  }

  /// Returns the hashes that no record mentions.
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

  /// Moves back the files that another undo had moved away.
  /// - Returns: the hashes of the files that were moved back.
  package func bringBack(from run: Int64) throws -> [String] {
    guard let folder = try sidecar.folder.part(.undo)?.folder(UndoJournal.mediaName(of: run)) else { return [] }
    let names = folder.names.filter(MediaStore.isHash).sorted()
    let media = MediaStore(sidecar)
    for name in names {
      try folder.check(name, isFolder: false)
      try media.store(folder.path(name), sha256: name)
    }
    try media.publish()
    return names
  }

  /// Moves files away. A file that cannot be moved remains in the store, where it does no harm.
  package func moveAside(_ hashes: [String], for run: Int64) {
    guard !hashes.isEmpty, let media = try? sidecar.folder.part(.media),
      let aside = try? sidecar.part(.undo).makeFolder(UndoJournal.mediaName(of: run))
    else { return }
    for hash in hashes where MediaStore.isHash(hash) { _ = media.move(hash, to: aside, as: hash) }
  }

  /// Moves away the files that a killed undo would have moved after the library's commit. The journal of the undone run
  /// lists these files. If that journal is missing, they remain in the store, where they do no harm.
  func moveAsideAfterKill(_ run: StateStore.Run) {
    guard let undone = run.undoes, let reader = try? UndoJournalReader(of: undone, in: sidecar.folder),
      let hashes = try? unused(of: reader.extras.media)
    else { return }
    moveAside(hashes, for: run.id)
  }
}
