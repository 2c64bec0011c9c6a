import Content
import Foundation
import JSONText
import Synchronization

/// What FleetKit wrote into a vault last: for each note a hash of its bytes, so that edits can be told from old
/// versions, and what the library said then, so that an import knows what an edited note comes from.
///
/// Kept in `.fleetkit/written`, one line a note, in the order of paths: a hash of 32 digits, `+`, the item's content
/// hash of 64, `+`, its time in milliseconds or nothing, `+`, the library's id of 16, a space, the path. Older lines end
/// behind the time or the first hash. Lines that are something else count as not there, so their notes count as edited.
/// Git leaves the file out: what another computer wrote came from another library. A vault may be passed on otherwise,
/// and then the id says whose library is meant. Memory is a path and some 120 bytes for each note.
/// - Source: formats/markdown.md, "What is written"
struct WrittenNotes {
  /// The first 16 bytes of a SHA-256, as 32 digits.
  typealias Hash = [UInt8]

  /// Where it is in a vault.
  static let path = VaultPath.hiddenFolder + "/written"
  /// What keeps git from it.
  static let ignorePath = VaultPath.hiddenFolder + "/.gitignore"
  static let ignored = Array("written\nstaging-*\n".utf8)
  /// A file that is longer is not ours.
  static let longest = 1 << 30
  /// An import reads vaults of strangers: what is longer than this, notes of half a million, is not read there.
  static let longestOfImport = 64 << 20

  /// What is before the path in a line of the file.
  typealias Entry = [UInt8]

  private var before: [[UInt8]: Entry] = [:]
  private var now: [[UInt8]: Entry] = [:]
  /// The bytes of the file that is there.
  private let old: [UInt8]

  /// Reads what a vault knows; nothing where there is no such file.
  /// - Parameters:
  ///   - vault: nil for a vault that is not there yet.
  ///   - limit: a file of more bytes counts as not there.
  init(vault: String?, limit: Int = longest) {
    old = vault.flatMap { FileBytes.bytes($0 + "/" + Self.path, limit: limit) } ?? []
    for line in old.split(separator: 0x0A) {
      guard let space = line.firstIndex(of: 0x20), space + 1 < line.endIndex, Self.isEntry(line[..<space]) else {
        continue
      }
      before[Array(line[(space + 1)...])] = Array(line[..<space])
    }
  }

  /// Whether this is how a line of ours begins.
  private static func isEntry(_ entry: ArraySlice<UInt8>) -> Bool {
    let parts = entry.split(separator: UInt8(ascii: "+"), omittingEmptySubsequences: false)
    return parts[0].count == 32 && (parts.count == 1 || 3...4 ~= parts.count && parts[1].count == 64)
  }

  /// What is noted of a note.
  /// - Parameters:
  ///   - line: the record that it says.
  ///   - library: the id of the library that the record comes from; nil when it comes from none.
  static func entry(_ bytes: [UInt8], of line: UnsafeBufferPointer<UInt8>, library: String?) -> Entry {
    guard let content = try? ContentHash.of(line: line) else { return hash(bytes) }
    let document = try? JSONDocument(parsing: line)
    let updated = document?.root["updated_at"]?.string.flatMap { Timestamp.parse($0)?.0 }
    return hash(bytes)
      + Array("+\(content)+\(updated.map { String($0.milliseconds) } ?? "")\(library.map { "+" + $0 } ?? "")".utf8)
  }

  /// What is known of what the note at a path was made of; nil when nothing is.
  func last(_ bytes: [UInt8], at path: String) -> LastWritten? {
    guard let entry = before[Array(path.utf8)] else { return nil }
    let parts = entry.split(separator: UInt8(ascii: "+"), omittingEmptySubsequences: false)
    guard parts.count > 2 else { return nil }
    let content = String(decoding: parts[1], as: UTF8.self)
    let updated = Int64(String(decoding: parts[2], as: UTF8.self)).map { Timestamp(milliseconds: $0) }
    return LastWritten(
      isUntouched: parts[0].elementsEqual(Self.hash(bytes)), content: content, updated: updated,
      library: parts.count > 3 ? String(decoding: parts[3], as: UTF8.self) : nil)
  }

  /// How many notes were written into a folder, folders in it left aside.
  /// - Parameter folder: its path, with a slash at its end.
  func count(in folder: String) -> Int {
    let name = Array(folder.utf8)
    return before.keys.count { $0.starts(with: name) && !$0.dropFirst(name.count).contains(UInt8(ascii: "/")) }
  }

  /// The notes whose making is remembered, by path: whether each is one of several in a folder that say one record.
  var cards: [String: Bool] {
    var folders: [[UInt8]: [[UInt8]]] = [:]
    for (path, entry) in before {
      let parts = entry.split(separator: UInt8(ascii: "+"), omittingEmptySubsequences: false)
      guard parts.count > 2, let slash = path.lastIndex(of: UInt8(ascii: "/")) else { continue }
      folders[Array(path[...slash] + Array(parts[1])), default: []].append(path)
    }
    var cards: [String: Bool] = [:]
    for paths in folders.values {
      for path in paths { cards[String(decoding: path, as: UTF8.self)] = paths.count > 1 }
    }
    return cards
  }

  /// What tells the bytes of a note from others.
  static func hash(_ bytes: [UInt8]) -> Hash {
    bytes.withUnsafeBufferPointer { Array(Digest.hex(Array(Digest.sha256($0).prefix(16))).utf8) }
  }

  /// Whether FleetKit wrote other bytes to a path, the same, or what it wrote is not known.
  enum Answer { case same, other, unknown }

  /// What is known of the note at a path.
  func answer(_ bytes: [UInt8], at path: String) -> Answer {
    guard let entry = before[Array(path.utf8)] else { return .unknown }
    return entry.starts(with: Self.hash(bytes)) ? .same : .other
  }

  /// Notes what a path has when the run is done.
  mutating func add(_ path: String, _ entry: Entry) { now[Array(path.utf8)] = entry }

  /// The file as it should be; nil where it is as it should be.
  /// - Parameter isThere: whether a note that the run does not have is still in the vault.
  func changed(where isThere: (String) -> Bool) -> [UInt8]? {
    var all = before.filter { now[$0.key] == nil && isThere(String(decoding: $0.key, as: UTF8.self)) }
    all.merge(now) { $1 }
    var text: [UInt8] = []
    text.reserveCapacity(old.count + 64)
    for (path, entry) in all.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) })
    where !path.contains(0x0A) {
      text += entry
      text.append(0x20)
      text += path
      text.append(0x0A)
    }
    return text == old ? nil : text
  }
}

/// What FleetKit wrote into a vault last, for its readers: looked up when someone asks for the first time.
final class VaultMemory: Sendable {
  /// Longer notes are not read again.
  private static let longest = 64 << 20

  private let vault: String
  private let written = Mutex<WrittenNotes?>(nil)

  /// - Parameter vault: the path of its root.
  init(vault: String) { self.vault = vault }

  /// What was written where a note stands.
  /// - Parameters:
  ///   - file: the note as the system finds it.
  ///   - path: its path in the vault.
  func last(_ file: String, at path: String) -> LastWritten? {
    guard let bytes = FileBytes.bytes(file, limit: Self.longest) else { return nil }
    return known { $0.last(bytes, at: path.precomposed) }
  }

  /// What was written where the notes of a deck stand: untouched only if each of them is, and none has come or gone.
  /// - Parameter folder: its path in the vault, with a slash at its end.
  func last(_ cards: [(file: String, path: String)], in folder: String) -> LastWritten? {
    let all = cards.map { last($0.file, at: $0.path) }
    guard let first = all.lazy.compactMap({ $0 }).first else { return nil }
    let isUntouched =
      all.allSatisfy { $0?.isUntouched ?? false } && known { $0.count(in: folder.precomposed) } == all.count
    return LastWritten(
      isUntouched: isUntouched, content: first.content, updated: first.updated, library: first.library)
  }

  /// The notes whose making is remembered: whether each was written as a card of a deck, by its path in the vault.
  var cards: [String: Bool] { known { $0.cards } }

  private func known<Answer>(_ ask: (WrittenNotes) -> Answer) -> Answer {
    written.withLock { written in
      if let written { return ask(written) }
      let read = WrittenNotes(vault: vault, limit: WrittenNotes.longestOfImport)
      written = read
      return ask(read)
    }
  }
}
