import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import Merging
import RecordSources

/// Merges two versions of a file against their common base, record by record. This does for checklists, guides and
/// decks what git's merge does for lines.
///
/// ```swift
/// var merge = FileMerge(base: "base.md", ours: "ours.md", theirs: "theirs.md", target: "merged.md")
/// merge.markers = true
/// let report = try merge.run(context: RunContext(now: now))
/// ```
/// - Source: docs/merging.md
public struct FileMerge: Sendable {
  /// How conflicts are resolved.
  public enum Settling: Sendable {
    /// Ours is written and the conflict is reported.
    case report
    /// Ours is written, and the conflict counts as resolved.
    case ours
    /// Theirs is written, and the conflict counts as resolved.
    case theirs
  }

  /// The base version; nil or an empty file if both sides added the file.
  public var base: String?
  /// Our version. The result has its format and notation.
  public var ours: String
  /// The other version.
  public var theirs: String
  /// The path of the result, which may be one of the versions.
  public var target: String
  /// The file's name in its project, if the versions have different names, as git's temporary files do.
  public var name: String?
  /// The format of the versions; nil to detect it from the name, then from the content.
  public var format: FormatID?
  /// How conflicts are resolved.
  public var settling = Settling.report
  /// Whether a note gets git's markers around the lines of a conflict.
  public var markers = false

  /// The maximum size of a text that is merged in memory. Longer texts are merged on disk, and the format's writer
  /// writes the result.
  static let largest = 8 << 20

  /// Prepares a merge.
  public init(base: String?, ours: String, theirs: String, target: String) {
    self.base = base
    self.ours = ours
    self.theirs = theirs
    self.target = target
  }

  /// Merges the versions. The target changes only if the merge succeeds.
  /// - Throws: `RunFailure`: status 2 if a version cannot be read in full, 64 if markers are requested for a format
  ///   that cannot have them.
  public func run(context: RunContext, registry: FormatRegistry = .standard) throws -> FileMergeReport {
    let format = try found(registry)
    if markers, format.descriptor.text != .note || Self.isFolder(ours) {
      throw RunFailure(
        .usage, "write markers into '\(target)': only Markdown notes can have conflict markers",
        advice: "Remove --markers. To write the conflicts to a file, use --conflicts FILE.")
    }
    let versions = try MergeRunFiles(self, format)
    let merge = VersionMerge(
      base: try versions.base.map { try versions.records($0, context) },
      ours: try versions.records(versions.ours, context), theirs: try versions.records(versions.theirs, context),
      names: (versions.base?.name ?? "", versions.ours.name, versions.theirs.name))
    let output = try MergeOutput(self, format, versions, context)
    try merge.run { merged in try output.add(merged, settling) }
    var report = merge.report
    report.isSettled = settling != .report
    try ConflictPlaces.find(&report, versions, context)
    try output.publish(&report)
    return report
  }

  private func found(_ registry: FormatRegistry) throws -> any Format {
    if let format { return try registry.format(format) }
    if let name {
      let named = Source(name)
      let found = registry.formats.first { $0.descriptor.extensions.contains(named.pathExtension) }
      if let found { return found }
    }
    return try registry.format(of: Source(ours))
  }

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

/// The opened versions of one merge.
struct MergeRunFiles {
  let base: MergeVersion?
  let ours: MergeVersion
  let theirs: MergeVersion
  /// The file's name.
  let fileName: String

  init(_ merge: FileMerge, _ format: any Format) throws {
    let named = merge.name ?? merge.ours
    let last = String(decoding: named.utf8.split(separator: UInt8(ascii: "/")).last ?? named.utf8[...], as: UTF8.self)
    fileName = last
    func open(_ path: String, _ shown: String) throws -> MergeVersion {
      try MergeVersion(path, shown: shown, fileName: last, format: format, largest: FileMerge.largest)
    }
    ours = try open(merge.ours, merge.name ?? merge.ours)
    theirs = try open(merge.theirs, merge.name.map { "theirs:" + $0 } ?? merge.theirs)
    guard let path = merge.base, !Self.isEmpty(path) else {
      base = nil
      return
    }
    base = try open(path, merge.name.map { "base:" + $0 } ?? path)
  }

  private static func isEmpty(_ path: String) -> Bool {
    var status = stat()
    guard path != "/dev/null" else { return true }
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size == 0
  }

  /// Returns the records of a version, sorted.
  /// - Throws: `RunFailure` with status 2 if a record cannot be read, because a merge without the record would lose it.
  func records(_ version: MergeVersion, _ context: RunContext) throws -> SortedRecords {
    let inner = RunContext(findings: DiagnosticLog(), reading: context.reading, now: context.now)
    let records = try SortedRecords(version.sources, selection: nil, context: inner)
    guard records.unreadable > 0 else { return records }
    let errors = inner.findings.kept.filter { $0.severity == .error }
    for finding in errors { context.findings.report(finding) }
    let first = errors.first.map { ": \($0.place.description): \($0.message)" } ?? ""
    throw RunFailure(
      .failed,
      "merge '\(version.name)': \(records.unreadable) of its records cannot be read; nothing was written\(first)",
      advice: "To see what is wrong, run 'fleetkit validate' on this version.")
  }
}

/// A conflict between two versions of a file, with its places.
public struct FileConflict: Sendable {
  /// The record's kind: `item`.
  public let kind: RecordKind
  /// The record's id.
  public let id: String
  /// The record's title or name.
  public let title: String
  /// The values that both sides changed.
  public let conflict: MergeConflict
  /// The place in our version; nil if ours has no value there.
  public internal(set) var ours: Place?
  /// The place in their version, if ours has no value there.
  public internal(set) var theirs: Place?
}

/// The result of merging three versions of a file.
public struct FileMergeReport: Sendable {
  /// The number of records of each outcome.
  public struct Counts: Encodable, Sendable, Equatable {
    /// The records that neither side changed, or that both sides changed in the same way.
    public var same = 0
    /// The records that only our side changed.
    public var fromOurs = 0
    /// The records that only the other side changed.
    public var fromTheirs = 0
    /// The records that both sides changed.
    public var merged = 0
    /// The new records that only our side has.
    public var addedByOurs = 0
    /// The new records that only the other side has.
    public var addedByTheirs = 0
    /// The records that one side or both sides deleted.
    public var deleted = 0
    /// The records with at least one conflict.
    public var conflicting = 0
  }

  /// The outcomes of the records.
  public internal(set) var counts = Counts()
  /// The conflicts, in the order of records; at most `kept`.
  public internal(set) var conflicts: [FileConflict] = []
  /// The number of conflicts.
  public internal(set) var conflictCount = 0
  /// Whether the conflicts were resolved by `--ours` or `--theirs`.
  public internal(set) var isSettled = false
  /// Whether the result keeps the notation of the versions. Otherwise, the format's writer wrote the result.
  public internal(set) var keepsTyping = false
  /// The size of the result in bytes.
  public internal(set) var size = 0

  /// How many conflicts are kept in full.
  public static let kept = 1000

  /// Whether no decision is left to the user.
  public var isClean: Bool { conflictCount == 0 || isSettled }
}

/// Finds the places of conflicts by reading ours and theirs once more, because merged records have no places.
enum ConflictPlaces {
  static func find(_ report: inout FileMergeReport, _ versions: MergeRunFiles, _ context: RunContext) throws {
    guard !report.conflicts.isEmpty else { return }
    var wanted: [String: [Int]] = [:]
    for (index, conflict) in report.conflicts.enumerated() {
      wanted[key(conflict.kind, conflict.id), default: []].append(index)
    }
    var conflicts = report.conflicts
    for isTheirs in [false, true] {
      let inner = RunContext(findings: DiagnosticLog(), reading: context.reading, now: context.now)
      let sources = (isTheirs ? versions.theirs : versions.ours).sources
      try RecordScan(sources: sources).run(context: inner) { record in
        for index in wanted[key(record.kind, record.id)] ?? [] {
          let conflict = conflicts[index].conflict
          // A pointer refers to our record. In theirs, the pointer is only valid if ours has no value there.
          guard let pointer = JSONPointer(conflict.pointer) else { continue }
          if isTheirs, conflict.ours == nil {
            conflicts[index].theirs = record.place(at: pointer)
          } else if !isTheirs, conflict.ours != nil {
            conflicts[index].ours = record.place(at: pointer)
          }
        }
      }
    }
    report.conflicts = conflicts
  }

  private static func key(_ kind: RecordKind, _ id: String) -> String { kind.name + " " + id }
}
