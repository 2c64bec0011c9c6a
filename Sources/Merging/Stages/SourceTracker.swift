import Content
import Foundation
import Interchange
import JSONText
import SQLiteLibrary

/// Where a file of an import belongs: the source that the ledger knows, and its place there.
package struct SourceFile: Sendable {
  /// What the ledger calls the source: mostly the folder that it is, as an absolute path; `-` for standard input.
  package let source: String
  /// The folder that it is.
  package let folder: String
  /// The file's path within it; `.` for all of it.
  package let path: String

  /// What the source is.
  package let kind: SourceKind

  package init(source: String, folder: String? = nil, path: String, kind: SourceKind = .files) {
    self.source = source
    self.folder = folder ?? source
    self.path = path
    self.kind = kind
  }

  /// A record of a registry, which the ledger knows by the registry's address.
  /// - Parameter path: what tells the record from all others of that registry.
  package init(registry address: String, path: String) {
    self.init(source: "registry:" + address, path: path, kind: .registry)
  }

  /// Whether it is a record of a registry, not a file.
  var isRegistry: Bool { kind == .registry }

  /// Whether one of the paths of a source that were read includes what stands at another one.
  static func covers(_ read: Set<String>, _ path: String) -> Bool {
    if read.contains(".") || read.contains(path) { return true }
    // The folders around it are few; what was read may be many files.
    return path.indices.contains { path[$0] == "/" && read.contains(String(path[..<$0])) }
  }
}

/// The source whose records an import is looking at.
struct CurrentSource {
  let name: String
  let folder: String
  /// The ledger's number.
  let id: Int64
  /// Whether it was imported before.
  let isKnown: Bool
  /// Files that it had once and has no more, by the ledger's numbers.
  let lostFiles: Set<Int64>
  /// Folders that the library knows and that are not there any more, the newest first: it may be one of them, moved.
  let goneFolders: [(id: Int64, path: String)]
  let kind: SourceKind

  var hasLostFiles: Bool { !lostFiles.isEmpty }
  var isRegistry: Bool { kind == .registry }
  var isPack: Bool { kind == .pack }
}

/// Which source and which file an import reads now, and what of the source was read already.
///
/// The one owner of that: a source begins with its first file and ends with the first file of the next one.
final class SourceTracker {
  /// The source; nil between two sources.
  private(set) var current: CurrentSource?
  /// Whether no source has ended yet.
  private(set) var isFirst = true
  /// Whether people edit the current source by hand. Set by the batches of the source.
  var isByHand = false
  /// The file that is read now.
  private(set) var file: (name: String, id: Int64, isKnown: Bool)?
  private var filesRead = Set<Int64>()
  private var pathsRead = Set<String>()
  /// The lists of members that sources can express.
  var saids = SaidSources()
  private let origin: (String) -> SourceFile
  private let ledger: Ledger
  /// Whether moved folders can be recognized: not in a library that is being made, nor for rows that are tried again.
  private let looksForFolders: Bool

  /// - Parameter origin: which source a file belongs to.
  init(_ ledger: Ledger, looksForFolders: Bool, origin: @escaping (String) -> SourceFile) {
    self.ledger = ledger
    self.looksForFolders = looksForFolders
    self.origin = origin
  }

  /// Whether the current file is the only one that was read so far, in this source and before.
  var isFirstFile: Bool { isFirst && filesRead.count == 1 }

  /// The source of a file, and whether it is another one than the current source.
  func look(at name: String) -> (origin: SourceFile, isOther: Bool) {
    let origin = origin(name)
    return (origin, current?.name != origin.source)
  }

  /// Begins a source.
  func begin(_ origin: SourceFile) throws {
    let (id, isKnown) = try ledger.source(origin.source)
    // A registry is not a file that could have another name.
    let lost =
      origin.isRegistry
      ? [] : try ledger.files(of: id).filter { access(origin.folder + "/" + $0.path, F_OK) != 0 }.map(\.id)
    current = CurrentSource(
      name: origin.source, folder: origin.folder, id: id, isKnown: isKnown, lostFiles: Set(lost),
      goneFolders: origin.isRegistry || !looksForFolders ? [] : try ledger.goneFolders(except: origin.source),
      kind: origin.kind)
  }

  /// Begins a file of the current source.
  /// - Returns: its number in the ledger, and whether it was imported before.
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

  /// Whether a file of the current source was read in this run, by itself or as a part of something larger.
  func hasRead(_ file: Int64, _ path: String) -> Bool {
    filesRead.contains(file) || SourceFile.covers(pathsRead, path)
  }
}

/// The members that a source can say, and what tells them from those of other sources in a hash.
struct SaidSource {
  /// Which one it is of those that a run has met.
  let number: Int
  let members: SaidMembers
  private let key: [UInt8]

  init(number: Int, _ members: SaidMembers) {
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

  /// The hash of what such a source says in a line.
  /// - Parameter extent: how much of the record it says.
  func hash(_ line: UnsafeBufferPointer<UInt8>, _ extent: StepPlan.Extent) -> [UInt8] {
    var digest = DigestStream()
    digest.update(line)
    key.withUnsafeBufferPointer { digest.update($0) }
    if extent != .whole { digest.update(UnsafeBufferPointer(rebasing: line.prefix(1))) }
    return digest.finish()
  }
}

/// The lists of members that sources of a run can express. Few sources differ in that.
struct SaidSources {
  private var all: [SaidSource] = []

  /// A list, with its number.
  mutating func source(of members: SaidMembers) -> SaidSource {
    if let known = all.first(where: { $0.members == members }) { return known }
    let new = SaidSource(number: all.count, members)
    all.append(new)
    return new
  }

  /// The list of a number that was given.
  subscript(number: Int) -> SaidSource { all[number] }
}
