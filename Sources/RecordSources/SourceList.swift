import Chravel
import Content
import ContentPack
import CoreDataRows
import CSV
import Diagnostics
import Foundation
import Haumana
import Interchange
import JSONBundle
import JSONText
import Markdown
import OPML
import PlainText
import PredecessorApp
import Spreadsheet
import SQLiteLibrary
import Synchronization
import TableShapes
import Todoist

/// The sources that a user named. Folders are resolved to the files in them that a format recognizes.
public struct SourceList: Sendable {
  /// One source with its format.
  public struct Entry: Sendable {
    /// The path of the source.
    public let source: Source
    /// The format of the source.
    public let format: any Format
    /// The source that the user named: the file itself, or the folder in which it was found.
    public let root: String

    /// The size of a small file that was found in a folder, in bytes; nil for other sources.
    package let size: Int?

    /// Whether the source is a folder whose files are read as one.
    public var isFolder: Bool {
      var status = stat()
      return format.descriptor.takesFolders && stat(source.path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether the source is a file that was found in a folder.
    fileprivate var isOneOfFolder: Bool { !isFolder && !root.utf8.elementsEqual(source.path.utf8) }

    /// Whether the source's rows belong together, so that a part of them is useless.
    fileprivate var isTable: Bool { format.descriptor.fromFolders == .withoutNotes }

    /// Whether findings name files inside the source, because it is a pack, or a folder that is read as one source.
    public var holdsFiles: Bool { format.descriptor.holdsFiles || isFolder }

    package init(source: Source, format: any Format, root: String, size: Int? = nil) {
      self.source = source
      self.format = format
      self.root = root
      self.size = size
    }

    /// The maximum size of a small file. Larger files gain nothing from being read together.
    fileprivate static let small = 1 << 16

    /// Makes an entry for the same source, found in a folder.
    package init(_ other: Entry, root: String) { self.init(source: other.source, format: other.format, root: root) }
  }

  /// Sources in the order in which they are read.
  public private(set) var entries: [Entry]
  /// The files in folders that are not read.
  public private(set) var leftOut: [SkippedFile] = []

  /// A file that was found in a folder and is not read.
  public struct SkippedFile: Sendable {
    /// The path of the file.
    public let path: String
    /// The folder that the user named.
    public let root: String
    /// The reason why the file is not read; nil for pictures, sounds and films.
    public let finding: Diagnostic?
  }

  /// The paths that the user named, and their format; nil if the sources were resolved before.
  public private(set) var named: (paths: [String], format: FormatID?)?

  /// Returns a list with one of the sources. A file of a folder still counts as one of many.
  public func only(_ entry: Entry) -> SourceList {
    var list = SourceList(entries: [entry])
    list.siblings = entries.count
    return list
  }

  /// The number of sources in the list that this one was taken from.
  private var siblings: Int?

  /// Makes a list of sources that were already resolved.
  public init(entries: [Entry]) { self.entries = entries }

  /// Resolves paths.
  /// - Parameter format: the format of all sources; nil to detect it.
  /// - Throws: `RunFailure` if a source is missing or not recognized, or if a folder contains nothing that can be read.
  public init(_ paths: [String], format: FormatID? = nil, registry: FormatRegistry = .standard) throws {
    var entries: [Entry] = []
    for path in paths {
      var isFolder: ObjCBool = false
      if path != "-", FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
        if let bag = Self.bag(path, format: format, registry) {
          entries.append(bag)
          continue
        }
        entries += try Self.files(in: path, format: format, registry, leftOut: &leftOut)
      } else {
        let source = Source(path)
        // The format of the file's extension reports best what is wrong with the file.
        let isClaimed = registry.formats.contains { $0.descriptor.extensions.contains(source.pathExtension) }
        if format == nil, path != "-", !isClaimed, let head = try? SourceProbe.head(of: source),
          let what = StrayFile.otherDocument(source, head: head)
        {
          throw RunFailure(
            .failed, "read '\(path)': \(what), which FleetKit cannot read",
            advice: "Save it in a format that FleetKit reads. To list the formats, run 'fleetkit formats'.")
        }
        let found = try registry.format(of: source, as: format)
        if path != "-" { _ = try SourceProbe.head(of: source) }
        guard found.descriptor.reads else {
          throw RunFailure(.usage, "the format '\(found.descriptor.name)' cannot be read")
        }
        entries.append(Entry(source: source, format: found, root: path))
      }
    }
    self.entries = Self.joined(entries)
    named = (paths, format)
  }

  /// Joins the files of a format whose files belong together into one source.
  private static func joined(_ entries: [Entry]) -> [Entry] {
    let parts = Dictionary(grouping: entries.filter(\.format.descriptor.joinsFiles), by: \.format.descriptor.id)
      .filter { $0.value.count > 1 }
    var seen: Set<FormatID> = []
    return entries.compactMap { entry in
      guard let all = parts[entry.format.descriptor.id] else { return entry }
      guard seen.insert(entry.format.descriptor.id).inserted else { return nil }
      return Entry(source: Source(joining: all.map(\.source)), format: entry.format, root: entry.root)
    }
  }

  /// Returns a folder that is a bag as one source, unless another format was requested for its files.
  private static func bag(_ folder: String, format: FormatID?, _ registry: FormatRegistry) -> Entry? {
    let source = Source(folder)
    let found = registry.formats.first { $0.descriptor.holdsFiles && $0.recognises(source, head: FileHead([])) }
    guard let found, format == nil || format == found.descriptor.id else { return nil }
    return Entry(source: source, format: found, root: folder)
  }

  private static func files(
    in folder: String, format: FormatID?, _ registry: FormatRegistry, leftOut: inout [SkippedFile]
  ) throws -> [Entry] {
    // Hidden files, sidecar folders and rejects of earlier runs are read only if the user named them.
    var walk = try FolderWalk(folder) { name in
      !name.hasPrefix(".") && !name.hasSuffix(".fleetkit") && name != "node_modules" && !name.contains(".rejects.")
        && !name.contains(".rejects-") && !name.hasSuffix(".reasons.jsonl")
    }
    let bags = walk.takeBags()
    let whole = registry.formats.filter(\.descriptor.takesFolders)
    let endings = whole.flatMap(\.descriptor.extensions)
    // If files are read as one source, only the first is listed. There may be tens of thousands of files.
    var names: [String] = []
    var first: String?
    for name in walk.files {
      if endings.contains(where: { name.hasSuffix("." + $0) }) {
        first = min(first ?? name, name)
      } else {
        names.append(name)
      }
    }
    if let first { names.append(first) }
    names += bags
    names.sort()
    let isBag = Set(bags)
    var entries: [Entry] = []
    var folders: Set<FormatID> = []
    /// Adds the files of a format that takes folders as one source.
    func addFolder(_ format: any Format) {
      guard folders.insert(format.descriptor.id).inserted else { return }
      entries.append(Entry(source: Source(folder), format: format, root: folder))
    }
    func leave(_ path: String, _ finding: Diagnostic?) {
      leftOut.append(SkippedFile(path: path, root: folder, finding: finding))
    }
    for found in registry.formats
    where found.descriptor.takesFolders && found.recognises(Source(folder), head: FileHead([])) {
      if format == nil || format == found.descriptor.id { addFolder(found) }
    }
    let base = folder.hasSuffix("/") ? folder : folder + "/"
    let hasNotes = first != nil
    // Two threads probe the files, whose order is kept.
    let chunks = format == nil ? stride(from: 0, to: names.count, by: 64).map { names[$0...].prefix(64) } : []
    let probes = OrderedMap<[Probe?]>(chunks, threads: min(2, chunks.count), ahead: 8) { _ in
      { names, results in
        _ = results.send(
          names.map { isBag.contains($0) ? nil : probe(Source(base + $0), registry, hasNotes: hasNotes) })
      }
    }
    var probed: ArraySlice<Probe?> = []
    for name in names {
      let path = base + name
      let source = Source(path)
      if format == nil, probed.isEmpty { probed = try probes.next()?[...] ?? [] }
      let what = probed.popFirst() ?? nil
      if isBag.contains(name) {
        if let bag = Self.bag(path, format: format, registry) { entries.append(Entry(bag, root: folder)) }
        continue
      }
      if let format {
        let found = try registry.format(format)
        let isTaken =
          found.descriptor.fromFolders == .recognised
          ? (try? SourceProbe.readHead(of: source)).map { found.recognises(source, head: $0.head) } ?? false
          : found.descriptor.extensions.contains(source.pathExtension)
        if isTaken {
          if found.descriptor.takesFolders {
            addFolder(found)
            continue
          }
          entries.append(Entry(source: source, format: found, root: folder))
        }
        continue
      }
      switch what {
      case .ofFolder(let found): addFolder(found)
      case .read(let found, let size): entries.append(Entry(source: source, format: found, root: folder, size: size))
      case .left(let finding): leave(path, finding)
      case .own, nil: break
      }
    }
    for end in walk.deadEnds.sorted(by: { $0.path < $1.path }) {
      let what = end.isFolder ? "a link to a folder, which is not followed" : "a broken link"
      leave(
        base + end.path,
        Diagnostic(
          .unreadFile, what, at: Place(file: base + end.path),
          fix: end.isFolder ? "name the folder itself as another source" : "correct the link, or remove it"))
    }
    // The note reader walks the folder again and reports such names.
    for place in walk.unreadable where !hasNotes {
      let message = "a name in this folder is not UTF-8; the file is left out"
      leave(place, Diagnostic(.unreadFile, message, at: Place(file: place), fix: "rename the file"))
    }
    guard !entries.isEmpty else {
      throw RunFailure(
        .failed, "read the folder '\(folder)': it contains no file in a format that FleetKit reads",
        advice: "The formats are: \(registry.formats.map(\.descriptor.name).joined(separator: ", ")).")
    }
    return entries
  }

  /// The result of probing a file that was found in a folder.
  private enum Probe: Sendable {
    /// The file is one of several that a format reads as one source.
    case ofFolder(any Format)
    /// The file is read. The size is nil for a large file.
    case read(any Format, size: Int?)
    /// The file is not read. The finding is nil for pictures, sounds and films.
    case left(Diagnostic?)
    /// The file was made by FleetKit and is not content.
    case own
  }

  private static func probe(_ source: Source, _ registry: FormatRegistry, hasNotes: Bool) -> Probe {
    func isNamed(_ format: any Format) -> Bool { format.descriptor.extensions.contains(source.pathExtension) }
    if let found = registry.formats.first(where: { $0.descriptor.takesFolders && isNamed($0) }) {
      return .ofFolder(found)
    }
    let place = Place(file: source.path)
    let (head, size): (FileHead, Int)
    do { (head, size) = try SourceProbe.readHead(of: source) } catch {
      // A file with the extension of a content format is rejected by that format's reader.
      let named = registry.formats.first { $0.descriptor.fromFolders == .always && isNamed($0) }
      if let named { return .read(named, size: nil) }
      return .left(Diagnostic(.unreadFile, (error as? RunFailure)?.message ?? "\(error)", at: place))
    }
    if let found = registry.formats.first(where: { isRead(source, as: $0, head, hasNotes: hasNotes) }) {
      switch found.stray(source, head: head) {
      case .reported(let finding): return .left(finding)
      case .own: return .own
      case nil: return .read(found, size: size <= Entry.small ? size : nil)
      }
    }
    if hasNotes, registry.formats.contains(where: { isRead(source, as: $0, head, hasNotes: false) }) {
      return .left(Diagnostic(.tableBesideNotes, "this table is next to notes and is not read", at: place))
    }
    return .left(StrayFile.finding(source, head: head))
  }

  /// Whether a file that was found in a folder is read as a format.
  private static func isRead(_ source: Source, as format: any Format, _ head: FileHead, hasNotes: Bool) -> Bool {
    if format.descriptor.fromFolders == .recognised { return format.recognises(source, head: head) }
    if format.hasSignature(head), format.descriptor.fromFolders == .always { return true }
    guard format.descriptor.extensions.contains(source.pathExtension) else { return false }
    switch format.descriptor.fromFolders {
    case .always, .recognised: return true
    case .withoutNotes: return !hasNotes && format.recognises(source, head: head)
    case .onRequest: return false
    }
  }

  /// Whether a regular file exists at a path.
  package static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Removes the sources for which `leaves` returns true.
  public mutating func removeAll(where leaves: (Entry) -> Bool) { entries.removeAll(where: leaves) }

  /// Makes sources from skipped files that used to be content, so that their readers reject them.
  /// - Parameter isKnown: whether a file was content.
  public mutating func rejectLeftOut(where isKnown: (SkippedFile) throws -> Bool) rethrows {
    for file in leftOut where file.finding?.code != .tableBesideNotes {
      guard try isKnown(file) else { continue }
      entries.append(Entry(source: Source(file.path), format: LostContent(file.finding), root: file.root))
      leftOut.removeAll { $0.path.utf8.elementsEqual(file.path.utf8) }
    }
  }

  /// Returns, for each source in order, a function that opens its reader.
  public func readers(context: RunContext) -> [@Sendable () throws -> any ContentReader] {
    for finding in leftOut.compactMap(\.finding) { context.findings.report(finding) }
    let files = FolderFiles(sources: siblings ?? entries.count)
    return entries.map { entry in
      let open = { @Sendable in try entry.format.reader(of: entry.source, context: context) }
      guard entry.isOneOfFolder else { return open }
      return { try files.reader(entry, context: context, open) }
    }
  }

  /// Whether every source is one JSON document, so that the rejects are one document too.
  public var areDocuments: Bool { entries.allSatisfy { $0.format.descriptor.text == .document } }
}

/// The files of a folder. A file that cannot be read is reported and rejected, and the others are read.
///
/// If no source can be read, the run fails.
private final class FolderFiles: Sendable {
  private let sources: Int
  private let unread = Mutex(0)

  /// - Parameter sources: the number of sources of the run.
  init(sources: Int) { self.sources = sources }

  /// Opens a file.
  /// - Parameter open: makes the reader.
  func reader(
    _ entry: SourceList.Entry, context: RunContext, _ open: @escaping () throws -> any ContentReader
  ) throws -> any ContentReader {
    do {
      return FolderFileReader(try open(), entry, self, context)
    } catch let failure as RunFailure {
      return FolderFileReader(rejecting: try reject(failure, entry, context), entry, self, context)
    }
  }

  /// Reports why a file cannot be read.
  /// - Returns: a batch that contains only the reject.
  /// - Throws: the failure, if the file did not cause it, or if this was the last source that could have been read.
  fileprivate func reject(
    _ failure: RunFailure, _ entry: SourceList.Entry, _ context: RunContext
  ) throws -> RecordBatch {
    // A usage error, a full disk or an interrupted run is not caused by the file.
    guard [.failed, .refused, .mismatch].contains(failure.status) else { throw failure }
    let count = unread.withLock { unread in
      unread += 1
      return unread
    }
    if count == sources { throw failure }
    let path = entry.source.name
    let batch = RecordBatch(locator: FileLocator(path), capacity: 64)
    // A table whose header has no column for steps may belong to another program.
    if let finding = failure.finding, finding.code == .noTableHeader {
      context.findings.report(
        Diagnostic(
          .unreadFile, "a table without a header that FleetKit recognizes", at: finding.place, fix: finding.fix))
      return batch
    }
    let finding =
      failure.finding
      ?? Diagnostic(
        entry.isTable ? .tableNotRead : .brokenFile, failure.message, at: Place(file: path), fix: failure.advice)
    context.findings.report(finding)
    batch.rejected.append(
      RejectedRecord(
        kind: .item, bytes: Self.text(of: entry), place: finding.place.description,
        reasons: [
          RejectReason(code: finding.code.id, message: finding.message, place: finding.place.description)
        ]))
    return batch
  }
}

extension FolderFiles {
  /// The size in bytes of the largest file that is kept among the rejects.
  private static let largest = 16 << 20

  /// Returns the content of a rejected file. Text is kept unchanged, so that it can be corrected in the rejects. Other
  /// files are `null`.
  private static func text(of entry: SourceList.Entry) -> [UInt8] {
    guard entry.format.descriptor.text != nil,
      let size = FileRead.size(of: entry.source.path), size > 0,
      size <= largest, let data = FileManager.default.contents(atPath: entry.source.path)
    else { return Array("null".utf8) }
    return [UInt8](data)
  }
}

/// Reads one file of a folder.
private final class FolderFileReader: ContentReader {
  private let entry: SourceList.Entry
  private let files: FolderFiles
  private let context: RunContext
  private var inner: (any ContentReader)?
  private var rejecting: RecordBatch?
  private var hasBegun = false

  init(_ inner: any ContentReader, _ entry: SourceList.Entry, _ files: FolderFiles, _ context: RunContext) {
    (self.inner, self.entry, self.files, self.context) = (inner, entry, files, context)
  }

  init(rejecting batch: RecordBatch, _ entry: SourceList.Entry, _ files: FolderFiles, _ context: RunContext) {
    (rejecting, self.entry, self.files, self.context) = (batch, entry, files, context)
  }

  var progress: (done: Int, total: Int?) { inner?.progress ?? (0, 0) }

  func next() throws -> RecordBatch? {
    if let batch = rejecting {
      rejecting = nil
      return batch
    }
    guard let inner else { return nil }
    do {
      let batch = try inner.next()
      hasBegun = true
      return batch
    } catch let failure as RunFailure {
      // A table must be read as a whole, and its first rows may already be in the library. Records of other formats are
      // complete in themselves.
      if hasBegun, entry.format.descriptor.text == nil { throw failure }
      self.inner = nil
      return try files.reject(failure, entry, context)
    }
  }
}

extension FormatRegistry {
  /// All formats of FleetKit. A new format is added here.
  public static let standard = FormatRegistry([
    HaumanaStoreFormat(),
    ChravelStoreFormat(),
    CoreDataFormat(),
    SQLiteLibraryFormat(),
    HaumanaFormat(),
    HaumanaDynamoDBFormat(),
    ChravelFormat(),
    PredecessorFormat(),
    lines,
    document,
    notes,
    OPMLFormat(),
    TodoistFormat(),
    CSVFormat(notes: notes),
    SpreadsheetFormat(notes: notes),
    PlainTextFormat(notes: notes),
    ContentPackFormat(lines: lines, document: document, notes: notes, library: SQLiteLibraryFormat()),
  ])

  private static let lines = JSONBundleFormat(.lines)
  private static let document = JSONBundleFormat(.document)
  private static let notes = MarkdownFormat(bundle: lines)
}
