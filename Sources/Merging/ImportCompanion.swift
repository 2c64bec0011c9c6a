import Content
import JSONText
import SQLiteLibrary

/// Goes along with an import, inside its transactions: looks at the library before anything is read, knows what both
/// sides of a record come from, and does what is left to do when every record is decided.
package protocol ImportCompanion: AnyObject {
  /// Looks at the library and at what is known of it, both locked.
  /// - Throws: what ends the run before it has begun.
  func begin(_ library: WritableLibrary, _ store: StateStore) throws

  /// The text that the source's record and the library's come from; nil when this companion knows none.
  func base(of id: String, over library: JSONNode) throws -> ImportBase?

  /// Does what is left, before anything is committed; called for rehearsals too.
  /// - Throws: what ends the run; nothing is written then.
  func finish(_ work: ImportWork) throws
}

/// The text that two versions of a record come from, as its companion knows it.
package struct ImportBase {
  /// A canonical record.
  package let line: [UInt8]
  /// Whether it is certainly the last one that both had; otherwise what the ledger remembers of the source goes first.
  package let isAgreed: Bool

  package init(line: [UInt8], isAgreed: Bool) {
    self.line = line
    self.isAgreed = isAgreed
  }
}

/// What a companion can do to the library when the records of an import are decided.
package struct ImportWork {
  private let commit: CommitStage
  private let lookup: RecordLookup
  private let ledger: Ledger

  init(_ commit: CommitStage, _ lookup: RecordLookup, _ ledger: Ledger) {
    self.commit = commit
    self.lookup = lookup
    self.ledger = ledger
  }

  /// The library, inside its transaction.
  package var library: WritableLibrary { commit.library }
  /// The library's store, inside its transaction.
  package var store: StateStore { ledger.store }
  /// The number of the run.
  package var run: Int64 { ledger.run }

  /// What the library, or its sidecar, has of an item now; nil when it has none.
  package func line(ofItem id: String) throws -> [UInt8]? { try lookup.record(.item, id: id).map { Array($0) } }

  /// Keeps what the library has of an item now as the version that files are written from after this run, so that an
  /// edited one is merged against it.
  package func keepVersion(ofItem id: String) throws {
    guard let line = try line(ofItem: id) else { return }
    try line.withUnsafeBufferPointer { line in
      try ledger.keepPulled(line, id: id, changed: try ScratchLine.reading(line) { Incoming.changed($0) })
    }
  }

  /// Must be called before rows of an item are changed: it is then a change of this run.
  /// - Parameter isTallied: whether it is one of the records that the run has created or updated.
  package func willChange(item id: String, isDeck: Bool, isTallied: Bool = false) throws {
    try commit.willChange(item: id, isDeck: isDeck, isTallied: isTallied)
  }
}
