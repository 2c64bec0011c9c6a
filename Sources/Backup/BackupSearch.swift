import ArchiveIO
import Content
import ContentPack
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteLibrary

/// Finds the backups in a folder that contain a record, and the versions of the record.
///
/// ```swift
/// for record in try BackupSearch("backups/", for: "MOB").run().records {
///   for version in record.versions { print(version.first.info.takenAt, version.title ?? "") }
/// }
/// ```
/// The index of every backup is read. A backup is assembled only if its index has a version of a record that no earlier
/// backup had. Memory grows with the number of different versions.
public struct BackupSearch: Sendable {
  /// The path of the folder.
  public let folder: String
  /// An id, at least the first four characters of an id, a title, or a part of a title; `*` and `?` are wildcards.
  public let wanted: String
  /// The library to search for; nil for all.
  public var library: String?
  /// Receives, at intervals, the current step, the amount done and the total.
  public var onProgress: (@Sendable (_ what: String, _ done: Int, _ total: Int) -> Void)?

  /// Prepares a search.
  public init(_ folder: String, for wanted: String) {
    self.folder = folder
    self.wanted = wanted
  }

  /// Consecutive backups with the same version of a record.
  public struct Version: Sendable {
    /// The record's title or name; nil if it has none, or if no backup that contains the record can be assembled.
    public let title: String?
    /// The SHA-256 of the record's canonical line.
    public let sha256: String
    /// The oldest of the backups.
    public let first: BackupFile
    /// The newest of the backups.
    public internal(set) var last: BackupFile
    /// The number of backups.
    public internal(set) var count: Int
  }

  /// The versions of a record in the backups of its library.
  public struct History: Sendable {
    /// The kind of the record: `item`, `charter` …
    public let kind: String
    /// The record's id.
    public let id: String
    /// The name of the library.
    public let library: String
    /// The record's versions, oldest first.
    public internal(set) var versions: [Version] = []
    /// The first backup after the last version that does not contain the record; nil if the newest backup contains it.
    public internal(set) var goneSince: BackupFile?
  }

  /// A backup that could not be searched.
  public struct Unreadable: Sendable {
    /// The path of the backup.
    public let path: String
    /// The reason why the backup could not be searched.
    public let reason: String
  }

  /// The result of a search.
  public struct Report: Sendable {
    /// The records, in the order of the backups.
    public internal(set) var records: [History] = []
    /// The number of backups that were searched.
    public internal(set) var backups = 0
    /// The backups that could not be searched, by name.
    public internal(set) var unreadable: [Unreadable] = []

    /// The status: 0 if records were found, 2 if none was found, 5 if a backup could not be searched.
    public var status: ExitStatus { !unreadable.isEmpty ? .mismatch : records.isEmpty ? .failed : .success }
  }

  /// Searches the backups.
  /// - Throws: `RunFailure`: 2 if the folder cannot be read, 130 if the search was interrupted.
  public func run() throws -> Report {
    let content = try BackupFolder(folder, library: library)
    var report = Report()
    report.unreadable = content.others.filter { $0.status == .mismatch || BackupName($0.path) != nil }
      .map { Unreadable(path: $0.path, reason: $0.reason) }
    var at = 0
    while at < content.entries.count {
      // The list is ordered by library, then by time.
      let first = content.entries[at].file
      let end = content.entries[at...].firstIndex { !$0.file.isOfLibrary(first.info.name, first.info.origin) }
      try search(content.entries[at..<(end ?? content.entries.count)], content.entries.count, &report)
      at = end ?? content.entries.count
    }
    return report
  }

  private struct Key: Hashable {
    let kind: String
    let id: [UInt8]
  }

  /// Searches the backups of one library.
  private func search(_ entries: ArraySlice<BackupFolder.Entry>, _ total: Int, _ report: inout Report) throws {
    var titles: [String: String?] = [:]
    var order: [Key] = []
    var histories: [Key: History] = [:]
    var places: [Key: Int] = [:]
    var number = 0
    for entry in entries {
      try Interruption.check()
      let file = entry.file
      onProgress?("Searching \(file.name)", report.backups, total)
      guard !entry.isBroken else {
        let missing = entry.missing.map { "'\($0)'" } ?? "a backup"
        report.unreadable.append(
          Unreadable(path: file.path, reason: "read '\(file.path)': \(missing), which it needs, is missing"))
        continue
      }
      let found: [IndexFile.Entry]
      do {
        found = try index(of: file)
        let new = Set(found.lazy.map(\.sha256).filter { titles[$0] == nil })
        if !new.isEmpty {
          try read(new, of: file, into: &titles)
        }
      } catch let failure as RunFailure where failure.status != .interrupted {
        report.unreadable.append(Unreadable(path: file.path, reason: failure.message))
        continue
      }
      number += 1
      report.backups += 1
      for record in found {
        let key = Key(kind: record.kind, id: Array(record.id.utf8))
        var history = histories[key] ?? History(kind: record.kind, id: record.id, library: file.info.name)
        if histories[key] == nil { order.append(key) }
        if let last = history.versions.indices.last, history.versions[last].sha256 == record.sha256,
          places[key] == number - 1
        {
          history.versions[last].last = file
          history.versions[last].count += 1
        } else {
          history.versions.append(
            Version(
              title: titles[record.sha256] ?? nil, sha256: record.sha256, first: file, last: file, count: 1))
        }
        history.goneSince = nil
        histories[key] = history
        places[key] = number
      }
      for key in order where places[key] == number - 1 { histories[key]?.goneSince = file }
    }
    report.records += order.compactMap { histories[$0] }.filter { history in
      matchesID(history.id) || history.versions.contains { matches(title: $0.title) }
    }
  }

  // MARK: Matching

  private func matchesID(_ id: String) -> Bool {
    let (mine, theirs) = (wanted.uppercased(), id.uppercased())
    return theirs.utf8.elementsEqual(mine.utf8) || mine.utf8.count >= 4 && theirs.utf8.starts(with: mine.utf8)
  }

  private func matches(title: String?) -> Bool {
    guard let title = title?.lowercased() else { return false }
    let pattern = wanted.lowercased()
    return Glob.matches(title, pattern: pattern.contains { "*?".contains($0) } ? pattern : "*\(pattern)*")
  }

  // MARK: Reading

  private func index(of file: BackupFile) throws -> [IndexFile.Entry] {
    let folder = try TemporaryFolder()
    let index = try BackupContentCheck.unpackIndex(of: file.path, into: folder.path)
    var entries: [IndexFile.Entry] = []
    do throws(IndexFile.Malformed) {
      while let entry = try index.next() {
        if entry.kind != RecordKind.syncOperation.name { entries.append(entry) }
      }
    } catch {
      throw RunFailure(.mismatch, "read the index of '\(file.path)', line \(error.line): \(error.message)")
    }
    return entries
  }

  /// Reads the titles of some versions from the library in a backup.
  private func read(_ wanted: Set<String>, of file: BackupFile, into titles: inout [String: String?]) throws {
    let folder = try TemporaryFolder()
    // The index also lists decks, which are not in the app's tables.
    let snapshot = try SnapshotAssembly(file.path, parts: [.state]).assemble(into: folder.path)
    let context = RunContext(findings: DiagnosticLog(keepPerCode: 0), now: Timestamp(milliseconds: 0))
    let reader = try SQLiteLibraryFormat().reader(of: Source(snapshot.library, name: file.path), context: context)
    while let batch = try reader.next() {
      try Interruption.check()
      for record in batch.records {
        record.withLine { line in
          let hash = Digest.hex(Digest.sha256(line.span))
          guard wanted.contains(hash) else { return }
          let root = (try? JSONDocument(parsing: line.span))?.root
          titles[hash] = .some(root.flatMap { ($0["title"] ?? $0["name"])?.string })
        }
      }
    }
    for hash in wanted where titles[hash] == nil { titles[hash] = .some(nil) }
  }
}
