import Backup
import Foundation
import Interchange
import JSONText
import Merging
import Minisign
import RecordSources
import SQLiteLibrary

/// Brings the content of sources into an existing library: what is new is created, what changed is updated, the rest
/// stays. Content, not publication: nothing becomes public, unless it is asked for, and nothing is queued.
///
/// ```swift
/// let sources = try SourceList(["checklists/"])
/// let report = try LibraryImport(sources: sources, library: "anyfleet.sqlite").run(context: RunContext(now: now))
/// ```
public struct LibraryImport: Sendable {
  /// What is read.
  public var sources: SourceList
  /// The library that it goes into.
  public var library: String
  /// Whether a library that is not there is made.
  public var createsLibrary = false
  /// What to do with a record that the library has in another version.
  public var onConflict = OnConflict.merge
  /// What merging does where both sides changed the same thing.
  public var settling = ConflictSettling.reject
  /// What becomes of notes that were probably renamed or moved.
  public var renames = RenamePolicy.decline
  /// Keys one of which must have signed every pack among the sources; none to trust the keys of earlier imports.
  public var trusted: [MinisignKey] = []
  /// Whether the state of publication is taken from the sources too, as restoring a backup does. The queue never is.
  public var restoresPublishing = false
  /// What errors begin with: `import`, or `restore` for single records of a backup.
  var doing = "import"
  /// The plan that is applied; nil for an import.
  var plan: String?
  /// What an earlier import rejected, when that is what is imported; `sources` are its then.
  public var retry: RejectsRetry?
  /// The interrupted run that is done again under its own number; nil for a new run.
  public internal(set) var resumes: Int64?
  /// Which records are taken; nil takes all.
  public var selection: Selection?
  /// Whether the library is read again afterwards and held against the sources, and against what it was before.
  public var proves = false
  /// Called now and then with bytes done, bytes in all (nil when unknown) and records done.
  public var onProgress: (@Sendable (Int, Int?, Int) -> Void)?

  /// Plans an import.
  public init(sources: SourceList, library: String) {
    self.sources = sources
    self.library = library
  }

  /// Plans to import what an earlier import rejected.
  /// - Throws: `RunFailure` when no format reads it.
  public init(retrying retry: RejectsRetry, library: String) throws {
    self.init(sources: try retry.sources(), library: library)
    self.retry = retry
  }

  /// What an import did.
  public struct Report: Sendable {
    /// The number of the run, for `runs show` and `undo`.
    public let run: Int64
    /// What became of every record.
    public internal(set) var summary: RunSummary
    /// Whether the library was made by it.
    public let isNew: Bool
    /// How many of the updated records have something of both sides now.
    public let merged: Int
    /// The page that shows both sides of every conflict; nil when there was none.
    public let conflicts: String?
    /// The bundle of what was written over; nil when nothing was.
    public let replaced: String?
    /// The text file with the originals of damaged columns of the source; nil when there was none.
    public let originals: String?
    /// How many records went beside the library, because the app has no table for them and cannot see them.
    public let keptBeside: Int
    /// How many published items were changed; what is public stays as it is until an update is sent.
    public let publishedChanged: Int
    /// How many records came back as published; 0 unless publication is restored.
    public let publishedRestored: Int
    /// What changed among the steps and cards of items that the library had.
    public let stepChanges: StepChangeLog
    let files: KnownFiles

    /// Whether all records of a file are as the library had them before.
    public func isKnown(_ file: String) -> Bool { files.isKnown(file) }
  }

  /// Runs it. The library has all of it afterwards, or is as it was.
  /// - Throws: `RunFailure`: 5 when a pack is not signed as it must be or does not follow the version before, 4 when the
  ///   library's schema is older than today's or a conflict forbids it, 6 when it is newer, 7 when another program uses it, 2 when something cannot be read or written.
  public func run(context: RunContext) throws -> Report {
    try proves ? ImportProof(self, context: context).run() : run(context: context, observer: nil)
  }

  /// - Parameters:
  ///   - observer: who is told what becomes of each record.
  ///   - looksAtLibrary: who is shown what the library is before anything is done, and the last run that changed it.
  package func run(
    context: RunContext, observer: (any ImportObserver)?,
    looksAtLibrary: LibraryLook? = nil
  ) throws -> Report {
    var files: [String: SourceFile] = [:]
    let sources = try sourcesWithLostFiles()
    for entry in sources.entries {
      if !entry.source.isStandardInput, Self.isSame(entry.source.path, library) {
        throw RunFailure(.usage, "\(doing) into '\(library)': it is its own source", advice: "Name another source.")
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
    run.looksAtLibrary = looksAtLibrary
    let outcome = try run.run(
      packs.guarding(sources, context: context), origin: { [files] in files[$0] ?? SourceFile(source: $0, path: $0) },
      note: RunNote(
        command: doing, detail: detail, request: plan == nil ? try? ImportRequest(self, context: context).json : nil,
        now: context.now,
        resumes: resumes),
      asArray: sources.areDocuments, packs: { try packs.settled(with: $0, context: context) },
      pipeline: Pipeline(context: context, selection: selection, onProgress: onProgress))
    return Report(
      run: outcome.run, summary: outcome.summary, isNew: outcome.isNew, merged: outcome.merged,
      conflicts: outcome.conflicts,
      replaced: outcome.replaced, originals: outcome.originals, keptBeside: outcome.keptBeside,
      publishedChanged: outcome.publishedChanged, publishedRestored: outcome.publishedRestored,
      stepChanges: outcome.stepChanges, files: outcome.files)
  }

  /// The sources, and the files of their folders that an earlier run imported and that are no content any more.
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

  /// A file that was named belongs to its folder, one that was found in a folder to that folder, a note to its vault.
  private static func origin(of entry: SourceList.Entry) -> SourceFile {
    if entry.source.isStandardInput { return SourceFile(source: "-", path: "-") }
    if let home = entry.format.home(of: entry.source) {
      return SourceFile(source: home.name, folder: home.folder, path: home.path, kind: home.kind)
    }
    return origin(ofFile: entry.source.path, root: entry.root == entry.source.path ? nil : entry.root)
  }

  /// - Parameter root: the folder that the file was found in; nil when it was named.
  static func origin(ofFile path: String, root: String?) -> SourceFile {
    let file = URL(fileURLWithPath: path).standardizedFileURL.path
    let folder =
      root.map { URL(fileURLWithPath: $0).standardizedFileURL.path } ?? (file as NSString).deletingLastPathComponent
    let prefix = folder.hasSuffix("/") ? folder : folder + "/"
    return SourceFile(source: folder, path: file.hasPrefix(prefix) ? String(file.dropFirst(prefix.count)) : file)
  }

  /// What the ledger remembers of the run: its sources.
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

/// Brings single records of a backup back into a library that stays.
///
/// An import of the backup that takes the state of publication too, and lets the backup win unless it is told
/// otherwise.
public struct BackupImport: Sendable {
  /// The import; say which records are taken before it is run.
  public var job: LibraryImport

  /// Plans it.
  /// - Throws: `RunFailure`: 64 when the file is no backup, with what to do instead; 2 when it cannot be read, 5 when
  ///   it is damaged, 6 when it is newer than this FleetKit.
  public init(_ backup: String, into library: String) throws {
    try BackupRecognition.require(backup)
    job = LibraryImport(sources: try SourceList([backup]), library: library)
    job.onConflict = .replace
    job.restoresPublishing = true
    job.doing = "restore"
  }
}
