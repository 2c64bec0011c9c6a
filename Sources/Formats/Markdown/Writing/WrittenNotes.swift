import Content
import Foundation

/// What FleetKit wrote into a vault last: for each note a hash of its bytes, so that edits can be told from old
/// versions.
///
/// Kept in `.fleetkit/written`, one line a note, in the order of paths: a hash of 32 digits, a space, the path. Lines
/// that are something else count as not there, so their notes count as edited. Git leaves the file out: what another
/// computer wrote came from another library. Memory is a path and 16 bytes for each note.
/// - Source: formats/markdown.md, "What is written"
struct WrittenNotes {
  /// The first 16 bytes of a SHA-256, as 32 digits.
  typealias Hash = [UInt8]

  /// Where it lies in a vault.
  static let path = VaultPath.hiddenFolder + "/written"
  /// What keeps git from it.
  static let ignorePath = VaultPath.hiddenFolder + "/.gitignore"
  static let ignored = Array("written\nstaging-*\n".utf8)
  /// A file that is longer is not ours.
  private static let longest = 1 << 30

  private var before: [[UInt8]: Hash] = [:]
  private var now: [[UInt8]: Hash] = [:]
  /// The bytes of the file that is there.
  private let old: [UInt8]

  /// Reads what a vault knows; nothing where there is no such file.
  /// - Parameter vault: nil for a vault that is not there yet.
  init(vault: String?) {
    old = vault.flatMap { FileBytes.bytes($0 + "/" + Self.path, limit: Self.longest) } ?? []
    for line in old.split(separator: 0x0A) where line.count > 33 && line[line.startIndex + 32] == 0x20 {
      before[Array(line.dropFirst(33))] = Array(line.prefix(32))
    }
  }

  /// What tells the bytes of a note from others.
  static func hash(_ bytes: [UInt8]) -> Hash {
    bytes.withUnsafeBufferPointer { Array(Digest.hex(Array(Digest.sha256($0).prefix(16))).utf8) }
  }

  /// Whether FleetKit wrote other bytes to a path, the same, or nobody knows what.
  enum Answer { case same, other, unknown }

  /// What is known of the note at a path.
  func answer(_ bytes: [UInt8], at path: String) -> Answer {
    guard let hash = before[Array(path.utf8)] else { return .unknown }
    return hash == Self.hash(bytes) ? .same : .other
  }

  /// Notes what a path has when the run is done.
  mutating func add(_ path: String, _ hash: Hash) { now[Array(path.utf8)] = hash }

  /// The file as it should be; nil where it is as it should be.
  /// - Parameter isThere: whether a note that the run does not have is still in the vault.
  func changed(where isThere: (String) -> Bool) -> [UInt8]? {
    var all = before.filter { now[$0.key] == nil && isThere(String(decoding: $0.key, as: UTF8.self)) }
    all.merge(now) { $1 }
    var text: [UInt8] = []
    text.reserveCapacity(old.count + 64)
    for (path, hash) in all.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) })
    where !path.contains(0x0A) {
      text += hash
      text.append(0x20)
      text += path
      text.append(0x0A)
    }
    return text == old ? nil : text
  }
}
