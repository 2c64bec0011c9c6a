import Content
import Diagnostics
import Foundation

/// One format: its description, and how to recognize, read and write it.
///
/// A new format is one module with a type that conforms to this protocol, and one line in the registry; no other code
/// depends on the format.
public protocol Format: Sendable {
  /// The names and capabilities of the format.
  var descriptor: FormatDescriptor { get }

  /// Whether a source looks like this format.
  /// - Parameter head: the first bytes of the source, up to 4 KiB.
  func recognises(_ source: Source, head: FileHead) -> Bool

  /// Whether the first bytes identify the format with certainty, whatever the file's name. Files of a folder are
  /// recognized by their names or by these bytes, never by a guess.
  func hasSignature(_ head: FileHead) -> Bool

  /// Whether a file found in a folder belongs to another program, although its name or its first bytes are those of
  /// this format; nil for content. A damaged file that used to be content counts as content.
  func stray(_ source: Source, head: FileHead) -> Stray?

  /// Returns the collection that a source belongs to; nil if the collection is the folder that contains the source.
  func home(of source: Source) -> SourceHome?

  /// Returns the file in a folder of this format that holds what its other files cannot express; nil if there is no
  /// such file.
  /// - Returns: The file's path, and its path relative to the folder.
  func companion(in folder: Source) -> (path: String, inner: String)?

  /// Opens a source.
  /// - Throws: `RunFailure` if it cannot be read.
  func reader(of source: Source, context: RunContext) throws -> any ContentReader

  /// Opens small files of a folder as one source, so that a batch has the records of many of them.
  ///
  /// Findings and places name each file as its source does. A damaged file is reported, and the files after it are
  /// read. The reader throws `UnreadFile` at a file that must be read separately to determine what is wrong with it.
  /// - Returns: Nil if the format reads its files one by one.
  /// - Throws: `RunFailure` if a file cannot be read; in that case, nothing was reported.
  func reader(ofFiles sources: [Source], context: RunContext) throws -> (any ContentReader)?

  /// Whether a target's name selects this format.
  func isNamed(by target: Target) -> Bool

  /// Begins a target. Nothing is visible under the target's name until the writer has finished.
  /// - Throws: `RunFailure` if the target cannot be written.
  func writer(to target: Target, context: RunContext) throws -> any ContentWriter
}

extension Format {
  /// Returns nil, because every file counts as content.
  public func stray(_ source: Source, head: FileHead) -> Stray? { nil }

  /// Returns nil, because the format reads its files one by one.
  public func reader(ofFiles sources: [Source], context: RunContext) throws -> (any ContentReader)? { nil }

  /// Returns nil, because files are independent of each other.
  public func home(of source: Source) -> SourceHome? { nil }

  /// Returns nil, because folders only contain files of the format.
  public func companion(in folder: Source) -> (path: String, inner: String)? { nil }

  /// Whether the target has one of the format's extensions.
  public func isNamed(by target: Target) -> Bool { descriptor.extensions.contains(target.pathExtension) }
}

/// The error for a file that cannot be read together with others. The reader has returned everything before this file,
/// and nothing from it.
public struct UnreadFile: Error {
  /// The file's number among the sources.
  public let index: Int

  /// Creates the error for a file.
  public init(index: Int) { self.index = index }
}

/// A source of records.
public struct Source: Sendable, Hashable {
  /// The path as the user gave it, or `-` for standard input.
  public let path: String
  /// The name in findings and messages. It differs from the path for files that were unpacked from a backup.
  public let name: String
  /// The name from which the ids of records without an id are derived, if it is not the path. Two versions of one file
  /// have the same name.
  public let idName: String

  /// Creates a source.
  public init(_ path: String, name: String? = nil, idName: String? = nil) {
    self.path = path
    self.name = name ?? path
    self.idName = idName ?? path
    pathExtension = Self.pathExtension(of: path)
  }

  /// The files that are read as one source, if there are several; in places, they are named as members.
  public private(set) var parts: [String] = []

  /// Joins files that belong together. The source has the name of the folder that contains all of them.
  package init(joining sources: [Source]) {
    let folders = sources.map { $0.path.split(separator: "/", omittingEmptySubsequences: false).dropLast() }
    var common = folders.first ?? []
    for folder in folders {
      common = common.prefix(zip(common, folder).prefix { $0 == $1 }.count)
    }
    let name = common.joined(separator: "/")
    self.init(sources.first?.path ?? "", name: common.isEmpty ? "." : name.isEmpty ? "/" : name)
    parts = sources.flatMap { $0.parts.isEmpty ? [$0.path] : $0.parts }
  }

  /// Whether the source is standard input.
  public var isStandardInput: Bool { path == "-" }

  /// The extension in lower case, without the dot.
  public let pathExtension: String

  static func pathExtension(of path: String) -> String {
    let bytes = path.utf8
    // A folder's name may end in a slash.
    guard let last = bytes.lastIndex(where: { $0 != UInt8(ascii: "/") }) else { return "" }
    let end = bytes.index(after: last)
    guard
      let mark = bytes[..<end].lastIndex(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") }),
      bytes[mark] == UInt8(ascii: "."), mark != bytes.startIndex, bytes[bytes.index(before: mark)] != UInt8(ascii: "/")
    else { return "" }
    return path[bytes.index(after: mark)..<end].lowercased()
  }
}

/// A target for records.
public struct Target: Sendable, Hashable {
  /// The path, or `-` for standard output.
  public private(set) var path: String
  /// The path as the user gave it, which is also the name of a target that is staged elsewhere first.
  public let name: String
  /// Whether a file with that name may be replaced. A library is never replaced.
  public let overwrites: Bool
  /// Whether the user can request replacement with `--overwrite`; if so, a refusal mentions the option.
  public var canOverwrite = false
  /// Whether a vault's notes may be rewritten in FleetKit's notation if the notes' own notation cannot express a
  /// change.
  public var rewritesNotes = false
  /// Whether the store of an app may be filled.
  public var fillsAppStore = false
  /// Whether rows are written in the form of the app's own upload. Otherwise, rows are written unchanged.
  public var asUpload = false
  /// The schema of a new library, `1.4.0`; nil for the newest.
  public let schemaVersion: String?
  /// The records to write; nil for all. A library also gets records that its items need but that were not selected. For
  /// that purpose, it receives every queued operation.
  public var selection: Selection?

  /// Creates a target.
  public init(_ path: String, overwrites: Bool = false, schemaVersion: String? = nil) {
    self.path = path
    name = path
    self.overwrites = overwrites
    self.schemaVersion = schemaVersion
  }

  /// Returns the same target under another path, where it is completed before it is moved to its final path.
  public func staged(at path: String) -> Target {
    var target = self
    target.path = path
    return target
  }

  /// Whether the target is standard output.
  public var isStandardOutput: Bool { path == "-" }

  /// Whether the target is a folder: it already exists, or its name ends in a slash.
  public var isFolder: Bool {
    if path.hasSuffix("/") { return true }
    var isFolder: ObjCBool = false
    return !isStandardOutput && FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && isFolder.boolValue
  }

  /// The extension in lower case, without the dot.
  public var pathExtension: String { Source.pathExtension(of: path) }
}

/// The identity of a format. Each format declares its own identity in an extension; no other module names the format.
public struct FormatID: RawRepresentable, Hashable, Sendable {
  /// The name for `--from-format` and `--to-format`, in lower case.
  public let rawValue: String

  /// Creates an identity from a stored name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Creates an identity from a name that a user wrote, in any letter case.
  public init(_ name: String) { rawValue = name.lowercased() }
}

/// The names and properties of a format, and the content that the format keeps. If a writer loses any of this content,
/// it is a bug.
public struct FormatDescriptor: Sendable {
  /// The identity of the format.
  public let id: FormatID
  /// The name for `--from-format` and `--to-format`.
  public var name: String { id.rawValue }
  /// The title for users.
  public let title: String
  /// File name extensions without a dot, the usual one first.
  public let extensions: [String]
  /// The media type.
  public let mediaType: String
  /// The content that the format holds without loss.
  public let keeps: Set<Feature>
  /// Whether FleetKit reads the format.
  public let reads: Bool
  /// Whether FleetKit writes the format.
  public let writes: Bool
  /// Whether FleetKit fills an empty file that the app made, because FleetKit cannot make such a file.
  public let fills: Bool
  /// Whether a folder of such files is one source, read and written as a whole.
  public let takesFolders: Bool
  /// Whether a source, file or folder, contains inner files, as archives do; findings name the inner files.
  public let holdsFiles: Bool

  /// Whether files of the format belong together, so that several of them are one source.
  public let joinsFiles: Bool

  /// Whether a folder may be written, with one file for each item. Such files are read one by one.
  public let writesFolders: Bool

  /// The conditions under which files of the format are read from a named folder.
  public let fromFolders: FromFolders
  /// The form of a file's text, if people and version control read it as text; nil for other files.
  public let text: TextForm?
  /// The options of reading and writing that apply to the format.
  public let options: Set<Option>
  /// Differences between written and read records that are documented on the format's page.
  public let differences: Set<Difference>
  /// The codes of findings that only files of the format can have, in numerical order.
  public let codes: [DiagnosticCode]
  /// The format's page, `formats/PAGE.md`, without its extension.
  public let page: String

  /// The form of records in the text of a file.
  public enum TextForm: Sendable {
    /// A note for people, which may hold conflict markers.
    case note
    /// One JSON value.
    case document
    /// One JSON object per line.
    case lines
  }

  /// An option that only some formats have.
  public enum Option: Sendable {
    /// `--sheet`: the file has several tables.
    case sheet
    /// `--delimiter`: cells are separated by a character.
    case delimiter
    /// `--excel`: the text can begin with a byte order mark for Excel.
    case excel
    /// `--user`: the source may have the data of several users.
    case user
    /// `--decks`: texts with a translation can be decks.
    case decks
    /// `--with-ticks`: ticks of checklists can be executions.
    case ticks
    /// `--as-upload`, `--endpoint` and the names of tables: rows can be written for an upload, and sent.
    case upload
  }

  /// A difference that only expresses the same content in another form.
  public enum Difference: Sendable {
    /// The notation of a note is not kept, or is kept in the note itself.
    case typing
    /// A note without a time gets the time of its file.
    case fileTimes
    /// A missing time is filled in, because the format requires one.
    case requiredTimes
    /// An empty string is equivalent to a missing one.
    case emptyTexts
    /// `extras` may contain additional data of the format's app about a record, under the format's name, including
    /// values that the writer filled in.
    case ownExtras
    /// The list of a table's own columns is derived from the lines that their cells became.
    case tableColumns
  }

  /// The conditions under which files that the user did not name are read.
  public enum FromFolders: Sendable {
    /// Files are always read if their names identify them.
    case always
    /// Files are read if their content identifies them and the folder contains no notes, because files next to notes
    /// are attachments.
    case withoutNotes
    /// Files are read if their content identifies them, whatever their names.
    case recognised
    /// Files are read only if the format is requested, because most files with such names have another format.
    case onRequest
  }

  /// The content that the format cannot hold.
  public var loses: Set<Feature> { Set(Feature.allCases).subtracting(keeps) }

  /// Creates a description.
  public init(
    _ id: FormatID, title: String, page: String, extensions: [String], mediaType: String, keeps: Set<Feature>,
    reads: Bool = true, writes: Bool = true, fills: Bool = false, takesFolders: Bool = false,
    holdsFiles: Bool = false, joinsFiles: Bool = false, fromFolders: FromFolders = .always, writesFolders: Bool = false,
    text: TextForm? = nil, options: Set<Option> = [], differences: Set<Difference> = [], codes: [DiagnosticCode] = []
  ) {
    self.page = page
    self.codes = codes
    self.text = text
    self.options = options
    self.differences = differences
    self.fromFolders = fromFolders
    self.writesFolders = writesFolders
    self.id = id
    self.title = title
    self.extensions = extensions
    self.mediaType = mediaType
    self.keeps = keeps
    self.reads = reads
    self.writes = writes
    self.fills = fills
    self.takesFolders = takesFolders
    self.holdsFiles = holdsFiles
    self.joinsFiles = joinsFiles
  }
}

/// A part of content that a format may or may not be able to hold.
public enum Feature: String, Sendable, CaseIterable {
  case checklists, guides, decks
  case ids, times, tags, language, pins
  case sections, itemDetails = "item details", required = "required and optional", minutes, icons
  case reviews = "card reviews"
  case charters, executions, queue, publication
  case attachments, practiceSessions = "practice sessions", foreign = "foreign records"
  case unknownMembers = "unknown members"
  case originalText = "unreadable originals"
}

/// Reads the records of one source, batch by batch.
///
/// A reader is called by one thread. It never changes its source. It holds one batch at a time, whose size in bytes is
/// bounded.
public protocol ContentReader: AnyObject {
  /// Returns the next records; nil at the end, after all checks are done.
  /// - Throws: `RunFailure` if the rest of the source cannot be read.
  func next() throws -> RecordBatch?

  /// The number of bytes read and the total, which is nil if unknown.
  var progress: (done: Int, total: Int?) { get }
}

/// Writes records to one target. Nothing is visible under the target's name before `finish` returns.
///
/// A writer is called by one thread: `write` any number of times, then either `finish` or `abort`, once.
public protocol ContentWriter: AnyObject {
  /// Writes the records of a batch and counts their outcomes.
  /// - Throws: `RunFailure` if the target cannot be written; the caller then calls `abort`.
  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws

  /// Completes the target without making it visible. This is the last step that may reject records or fail.
  /// - Throws: `RunFailure`; the caller then calls `abort`.
  func prepare(tally: inout Tally, rejects: RejectsWriter) throws

  /// Gives the target its name. This is atomic: afterwards, the target either exists, complete and synced to disk, or
  /// does not exist.
  /// - Returns: The size of the target in bytes.
  /// - Throws: `RunFailure`; the caller then calls `abort`.
  func finish() throws -> Int

  /// Removes everything that was written.
  func abort()

  /// The number of notes that this run wrote; nil for a target that is a single file.
  var noteCount: Int? { get }

  /// The prefetcher that processes batches before `write`; nil if nothing can be looked up in advance.
  var scout: (any BatchPrefetcher)? { get }
}

extension ContentWriter {
  /// Returns nil, because most targets are a single file.
  public var noteCount: Int? { nil }
  /// Returns nil, because most writers look nothing up.
  public var scout: (any BatchPrefetcher)? { nil }
}

/// Processes batches between reader and writer, on a separate thread, so that the data that the writer needs is ready.
///
/// The results are attached to the batch (`RecordBatch.found`). A prefetcher may be asked to stop at any moment, and
/// never fails: the writer looks up what is missing.
public protocol BatchPrefetcher: AnyObject, Sendable {
  /// Processes a batch that no other thread uses.
  func scout(_ batch: RecordBatch)
}

/// The formats of a program, in the order in which they try to recognize a source.
public struct FormatRegistry: Sendable {
  /// All formats.
  public let formats: [any Format]

  /// Creates a registry.
  public init(_ formats: [any Format]) { self.formats = formats }

  /// Returns the format with an identity.
  /// - Throws: `RunFailure` with status 64 that lists the existing names.
  public func format(_ id: FormatID) throws -> any Format {
    if let found = formats.first(where: { $0.descriptor.id == id }) { return found }
    throw RunFailure(
      .usage, "unknown format '\(id.rawValue)'",
      advice: "The formats are: \(formats.map(\.descriptor.name).joined(separator: ", ")).")
  }

  /// Returns the format of a source, recognized by its content first and its name second.
  /// - Throws: `RunFailure` with status 2 if the source is missing or no format recognizes it.
  public func format(of source: Source, as id: FormatID? = nil) throws -> any Format {
    if let id { return try format(id) }
    if source.isStandardInput {
      throw RunFailure(.usage, "the format of standard input is unknown", advice: "Add --from-format NAME.")
    }
    let head = try SourceProbe.readHead(of: source).head
    if let found = formats.first(where: { $0.recognises(source, head: head) }) { return found }
    let byName = formats.first { $0.descriptor.extensions.contains(source.pathExtension) }
    if let byName { return byName }
    if head.starts(with: [0x1F, 0x8B]) || head.starts(with: Array("PK".utf8)) {
      throw RunFailure(.failed, "read '\(source.path)': it is compressed", advice: "Unpack it first.")
    }
    throw RunFailure(
      .failed, "read '\(source.path)': its format was not recognized",
      advice: "Name the format with --from-format (\(formats.map(\.descriptor.name).joined(separator: ", "))).")
  }

  /// Returns the format of a target, by its name; for a folder, the format that writes folders.
  /// - Throws: `RunFailure` with status 64 if the name does not give the format.
  public func format(of target: Target, as id: FormatID? = nil) throws -> any Format {
    if let id {
      let found = try format(id)
      let mayBeFolder =
        found.descriptor.takesFolders || found.descriptor.holdsFiles || found.descriptor.writesFolders
      if target.path.hasSuffix("/"), !mayBeFolder {
        throw RunFailure(
          .usage, "write '\(target.path)': the format '\(found.descriptor.name)' is written to a file, not to a folder",
          advice: "Name a file, for example \(target.path)library.\(found.descriptor.extensions.first ?? id.rawValue).")
      }
      return found
    }
    if target.isFolder, let found = formats.first(where: { $0.descriptor.writes && $0.descriptor.takesFolders }) {
      return found
    }
    if target.isStandardOutput {
      throw RunFailure(.usage, "the format of standard output is unknown", advice: "Add --to-format NAME.")
    }
    let found = formats.first { ($0.descriptor.writes || $0.descriptor.fills) && $0.isNamed(by: target) }
    if let found { return found }
    var endings: [String] = []
    for ending in formats.filter(\.descriptor.writes).flatMap(\.descriptor.extensions)
    where !endings.contains("." + ending) { endings.append("." + ending) }
    throw RunFailure(
      .usage, "the name '\(target.path)' does not give the format to write",
      advice: "End it in \(endings.joined(separator: ", ")), or in / for a folder of notes, or add --to-format NAME.")
  }
}

/// A file of a folder that is not read as content.
public enum Stray: Sendable {
  /// The file is reported.
  case reported(Diagnostic)
  /// FleetKit made the file, and it is not content.
  case own
}

/// Checks a source before any format opens it.
public enum SourceProbe {
  /// Returns the first bytes of a file.
  /// - Throws: `RunFailure` with status 2 and the reason if the file cannot be read.
  public static func head(of source: Source, count: Int = 4096) throws -> [UInt8] {
    try readHead(of: source, count: count).head.bytes
  }

  /// Returns the first bytes of a file and its size in bytes. For a folder, returns no bytes and 0.
  /// - Throws: `RunFailure` with status 2 if the file cannot be read.
  package static func readHead(of source: Source, count: Int = 4096) throws -> (head: FileHead, size: Int) {
    let path = source.path
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw RunFailure(.failed, "read '\(path)': the file does not exist", advice: "Check the name.")
    }
    if status.st_mode & S_IFMT == S_IFDIR { return (FileHead([]), 0) }
    // Opening a pipe would wait for a writer, and reading from it would consume its content.
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw RunFailure(
        .failed, "read '\(path)': not a regular file", advice: "For a pipe, use - and --from-format NAME.")
    }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
    defer { close(file) }
    let size = Int(status.st_size)
    var failed = false
    // A file of /proc has size 0, but may contain bytes.
    let head = [UInt8](unsafeUninitializedCapacity: count) { bytes, length in
      let got = read(file, bytes.baseAddress, count)
      failed = got < 0
      length = max(0, got)
    }
    if failed { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
    return (FileHead(head), size)
  }
}

/// The collection that a source belongs to, if it is part of a collection, as a note is part of a vault.
///
/// An import records the collection of its records, so that the whole and its parts are recognized as the same source.
public struct SourceHome: Sendable, Hashable {
  /// The name of the collection, which is independent of its folder if the collection defines a name.
  public let name: String
  /// The collection's folder, as an absolute path.
  public let folder: String
  /// The source's path in the folder; `.` for the whole folder.
  public let path: String

  /// The kind of the collection.
  public let kind: SourceKind

  /// Creates the collection of a source.
  public init(name: String, folder: String, path: String, kind: SourceKind = .files) {
    self.name = name
    self.folder = folder
    self.path = path
    self.kind = kind
  }
}

/// How an import identifies the files of a source.
public enum SourceKind: Sendable, Hashable {
  /// A folder of files, which can be renamed and moved.
  case files
  /// A content pack, whose versions follow one another, whatever the names of their files.
  case pack
  /// A registry, whose records are identified by their ids only.
  case registry
}
