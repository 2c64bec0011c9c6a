import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import RecordSources

/// Merges two versions of a file along their common base, record by record. This does for checklists, guides and decks
/// what git's merge does for lines.
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
  /// Our version. The result has its format and typing.
  public var ours: String
  /// The other version.
  public var theirs: String
  /// The path of the result, which may be one of the versions.
  public var target: String
  /// The file's name in its project, if the versions have other names, like git's temporary files.
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
