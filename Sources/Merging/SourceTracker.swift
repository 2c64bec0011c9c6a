import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteLibrary

/// The origin of a file in an import: its source in the ledger, and its path there.
package struct SourceFile: Sendable {
  /// The name of the source in the ledger: usually the absolute path of its folder; `-` for standard input.
  package let source: String
  /// The folder of the source.
  package let folder: String
  /// The file's path within that folder; `.` for the whole source.
  package let path: String

  /// The kind of the source.
  package let kind: SourceKind

  package init(source: String, folder: String? = nil, path: String, kind: SourceKind = .files) {
    self.source = source
    self.folder = folder ?? source
    self.path = path
    self.kind = kind
  }

  /// Makes the origin of a record from a registry. The ledger identifies the registry by its address.
  /// - Parameter path: identifies the record among all records of that registry.
  package init(registry address: String, path: String) {
    self.init(source: "registry:" + address, path: path, kind: .registry)
  }

  /// Whether this is a record of a registry and not a file.
  var isRegistry: Bool { kind == .registry }

  /// Whether a path is one of the paths that were read from a source, or is inside one of them.
  static func covers(_ read: Set<String>, _ path: String) -> Bool {
    if read.contains(".") || read.contains(path) { return true }
    // A path has few parent folders, whereas many files may have been read.
    return path.indices.contains { path[$0] == "/" && read.contains(String(path[..<$0])) }
  }
}

/// The source whose records an import is reading.
struct CurrentSource {
  let name: String
  let folder: String
  /// The number of the source in the ledger.
  let id: Int64
  /// Whether the source was imported before.
  let isKnown: Bool
  /// Files that the source had before and no longer has, by their numbers in the ledger.
  let lostFiles: Set<Int64>
  /// Known folders that no longer exist, the newest first. The source may be one of these folders under a new path.
  let goneFolders: [(id: Int64, path: String)]
  let kind: SourceKind

  var hasLostFiles: Bool { !lostFiles.isEmpty }
  var isRegistry: Bool { kind == .registry }
  var isPack: Bool { kind == .pack }
}

/// Tracks which source and which file an import is reading, and what has already been read of the source.
///
/// This is the only owner of that state. A source begins with its first file and ends when the next source's first file
/// begins.
final class SourceTracker {
  /// The source; nil between two sources.
  private(set) var current: CurrentSource?
  /// Whether no source has ended yet.
  private(set) var isFirst = true
  /// Whether people edit the current source by hand. The batches of the source set this value.
  var isByHand = false
  /// The file that is being read.
  private(set) var file: (name: String, id: Int64, isKnown: Bool)?
  private var filesRead = Set<Int64>()
  private var pathsRead = Set<String>()
  /// The lists of members that sources can express.
  var coverages = CoverageTable()
  private let origin: (String) -> SourceFile
  private let ledger: Ledger
  /// Whether moved folders can be recognized. This is impossible in a library that is being created, and for retried
  /// rows.
  private let looksForFolders: Bool

  /// - Parameter origin: returns the source that a file belongs to.
  init(_ ledger: Ledger, looksForFolders: Bool, origin: @escaping (String) -> SourceFile) {
    self.ledger = ledger
    self.looksForFolders = looksForFolders
    self.origin = origin
  }

  /// Whether the current file is the only one read so far, in all sources.
  var isFirstFile: Bool { isFirst && filesRead.count == 1 }

  /// Returns the source of a file, and whether it differs from the current source.
  func source(ofFile name: String) -> (origin: SourceFile, isOther: Bool) {
    let origin = origin(name)
    return (origin, current?.name != origin.source)
  }

  /// Begins a source.
  func begin(_ origin: SourceFile) throws {
    let (id, isKnown) = try ledger.source(origin.source)
    // A registry is not a file that could have been renamed.
    let lost =
      origin.isRegistry
      ? [] : try ledger.files(of: id).filter { access(origin.folder + "/" + $0.path, F_OK) != 0 }.map(\.id)
    current = CurrentSource(
      name: origin.source, folder: origin.folder, id: id, isKnown: isKnown, lostFiles: Set(lost),
      goneFolders: origin.isRegistry || !looksForFolders ? [] : try ledger.goneFolders(except: origin.source),
      kind: origin.kind)
  }

  /// Begins a file of the current source.
  /// - Returns: the file's number in the ledger, and whether the file was imported before.
  func open(_ name: String, _ origin: SourceFile) throws -> (id: Int64, isKnown: Bool) {
    let (id, isKnown) = try ledger.file(origin.path, of: current?.id ?? 0)
    filesRead.insert(id)
    pathsRead.insert(origin.path)
    file = (name, id, isKnown)
    return (id, isKnown)
  }

  /// Ends the current source.
  func end() {
    current = nil
    isByHand = false
    isFirst = false
    file = nil
    filesRead.removeAll()
    pathsRead.removeAll()
  }

  /// Whether a file of the current source was read in this run, either alone or as a part of a folder.
  func hasRead(_ file: Int64, _ path: String) -> Bool {
    filesRead.contains(file) || SourceFile.covers(pathsRead, path)
  }
}

/// The members that a source can express, with an identity for hashes.
struct CoverageKey {
  /// The number of the list among the lists of the run.
  let number: Int
  let members: FieldCoverage
  private let key: [UInt8]

  init(number: Int, _ members: FieldCoverage) {
    self.number = number
    self.members = members
    var key = ByteBuffer()
    for names in [members.item, members.document, members.section, members.step] {
      for name in names.sorted() {
        key.append(utf8: name)
        key.append(UInt8(ascii: ","))
      }
      key.append(UInt8(ascii: ";"))
    }
    self.key = Array(key.bytes)
  }

  /// Returns the hash of what such a source expresses in a line.
  /// - Parameter extent: how much of the record the line contains.
  func hash(_ line: UnsafeBufferPointer<UInt8>, _ extent: StepPlan.Extent) -> [UInt8] {
    var digest = DigestStream()
    digest.update(line.span)
    digest.update(key.span)
    if extent != .whole { digest.update(UnsafeBufferPointer(rebasing: line.prefix(1)).span) }
    return digest.finish()
  }
}

/// The lists of members that the sources of a run can express. Most sources have the same list.
struct CoverageTable {
  private var all: [CoverageKey] = []

  /// Returns a list with its number.
  mutating func source(of members: FieldCoverage) -> CoverageKey {
    if let known = all.first(where: { $0.members == members }) { return known }
    let new = CoverageKey(number: all.count, members)
    all.append(new)
    return new
  }

  /// Returns the list with a number.
  subscript(number: Int) -> CoverageKey { all[number] }
}

/// A record on its way into a library. Its memory belongs to a batch or a spool, and is valid until the batch or spool
/// moves on.
struct SourceRecord {
  /// The origin of a record.
  enum Origin {
    /// A batch that is being read.
    /// - Parameter isRegistry: whether the record comes from a registry, so that its place has no line.
    case batch(Record, isRegistry: Bool)
    /// A spool. Everything that the source had in addition to the line has already been read.
    case staged(Place)
  }

  let kind: RecordKind
  let node: JSONNode
  /// The canonical line.
  let line: UnsafeBufferPointer<UInt8>
  /// The SHA-256 of the line, if it was computed in advance.
  var hash: [UInt8]?
  /// The record's bytes in its source; empty for sources that are not text.
  let original: UnsafeBufferPointer<UInt8>
  /// The number of the record's file in the ledger.
  let file: Int64
  let origin: Origin
  /// The source and the id under which an earlier import added the record; nil if both are unchanged.
  var former: (source: Int64, id: String)?
  /// The number of the record's table rows; 0 for records that are not rows.
  var rows = 0
  /// The members that the source can express; nil for all.
  var coverage: CoverageKey?
  /// How much of its steps or cards the record contains.
  var extent = StepPlan.Extent.whole

  /// Returns the record's place in the source.
  func place() -> Place {
    switch origin {
    case .batch(let record, let isRegistry): isRegistry ? Place(file: record.place().file) : record.place()
    case .staged(let place): place
    }
  }

  /// The name of the record's file in findings.
  var fileName: String {
    switch origin {
    case .batch(let record, _): record.batch.locator.file(of: record)
    case .staged(let place): place.file
    }
  }

  /// Returns what FleetKit last wrote at the record's place; nil if this is unknown or no longer kept.
  func lastWritten() -> LastWritten? {
    guard kind == .item, case .batch(let record, _) = origin else { return nil }
    return record.lastWritten
  }

  /// Returns the path of an attachment's bytes; nil if the source does not have them.
  func mediaPath() -> String? {
    guard kind == .attachment, case .batch(let record, _) = origin else { return nil }
    return record.mediaPath
  }

  /// Returns the record's table rows as they were typed; nil for records that are not rows, or if the rows are no
  /// longer kept.
  func originalRows() -> OriginalRows? {
    guard rows > 0, case .batch(let record, _) = origin else { return nil }
    return record.originalRows
  }

  /// Returns the rows that are missing from the record; nil if they are unknown or no longer kept.
  func lostRows() -> LostRows? {
    guard kind == .item, case .batch(let record, _) = origin, record.slot.isPartial else { return nil }
    return record.lostRows
  }

  /// Whether the record consists of rows that were rejected before, without the rest of its checklist.
  var isRetried: Bool { if case .some = extent { true } else { false } }
  /// The bytes of the id. A UUID has no escapes.
  var id: UnsafeBufferPointer<UInt8> { node.member("id")?.inner ?? UnsafeBufferPointer(start: nil, count: 0) }
  var idText: String { node.member("id")?.string ?? "" }
  var title: String? { (node.member("title") ?? node.member("name"))?.string }
  /// The kind of content of an item; nil for other records.
  var contentType: String? { kind == .item ? node.member("content_type")?.string : nil }
  /// Whether the record is an item for which the app has no table.
  var isDeck: Bool { kind == .item && node.member("content_type")?.equals("flashcard_deck") ?? false }
  /// The record's name in findings.
  var name: String { "\(kind.name) \(idText)" }

  /// Returns the time of the last change that a record contains.
  static func changed(_ node: JSONNode) -> Timestamp? {
    guard let value = node.member("updated_at") ?? node.member("last_updated"), value.kind == .string else {
      return nil
    }
    return Timestamp.parse(value.inner.span)?.0
  }
}
