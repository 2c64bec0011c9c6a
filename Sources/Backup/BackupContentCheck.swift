import ArchiveIO
import ContentPack
import Diagnostics
import Foundation
import Interchange

/// Checks a backup without restoring it: whether its index is well formed and matches the counts in the head, and
/// whether the backups that it needs are present.
package struct BackupContentCheck {
  private let path: String
  private let info: BackupInfo
  private let findings: DiagnosticLog
  private let catalog: BackupCatalog?

  /// Prepares the check.
  /// - Parameter catalog: the catalog of the backup's folder, if several backups in the folder are checked; nil to read
  ///   what is needed.
  package init(_ path: String, info: BackupInfo, findings: DiagnosticLog, catalog: BackupCatalog? = nil) {
    self.path = path
    self.info = info
    self.findings = findings
    self.catalog = catalog
  }

  /// The error if a backup that another backup needs is missing, or a different file has its name.
  package struct MissingParent: Error {
    /// The present or former path of the parent.
    package let path: String
    /// The failure: 2 if the parent is missing, 5 if a different file has its name.
    package let failure: RunFailure
  }

  /// Reads the index to its end.
  /// - Returns: The number of records in the index.
  /// - Throws: `RunFailure` if the archive cannot be read.
  package func checkIndex() throws -> Int {
    // The index is unpacked, because it may be larger than memory.
    let folder = try TemporaryFolder()
    guard let index = try Self.index(of: path, in: folder.path) else {
      report(.backupIndex, "there is no index", BackupInfo.Path.index)
      return 0
    }
    return try check(index)
  }

  /// Unpacks the index of a backup into an empty folder, which must exist until the index has been read.
  /// - Throws: `RunFailure`: 2 if the archive cannot be read, 5 if it has no index.
  static func unpackIndex(of path: String, into folder: String) throws -> IndexFile {
    guard let index = try index(of: path, in: folder) else {
      throw RunFailure(.mismatch, "read '\(path)': it has no \(BackupInfo.Path.index)")
    }
    return index
  }

  private static func index(of path: String, in folder: String) throws -> IndexFile? {
    let reader = try ArchiveReader(path)
    while let entry = try reader.next() {
      guard entry.path == BackupInfo.Path.index || entry.path.hasSuffix("/" + BackupInfo.Path.index) else { continue }
      let copy = folder + "/index.jsonl"
      let file = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard file >= 0 else { throw RunFailure(.failed, "write '\(copy)': \(SystemError.last)") }
      do {
        defer { close(file) }
        let sink = ByteSink(descriptor: file, name: copy)
        try reader.read { try sink.write($0) }
        try sink.flush()
      }
      return try IndexFile(copy, name: path + "/" + BackupInfo.Path.index)
    }
    return nil
  }

  private func check(_ index: IndexFile) throws -> Int {
    var counts: [String: Int] = [:]
    var total = 0
    do {
      while let entry = try index.next() {
        counts[entry.kind, default: 0] += 1
        total += 1
        if total % 10_000 == 0 { try Interruption.check() }
      }
    } catch let malformed as IndexFile.Malformed {
      findings.report(
        Diagnostic(
          .backupIndex, malformed.message,
          at: Place(file: path + "/" + BackupInfo.Path.index, line: malformed.line)))
      return total
    }
    var head: [String: Int] = [:]
    for count in info.counts { head[count.kind, default: 0] += count.number }
    for kind in Set(counts.keys).union(head.keys).sorted() where counts[kind, default: 0] != head[kind, default: 0] {
      report(
        .backupCounts,
        "the index has \(counts[kind, default: 0]) of kind \(kind), \(BackupInfo.Path.info) has "
          + "\(head[kind, default: 0])",
        BackupInfo.Path.info)
    }
    return total
  }

  /// Looks for the parents of an incremental backup in its folder.
  /// - Parameter hashing: whether the checksums of the files are compared, and not only their descriptions.
  /// - Returns: The number of parents that were found.
  /// - Throws: `MissingParent`; `RunFailure` if the folder cannot be read.
  package func checkParents(hashing: Bool = true) throws -> Int {
    var parent = info.parent
    var found = 0
    var seen: Set<String> = []
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().relativePath
    while let wanted = parent, seen.insert(wanted.sha256).inserted {
      guard let file = try find(wanted, in: folder, hashing) else {
        let name = (wanted.file as NSString).lastPathComponent
        report(
          .backupParent, "it needs '\(wanted.file)' of \(wanted.takenAt.wholeSeconds), which is not in the same folder",
          BackupInfo.Path.info)
        let isThere = access(folder + "/" + name, F_OK) == 0
        let failure = RunFailure(
          isThere ? .mismatch : .failed,
          "'\(path)' cannot be restored: "
            + (isThere
              ? "'\(wanted.file)' is not the backup that it needs (SHA-256 \(wanted.sha256))"
              : "'\(wanted.file)', which it needs, is missing"),
          advice: "Put the whole chain into one folder, or use another backup.")
        throw MissingParent(path: folder + "/" + name, failure: failure)
      }
      found += 1
      parent = file.info.parent
    }
    return found
  }

  /// Returns the file of a parent, under its old name or under the current name of a backup with the same time.
  private func find(_ wanted: BackupInfo.Parent, in folder: String, _ hashing: Bool) throws -> BackupFile? {
    if let catalog { return catalog.file(of: wanted, hashing: hashing) }
    let old = folder + "/" + (wanted.file as NSString).lastPathComponent
    if let file = try? BackupFile(reading: old), try isIt(file, wanted, hashing) { return file }
    for entry in try BackupFolder(folder).entries where try isIt(entry.file, wanted, hashing) { return entry.file }
    return nil
  }

  private func isIt(_ file: BackupFile, _ wanted: BackupInfo.Parent, _ hashing: Bool) throws -> Bool {
    guard file.info.takenAt == wanted.takenAt else { return false }
    var status = stat()
    // A folder has no checksum for a child backup to refer to.
    guard stat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    return try !hashing || FileDigest.sha256(of: file.path) == wanted.sha256
  }

  private func report(_ code: DiagnosticCode, _ message: String, _ member: String) {
    findings.report(Diagnostic(code, message, at: Place(file: path + "/" + member)))
  }
}

/// How much of a backup, or of any pack, is verified.
public enum BackupLevel: String, Sendable, CaseIterable {
  /// Names, tag files, listings and sizes are verified.
  case structure
  /// Every checksum is verified.
  case content
  /// The backup is restored to a temporary folder, and every record is compared with the index.
  case restore
}
