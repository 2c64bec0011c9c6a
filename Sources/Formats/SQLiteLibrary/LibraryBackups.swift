import Foundation
import Interchange
import SQLiteIO

/// The copies of a library that were made before it was changed. They are in its sidecar; the last three are kept.
package struct LibraryBackups {
  private let sidecar: Sidecar

  /// The number of copies that are kept.
  package static let kept = 3

  package init(_ sidecar: Sidecar) { self.sidecar = sidecar }

  /// Copies a library in its current state, including its journal and log.
  /// - Parameters:
  ///   - source: a connection to the library that is not inside a write transaction.
  ///   - reason: a word for the copy's name, such as `migrate-1.4.0`.
  /// - Returns: the path of the copy, which is complete and synced to the disk.
  /// - Throws: `RunFailure` with status 2 if there is not enough space.
  func make(
    of source: SQLiteConnection, reason: String, progress: (Int, Int) throws -> Void = { _, _ in }
  ) throws -> String {
    let file = try newFile(reason)
    do {
      let target = try SQLiteConnection(file.temporary, .create, .own)
      try target.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
      try SQLiteBackup.copy(from: source, into: target, progress: progress)
    } catch let error as SQLiteError {
      file.discard()
      throw RunFailure(
        .failed, "back up '\(source.path)' to '\(file.target)': \(error.message)",
        advice: "Nothing was changed. " + (error.isFull ? "Free some space and run it again." : ""))
    } catch {
      file.discard()
      throw error
    }
    file.makePrivate()
    try file.publish()
    return file.target
  }

  private func newFile(_ reason: String) throws -> AtomicFile {
    let (folder, name) = try sidecar.freshName(.backups, reason, "sqlite")
    return try AtomicFile(name, in: folder, overwrites: false)
  }

  /// Starts copying the file of a library that no other process can write to. The library must have neither a journal
  /// nor a log.
  func copy(_ descriptor: Int32, of library: String, reason: String, hashing: Bool) throws -> Backup {
    Backup(of: descriptor, named: library, into: try newFile(reason), hashing: hashing)
  }

  /// Removes all but the newest copies.
  /// - Parameter needed: a copy that is always kept.
  package func rotate(keeping needed: String) {
    guard let folder = try? sidecar.folder.part(.backups) else { return }
    // A damaged file that a restore moved away is not a backup. It is kept until the user removes it.
    let copies = folder.names.filter {
      $0.hasSuffix(".sqlite") && !$0.hasSuffix("-damaged.sqlite") && !$0.hasPrefix(".")
    }
    for name in copies.sorted().dropLast(Self.kept) where folder.path(name) != needed { folder.remove(name) }
  }
}

/// A library copy that is being written to the disk.
package final class Backup {
  /// The copy's path once it is complete.
  package let path: String
  private let file: AtomicFile?
  private let copying: Background<String?>?

  /// Creates the object for a copy that is already on the disk.
  init(complete path: String) {
    self.path = path
    file = nil
    copying = nil
  }

  /// Starts copying a file in the background. The file must not change until the copy is finished.
  /// - Parameter hashing: whether `sha256` is needed later.
  init(of source: Int32, named library: String, into file: AtomicFile, hashing: Bool) {
    path = file.target
    self.file = file
    let target = file.descriptor
    let name = file.target
    copying = Background {
      do throws(RunFailure) {
        try FileCopy.copy(from: source, to: target)
      } catch {
        throw RunFailure(
          .failed, "back up '\(library)' to '\(name)': \(error.message)",
          advice: "Nothing was changed. Free some space and run it again.")
      }
      // Hash the source instead of the copy, because the source has the same bytes and is already in memory.
      return hashing ? try FileDigest.sha256(of: source, named: library) : nil
    }
  }

  /// Returns the SHA-256 of the copy.
  /// - Throws: `RunFailure` if the copy cannot be read.
  package func sha256() throws -> String { try copying?.wait() ?? FileDigest.sha256(of: path) }

  /// Waits until the copy is on the disk, and gives it its final name. The original must not be changed before this
  /// function returns.
  /// - Throws: `RunFailure` if the copy could not be written.
  package func finish() throws {
    _ = try copying?.wait()
    if let file {
      file.makePrivate()
      try file.publish()
    }
  }

  /// Removes the copy, because its original was not changed.
  package func discard() {
    _ = try? copying?.wait()
    file?.discard()
    unlink(path)
  }

  deinit { _ = try? copying?.wait() }
}
