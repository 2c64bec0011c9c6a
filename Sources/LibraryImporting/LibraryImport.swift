import Backup
import Foundation
import Interchange
import JSONText
import Merging
import Minisign
import RecordSources
import SQLiteLibrary

/// Imports the content of sources into an existing library. New records are created, changed records are updated, and
/// all others are kept unchanged. Only content is imported: unless requested, no item becomes public, and no operation
/// is queued.
///
/// ```swift
/// let sources = try SourceList(["checklists/"])
/// let report = try LibraryImport(sources: sources, library: "anyfleet.sqlite").run(context: RunContext(now: now))
/// ```
public struct LibraryImport: Sendable {
  /// The sources.
  public var sources: SourceList
  /// The path of the library.
  public var library: String
  /// Whether a missing library is created.
  public var createsLibrary = false
  /// How a record is handled if the library has another version of it.
  public var onConflict = OnConflict.merge
  /// How conflicts between the two sides are resolved in a merge.
  public var settling = ConflictResolution.reject
  /// How notes that were probably renamed or moved are handled.
  public var renames = RenamePolicy.decline
  /// The trusted keys. Each pack among the sources must be signed with one of them. If the list is empty, the keys of
  /// earlier imports are trusted.
  public var trusted: [MinisignKey] = []
  /// Whether the publication state is also imported, as when a backup is restored. The queue is never imported.
  public var restoresPublishing = false
  /// The prefix of error messages: `import`, or `restore` for single records of a backup.
  var doing = "import"
  /// The path of the applied plan; nil for an import.
  var plan: String?
  /// The rejects of an earlier import, if they are imported again. In this case, `sources` come from the rejects.
  public var retry: RejectsRetry?
  /// The number of the interrupted run that is resumed; nil for a new run.
  public internal(set) var resumes: Int64?
  /// The selection of records; nil for all.
  public var selection: Selection?
  /// Whether the library is read again afterwards and compared with the sources and with its previous state.
  public var proves = false
  /// Receives, at intervals, the bytes done, the total bytes (nil if unknown) and the records done.
  public var onProgress: (@Sendable (Int, Int?, Int) -> Void)?

  /// Prepares an import.
  public init(sources: SourceList, library: String) {
    self.sources = sources
    self.library = library
  }

  /// Prepares an import of records that an earlier import rejected.
  /// - Throws: `RunFailure` if no format can read the rejects.
  public init(retrying retry: RejectsRetry, library: String) throws {
    self.init(sources: try retry.sources(), library: library)
    self.retry = retry
  }

  /// The result of an import.
  public struct Report: Sendable {
    /// The number of the run, for `runs show` and `undo`.
    public let run: Int64
    /// The outcomes of all records.
    public internal(set) var summary: RunSummary
    /// Whether the import created the library.
    public let isNew: Bool
    /// How many updated records contain changes from both sides.
    public let merged: Int
    /// The path of the page that shows both sides of every conflict; nil if there were no conflicts.
    public let conflicts: String?
    /// The path of the bundle of replaced records; nil if no record was replaced.
    public let replaced: String?
    /// The path of the text file with the originals of damaged columns of the source; nil if no column was damaged.
    public let originals: String?
    /// How many records were kept next to the library, because the app has no table for them. The app cannot see them.
    public let keptBeside: Int
    /// How many published items were changed. Their publications stay unchanged until an update is sent.
    public let publishedChanged: Int
    /// How many records were restored as published; 0 unless publication is restored.
    public let publishedRestored: Int
    /// The changes to steps and cards of items that the library already had.
    public let stepChanges: StepChangeLog
    let files: KnownFiles

    /// Whether the library already had all records of a file.
    public func isKnown(_ file: String) -> Bool { files.isKnown(file) }
  }

  /// Runs the import. Afterwards, the library has either all of the changes or none of them.
  /// - Throws: `RunFailure`: 5 if a pack is not signed as required or does not follow its previous version, 4 if the
  ///   library's schema is older than the current one or a conflict prevents the import, 6 if the schema is newer, 7 if
  ///   another program uses the library, 2 if a file cannot be read or written.
  public func run(context: RunContext) throws -> Report {
    try proves ? ImportProof(self, context: context).run() : run(context: context, observer: nil)
  }

  /// - Parameters:
  ///   - observer: receives the decision for each record.
  ///   - examineLibrary: receives the state of the library before any change, and the last run that changed it.
  package func run(
    context: RunContext, observer: (any ImportObserver)?,
    examineLibrary: LibraryExamination? = nil
  ) throws -> Report {
    var files: [String: SourceFile] = [:]
    let sources = try sourcesWithLostFiles()
    for entry in sources.entries {
      if !entry.source.isStandardInput, Self.isSame(entry.source.path, library) {
        throw RunFailure(.usage, "\(doing) into '\(library)': it is one of the sources", advice: "Name another source.")
      }
      let origin = try retry?.file ?? Self.origin(of: entry)
      files[entry.source.path] = origin
      if entry.isFolder, let kept = entry.format.companion(in: entry.source) {
        files[kept.path] = SourceFile(
          source: origin.source, folder: origin.folder, path: kept.inner, kind: origin.kind)
      }
    }
    let packs = try ImportedPacks(sources, trusted: trusted)
    var run = ImportRun(
      path: library,
      policy: ImportPolicy(
        onConflict: onConflict, settling: settling, creates: createsLibrary, restoresPublishing: restoresPublishing,
        isRetry: retry != nil, renames: renames),
      doing: doing, context: context)
    run.observer = observer
    run.examineLibrary = examineLibrary
    let outcome = try run.run(
      packs.guarding(sources, context: context.selecting(selection)),
      origin: { [files] in files[$0] ?? SourceFile(source: $0, path: $0) },
      note: RunNote(
        command: doing, detail: detail, request: plan == nil ? try? ImportRequest(self, context: context).json : nil,
        now: context.now,
        resumes: resumes),
      asArray: sources.areDocuments, packs: { try packs.check(against: $0, context: context) },
      pipeline: Pipeline(context: context, selection: selection, onProgress: onProgress))
    return Report(
      run: outcome.run, summary: outcome.summary, isNew: outcome.isNew, merged: outcome.merged,
      conflicts: outcome.conflicts,
      replaced: outcome.replaced, originals: outcome.originals, keptBeside: outcome.keptBeside,
      publishedChanged: outcome.publishedChanged, publishedRestored: outcome.publishedRestored,
      stepChanges: outcome.stepChanges, files: outcome.files)
  }

  /// Returns the sources, and the files in their folders that an earlier run imported and that are no longer content.
  private func sourcesWithLostFiles() throws -> SourceList {
    guard !sources.leftOut.isEmpty, access(library, F_OK) == 0,
      let imported = try ImportedFiles(of: library)
    else { return sources }
    var all = sources
    all.rejectLeftOut { file in
      let origin = Self.origin(ofFile: file.path, root: file.root)
      return imported.contains(origin.path, of: origin.source)
    }
    return all
  }

  /// Returns the origin of a source. A named file belongs to its own folder, a file found in a folder belongs to that
  /// folder, and a note belongs to its vault.
  private static func origin(of entry: SourceList.Entry) -> SourceFile {
    if entry.source.isStandardInput { return SourceFile(source: "-", path: "-") }
    if let home = entry.format.home(of: entry.source) {
      return SourceFile(source: home.name, folder: home.folder, path: home.path, kind: home.kind)
    }
    return origin(ofFile: entry.source.path, root: entry.root == entry.source.path ? nil : entry.root)
  }

  /// - Parameter root: the folder in which the file was found; nil if the file was named.
  static func origin(ofFile path: String, root: String?) -> SourceFile {
    let file = URL(fileURLWithPath: path).standardizedFileURL.path
    let folder =
      root.map { URL(fileURLWithPath: $0).standardizedFileURL.path } ?? (file as NSString).deletingLastPathComponent
    let prefix = folder.hasSuffix("/") ? folder : folder + "/"
    return SourceFile(source: folder, path: file.hasPrefix(prefix) ? String(file.dropFirst(prefix.count)) : file)
  }

  /// The details of the run for the ledger: its sources.
  private var detail: String {
    var json = ByteBuffer()
    json.append("{\"sources\":[")
    var seen = Set<String>()
    for entry in sources.entries where seen.insert(entry.root).inserted {
      if seen.count > 1 { json.append(",") }
      json.appendJSONString(entry.root)
    }
    json.append("]")
    if let plan {
      json.append(",\"plan\":")
      json.appendJSONString(plan)
    }
    json.append("}")
    return String(decoding: json.bytes, as: UTF8.self)
  }

  static func isSame(_ left: String, _ right: String) -> Bool {
    var first = stat()
    var second = stat()
    return stat(left, &first) == 0 && stat(right, &second) == 0 && first.st_dev == second.st_dev
      && first.st_ino == second.st_ino
  }
}

/// Restores single records of a backup into an existing library.
///
/// This is an import of the backup that also restores the publication state. In conflicts, the backup wins unless
/// otherwise requested.
public struct BackupImport: Sendable {
  /// The import. Set its selection before running it.
  public var job: LibraryImport

  /// Prepares the import.
  /// - Throws: `RunFailure`: 64 if the file is not a backup, with advice; 2 if the file cannot be read, 5 if it is
  ///   damaged, 6 if it is newer than this version of FleetKit.
  public init(_ backup: String, into library: String) throws {
    try BackupRecognition.require(backup)
    job = LibraryImport(sources: try SourceList([backup]), library: library)
    job.onConflict = .replace
    job.restoresPublishing = true
    job.doing = "restore"
  }
}
