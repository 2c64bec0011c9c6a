import Content
import SQLiteIO

/// What pulls left in the library: the versions that files are written from after them.
///
/// Not the same as what the registry said, which is the base of the next pull: of an item that was merged, the library
/// has more. It is no source that anybody imports, so it is never asked for as one.
extension Ledger {
  /// What the ledger calls it among the sources.
  static let pullsName = "pulled:"

  /// Keeps what a pull left of an item.
  /// - Parameters:
  ///   - line: its canonical record in the library.
  ///   - changed: when it was changed last, as it says itself.
  package func keepPulled(_ line: UnsafeBufferPointer<UInt8>, id: String, changed: Timestamp?) throws {
    let source = try source(Self.pullsName).id
    let file = try file(".", of: source).id
    let hash = Digest.sha256(line)
    pulls = source
    try Array(id.utf8).withUnsafeBufferPointer { id in
      let base = try bases.add(line, id: id, of: hash, isLibrarys: true, changed: changed)
      try remember(source, file: file, .item, id: id, target: nil, hash: hash, base: base)
    }
  }

  /// What the last pull left of an item; nil when none brought it.
  package func pulled(_ id: UnsafeBufferPointer<UInt8>) throws(SQLiteError) -> Memory? {
    if pulls == nil {
      let known = try store.connection.number("SELECT id FROM sources WHERE name = ?", [Self.pullsName])
      pulls = .some(known == 0 ? nil : known)
    }
    guard case .some(.some(let source)) = pulls else { return nil }
    return try memory(source, .item, id: id)
  }
}
