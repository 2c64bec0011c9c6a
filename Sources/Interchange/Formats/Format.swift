import Content
import Diagnostics
import Foundation

/// One format: what it is, how to recognise it, how to read and write it.
///
/// A new format is one module with a type of this kind and one line in the registry; nothing else knows it.
public protocol Format: Sendable {
  /// Names and abilities.
  var descriptor: FormatDescriptor { get }

  /// Whether a source looks like this format.
  /// - Parameter head: the first bytes of the source, up to 4 KiB.
  func recognises(_ source: Source, head: FileHead) -> Bool

  /// Whether the first bytes leave no doubt, whatever the file is called. A folder's files are taken by their
  /// names or by this, never by a guess.
  func hasSignature(_ head: FileHead) -> Bool

  /// Whether a file that was found in a folder is another program's, although its name or its first bytes are those of
  /// this format; nil for content. A damaged file that was content once is content.
  func stray(_ source: Source, head: FileHead) -> Stray?

  /// The collection that a source belongs to; nil when that is the folder that it lies in.
  func home(of source: Source) -> SourceHome?

  /// The file in a folder of this format that keeps what its other files cannot express; nil where there is none.
  /// - Returns: its path, and its path in the folder.
  func companion(in folder: Source) -> (path: String, inner: String)?

  /// Opens a source.
  /// - Throws: `RunFailure` when it cannot be read.
  func reader(of source: Source, context: RunContext) throws -> any ContentReader

  /// Opens small files of a folder as one source, so that a batch has the records of many of them.
  ///
  /// Findings and places name each file as its source does. A damaged file is reported, and the files after it are
  /// read. The reader throws `UnreadFile` at a file that must be read alone to know what is wrong with it.
  /// - Returns: nil where the format reads file by file.
  /// - Throws: `RunFailure` when one of them cannot be read; nothing was reported then.
  func reader(ofFiles sources: [Source], context: RunContext) throws -> (any ContentReader)?

  /// Whether a target's name asks for this format.
  func isNamed(by target: Target) -> Bool

  /// Begins a target; nothing is visible under its name until the writer has finished.
  /// - Throws: `RunFailure` when it cannot be written.
  func writer(to target: Target, context: RunContext) throws -> any ContentWriter
}

extension Format {
  /// None is.
  public func stray(_ source: Source, head: FileHead) -> Stray? { nil }

  /// File by file.
  public func reader(ofFiles sources: [Source], context: RunContext) throws -> (any ContentReader)? { nil }

  /// Files stand for themselves.
  public func home(of source: Source) -> SourceHome? { nil }

  /// Folders have files of the format alone.
  public func companion(in folder: Source) -> (path: String, inner: String)? { nil }

  /// By the extension.
  public func isNamed(by target: Target) -> Bool { descriptor.extensions.contains(target.pathExtension) }
}

/// A file among others that cannot be read with them. The reader has given out everything before it, and nothing of it.
public struct UnreadFile: Error {
  /// Its number among the sources.
  public let index: Int

  /// Names a file.
  public init(index: Int) { self.index = index }
}

/// Where records come from.
public struct Source: Sendable, Hashable {
  /// The path as the user gave it; `-` for standard input.
  public let path: String
  /// What findings and messages call it, where that is not its path: what lies in a backup was unpacked elsewhere.
  public let name: String
  /// The name that ids of records without one are derived from, where that is not its path: two versions of one file
  /// have the same.
  public let idName: String

  /// Names a source.
  public init(_ path: String, name: String? = nil, idName: String? = nil) {
    self.path = path
    self.name = name ?? path
    self.idName = idName ?? path
    pathExtension = Self.pathExtension(of: path)
  }

  /// The files that are read as one source, where there are several; places name them as members.
  public private(set) var parts: [String] = []

  /// Joins files that belong together. The source is called by the folder that all of them are in.
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

  /// Whether it is standard input.
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

/// Where records go.
public struct Target: Sendable, Hashable {
  /// The path; `-` for standard output.
  public private(set) var path: String
  /// The path as the user gave it: what is written elsewhere first is called by it.
  public let name: String
  /// Whether a file of that name may be replaced. A library never is.
  public let overwrites: Bool
  /// Whether the user can ask for that with `--overwrite`: a refusal names it then.
  public var canOverwrite = false
  /// Whether a vault's notes may be rewritten in FleetKit's notation where their own cannot express a change.
  public var rewritesNotes = false
  /// Whether the store of an app may be filled.
  public var fillsAppStore = false
  /// Whether rows are written as the app's own upload makes them, in place of as they are.
  public var asUpload = false
  /// The schema of a new library, `1.4.0`; nil for the newest.
  public let schemaVersion: String?
  /// Which records go there; nil for all. A library also gets what its items need and was not selected, and is shown
  /// every queued operation for that.
  public var selection: Selection?

  /// Names a target.
  public init(_ path: String, overwrites: Bool = false, schemaVersion: String? = nil) {
    self.path = path
    name = path
    self.overwrites = overwrites
    self.schemaVersion = schemaVersion
  }

  /// The same target under another path, where it is complete before it gets its place.
  public func staged(at path: String) -> Target {
    var target = self
    target.path = path
    return target
  }

  /// Whether it is standard output.
  public var isStandardOutput: Bool { path == "-" }

  /// Whether it is a folder: there already, or named with a slash at its end.
  public var isFolder: Bool {
    if path.hasSuffix("/") { return true }
    var isFolder: ObjCBool = false
    return !isStandardOutput && FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && isFolder.boolValue
  }

  /// The extension in lower case, without the dot.
  public var pathExtension: String { Source.pathExtension(of: path) }
}

/// The identity of a format. Each format declares its own in an extension; no other module names it.
public struct FormatID: RawRepresentable, Hashable, Sendable {
  /// The name for `--from-format` and `--to-format`, in lower case.
  public let rawValue: String

  /// Makes an identity of a name as it is stored.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Makes an identity of a name as a user wrote it; capitals do not matter.
  public init(_ name: String) { rawValue = name.lowercased() }
}

/// What a format is called, what it keeps, and how it behaves. Anything else that a writer loses is a bug.
public struct FormatDescriptor: Sendable {
  /// What the format is known by.
  public let id: FormatID
  /// The name for `--from-format` and `--to-format`.
  public var name: String { id.rawValue }
  /// What people call it.
  public let title: String
  /// File name extensions without a dot, the usual one first.
  public let extensions: [String]
  /// The media type.
  public let mediaType: String
  /// What the format holds without loss.
  public let keeps: Set<Feature>
  /// Whether FleetKit reads it.
  public let reads: Bool
  /// Whether FleetKit writes it.
  public let writes: Bool
  /// Whether FleetKit fills an empty file of the app's, which it cannot make itself.
  public let fills: Bool
  /// Whether a folder of such files is one source, read and written as a whole.
  public let takesFolders: Bool
  /// Whether a source, file or folder, has files of its own in it, as archives do; findings name those.
  public let holdsFiles: Bool

  /// Whether files of the format belong together, so that several of them are one source.
  public let joinsFiles: Bool

  /// Whether a folder may be written, with one file for each item; such files are read one by one.
  public let writesFolders: Bool

  /// When files of the format are taken from a folder that was named.
  public let fromFolders: FromFolders
  /// What the text of a file is, where people and version control read it as text; nil for other files.
  public let text: TextForm?
  /// The options of reading and writing that mean something for the format.
  public let options: Set<Option>
  /// Differences between what was written and what is read back that the format's page declares.
  public let differences: Set<Difference>
  /// The codes of findings that only files of the format can have, by number.
  public let codes: [DiagnosticCode]
  /// The format's page, `formats/PAGE.md` without the ending.
  public let page: String

  /// How records are in the text of a file.
  public enum TextForm: Sendable {
    /// A note for people, which may hold conflict markers.
    case note
    /// One JSON value.
    case document
    /// One JSON object a line.
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

  /// A difference that is the format's own way to express the same.
  public enum Difference: Sendable {
    /// How a note was typed is not kept, or is kept in the note itself.
    case typing
    /// A note without a time has that of its file.
    case fileTimes
    /// A missing time is filled in, because the format requires one.
    case requiredTimes
    /// An empty text is the same as none.
    case emptyTexts
    /// What the app of the format has besides of a record is in `extras`, under the format's name, also where it was
    /// filled in.
    case ownExtras
    /// Which columns a table had follows from the lines that came from them.
    case tableColumns
  }

  /// When files that were not named are read.
  public enum FromFolders: Sendable {
    /// Whenever their names say what they are.
    case always
    /// When they are recognised by what is in them, and no notes lie in the folder: beside notes they are attachments.
    case withoutNotes
    /// When they are recognised by what is in them, whatever they are called.
    case recognised
    /// Only when the format is asked for: most files of such names are something else.
    case onRequest
  }

  /// What the format cannot hold.
  public var loses: Set<Feature> { Set(Feature.allCases).subtracting(keeps) }

  /// Describes a format.
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
/// Pulled by one thread. A reader never changes its source. It holds one batch at a time, bounded in bytes.
public protocol ContentReader: AnyObject {
  /// The next records; nil at the end, after which everything was checked that can be checked.
  /// - Throws: `RunFailure` when the source cannot be read on.
  func next() throws -> RecordBatch?

  /// How far the reader is and how far it has to go, in bytes; the total is nil when it is unknown.
  var progress: (done: Int, total: Int?) { get }
}

/// Writes records to one target. Nothing is visible under the target's name before `finish` returns.
///
/// Driven by one thread: `write` any number of times, then either `finish` or `abort`, once.
public protocol ContentWriter: AnyObject {
  /// Takes over the records of a batch and counts what becomes of them.
  /// - Throws: `RunFailure` when the target cannot be written; the caller then calls `abort`.
  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws

  /// Completes the target without making it visible: last chance to reject records or to fail.
  /// - Throws: `RunFailure`; the caller then calls `abort`.
  func prepare(tally: inout Tally, rejects: RejectsWriter) throws

  /// Gives the target its name. Atomic: it is there, whole and synced to disk, or it is not.
  /// - Returns: how many bytes the target has.
  /// - Throws: `RunFailure`; the caller then calls `abort`.
  func finish() throws -> Int

  /// Removes everything that was written.
  func abort()

  /// How many notes the target has of this run; nil for targets that are one file.
  var noteCount: Int? { get }

  /// Who looks at batches before they come to `write`; nil where nothing can be looked up ahead.
  var scout: (any BatchScout)? { get }
}

extension ContentWriter {
  /// Nil: most targets are one file.
  public var noteCount: Int? { nil }
  /// Nil: most writers look nothing up.
  public var scout: (any BatchScout)? { nil }
}

/// Looks at batches between reader and writer, on a thread of its own, so that the writer finds prepared what it will
/// ask for.
///
/// What it finds goes with the batch (`RecordBatch.found`). It may be asked to stop at any moment, and never fails: what
/// it does not find out, the writer finds out itself.
public protocol BatchScout: AnyObject, Sendable {
  /// Looks at a batch that no other thread uses.
  func scout(_ batch: RecordBatch)
}

/// The formats that a program has, in the order in which they are asked whether a source is theirs.
public struct FormatRegistry: Sendable {
  /// Every format.
  public let formats: [any Format]

  /// Makes a registry.
  public init(_ formats: [any Format]) { self.formats = formats }

  /// The format with an identity.
  /// - Throws: `RunFailure` with status 64 that lists the names there are.
  public func format(_ id: FormatID) throws -> any Format {
    if let found = formats.first(where: { $0.descriptor.id == id }) { return found }
    throw RunFailure(
      .usage, "there is no format '\(id.rawValue)'",
      advice: "Formats are: \(formats.map(\.descriptor.name).joined(separator: ", ")).")
  }

  /// The format of a source, by its content first and its name second.
  /// - Throws: `RunFailure` with status 2 when the source is missing or no format recognises it.
  public func format(of source: Source, as id: FormatID? = nil) throws -> any Format {
    if let id { return try format(id) }
    if source.isStandardInput {
      throw RunFailure(.usage, "the format of standard input is unknown", advice: "Add --from-format NAME.")
    }
    let head = try SourceProbe.look(at: source).head
    if let found = formats.first(where: { $0.recognises(source, head: head) }) { return found }
    let byName = formats.first { $0.descriptor.extensions.contains(source.pathExtension) }
    if let byName { return byName }
    if head.starts(with: [0x1F, 0x8B]) || head.starts(with: Array("PK".utf8)) {
      throw RunFailure(.failed, "read '\(source.path)': it is compressed", advice: "Unpack it first.")
    }
    throw RunFailure(
      .failed, "read '\(source.path)': no format recognises it",
      advice: "Name the format with --from-format (\(formats.map(\.descriptor.name).joined(separator: ", "))).")
  }

  /// The format of a target, by its name; of a folder, the one that writes folders.
  /// - Throws: `RunFailure` with status 64 when the name says nothing.
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
      throw RunFailure(.usage, "the format for standard output is unknown", advice: "Add --to-format NAME.")
    }
    let found = formats.first { ($0.descriptor.writes || $0.descriptor.fills) && $0.isNamed(by: target) }
    if let found { return found }
    var endings: [String] = []
    for ending in formats.filter(\.descriptor.writes).flatMap(\.descriptor.extensions)
    where !endings.contains("." + ending) { endings.append("." + ending) }
    throw RunFailure(
      .usage, "the name '\(target.path)' does not say which format to write",
      advice: "End it in \(endings.joined(separator: ", ")), or in / for a folder of notes, or add --to-format NAME.")
  }
}

/// A file of a folder that is not read.
public enum Stray: Sendable {
  /// It is reported.
  case reported(Diagnostic)
  /// It is a file that FleetKit made and does not read as content.
  case own
}

/// Looks at a source before any format opens it.
public enum SourceProbe {
  /// The first bytes of a file.
  /// - Throws: `RunFailure` with status 2 that says what is in the way.
  public static func head(of source: Source, count: Int = 4096) throws -> [UInt8] {
    try look(at: source, count: count).head.bytes
  }

  /// The first bytes of a file and its size in bytes; nothing and 0 for a folder.
  /// - Throws: `RunFailure` with status 2 if the file cannot be read.
  package static func look(at source: Source, count: Int = 4096) throws -> (head: FileHead, size: Int) {
    let path = source.path
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw RunFailure(.failed, "read '\(path)': there is no such file", advice: "Check the name.")
    }
    if status.st_mode & S_IFMT == S_IFDIR { return (FileHead([]), 0) }
    // Opening a pipe would wait for a writer, and looking at it would use up what it holds.
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw RunFailure(
        .failed, "read '\(path)': not a regular file", advice: "For a pipe, use - and --from-format NAME.")
    }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
    defer { close(file) }
    let size = Int(status.st_size)
    var failed = false
    // A file of /proc has no size, and bytes all the same.
    let head = [UInt8](unsafeUninitializedCapacity: count) { bytes, length in
      let got = read(file, bytes.baseAddress, count)
      failed = got < 0
      length = max(0, got)
    }
    if failed { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
    return (FileHead(head), size)
  }
}

/// The collection that a source belongs to, where a source may be a part of something larger: a note of a vault.
///
/// An import remembers what came from a collection, so that the whole and its parts are known to be the same.
public struct SourceHome: Sendable, Hashable {
  /// What the collection is called; the same wherever it lies, when it says so itself.
  public let name: String
  /// The folder that it is, as an absolute path.
  public let folder: String
  /// The source's path in it; `.` for all of it.
  public let path: String

  /// What the collection is.
  public let kind: SourceKind

  /// Names a source's place.
  public init(name: String, folder: String, path: String, kind: SourceKind = .files) {
    self.name = name
    self.folder = folder
    self.path = path
    self.kind = kind
  }
}

/// What an import remembers the files of a source by.
public enum SourceKind: Sendable, Hashable {
  /// A folder of files, which can be renamed and moved.
  case files
  /// A content pack: its versions follow one another, whatever their files are called.
  case pack
  /// A registry, whose records are known by their ids alone.
  case registry
}
