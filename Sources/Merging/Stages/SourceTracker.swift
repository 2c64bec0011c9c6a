import Content
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

  /// Whether one of the read paths of a source contains another path.
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
  var saids = CoverageTable()
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
  func look(at name: String) -> (origin: SourceFile, isOther: Bool) {
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
    digest.update(line)
    key.withUnsafeBufferPointer { digest.update($0) }
    if extent != .whole { digest.update(UnsafeBufferPointer(rebasing: line.prefix(1))) }
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
