import Content
import Interchange
import JSONText
import SQLiteLibrary

/// What an import was asked to do with the records that it meets.
package struct ImportPolicy: Sendable {
  /// What becomes of a record that the library has in another version.
  package var onConflict: OnConflict
  /// What merging does where both sides changed the same thing.
  package var settling: ConflictSettling
  /// Whether a library that is not there is made.
  package var creates: Bool
  /// Whether publication is taken from the source too, as restoring a backup does.
  package var restoresPublishing: Bool
  /// Whether the source is what an earlier import rejected: it says nothing of what it does not have.
  package var isRetry: Bool
  /// Whether a note that looks like one that is gone is the same item.
  package var renames: RenamePolicy

  package init(
    onConflict: OnConflict = .merge, settling: ConflictSettling = .reject, creates: Bool = false,
    restoresPublishing: Bool = false, isRetry: Bool = false,
    renames: RenamePolicy = .decline
  ) {
    self.onConflict = onConflict
    self.settling = settling
    self.creates = creates
    self.restoresPublishing = restoresPublishing
    self.isRetry = isRetry
    self.renames = renames
  }
}

/// What an import does with a note that is probably an item of the library, under another path and another title.
public enum RenamePolicy: Sendable {
  /// It is the same item.
  case accept
  /// It is a new item, and a warning names both.
  case decline
  /// The user is asked.
  case ask(@Sendable (_ question: String) throws -> Bool)
}

/// What an import does with a record that the library has already, in another version.
public enum OnConflict: String, Sendable, CaseIterable {
  /// Both, merged against what the source said at its last import; a conflict where both changed the same thing. Where
  /// that is unknown, the newer one when both have a time, else a conflict.
  case merge
  /// The newer one; equally old, the source's.
  case newest
  /// The library's.
  case keep
  /// The source's.
  case replace
  /// Stop; nothing is imported.
  case fail
}

/// Why an import decided as it did, where the action alone does not tell. `text` is the only place where it becomes a
/// sentence.
package enum DecisionReason {
  /// The library's version stays.
  case kept(SkipReason)
  /// It is unknown which version is right.
  /// - Parameter code: the code of the finding.
  case conflict(ConflictReason, code: String, parts: [MergeConflict])
  /// It cannot be used.
  /// - Parameter rows: how many rows of a table were rejected, where their record goes on without them.
  case rejected([RejectReason], rows: Int)
  /// Most of it is from a note that is gone.
  case renamedNote(title: String, path: String?)
  /// It is from a folder that is gone.
  case movedFolder(String)

  /// The reason in words.
  package var text: String {
    switch self {
    case .kept(let reason): reason.text
    case .conflict(let reason, _, _): reason.text
    case .rejected(let reasons, _): reasons.map(\.message).joined(separator: "; ")
    case .renamedNote(let title, let path): "it was “\(title)”\(path.map { " ('\($0)')" } ?? "")"
    case .movedFolder(let folder): "it was in '\(folder)'"
    }
  }
}

/// What an import decided about one record, and did unless it is a rehearsal.
///
/// Lines are lent: they are valid during the call only.
package struct ImportDecision {
  /// What becomes of the record.
  package enum Action: String, Sendable, CaseIterable {
    /// The library gets it.
    case create
    /// The library's record changes.
    case update
    /// It goes beside the library, because the app has no table for it.
    case beside
    /// Both have it differently, and it is unknown which is right: the library's stays, the source's is put aside.
    case conflict
    /// It cannot be used: it is put aside.
    case reject
    /// The library's stays, as the rules or the user want it.
    case keep
    /// The source had it at an earlier import and has it no more; the library keeps it.
    case gone
    /// The source has it under another path: the record is the same. What changes in it is a decision of its own.
    case rename
  }

  package let action: Action
  package let kind: RecordKind
  /// The record's id in the library; empty where it has none that can be read.
  package var id = ""
  /// Its id in the source, where that is another.
  package var sourceID: String?
  package var title: String?
  /// What kind of content an item is; nil for other records, and where it cannot be read.
  package var type: String?
  /// Where it is in the source.
  package var place = ""
  /// What the library has before; nil when it has no such record.
  package var before: UnsafeBufferPointer<UInt8>?
  /// What the library has afterwards; nil when that is what it has before, and for what is created.
  package var after: UnsafeBufferPointer<UInt8>?
  /// SHA-256 of what the library has afterwards, in hexadecimal digits; nil when that is what it has before.
  package var hashAfter: String?
  /// Why, where the action alone does not tell.
  package var reason: DecisionReason?

  package init(_ action: Action, _ kind: RecordKind) {
    self.action = action
    self.kind = kind
  }

  /// A decision about a record of a source.
  /// - Parameter id: its id in the library; nil where that is the source's.
  init(_ action: Action, _ incoming: Incoming, id: String? = nil) {
    self.init(action, incoming.kind)
    let own = incoming.idText
    self.id = id ?? own
    sourceID = self.id.utf8.elementsEqual(own.utf8) ? nil : own
    title = incoming.title
    type = incoming.contentType
    place = incoming.place().description
  }

  /// The code of the finding, of what is rejected.
  package var code: String? {
    switch reason {
    case .conflict(_, let code, _): code
    case .rejected(let reasons, _): reasons.first?.code
    default: nil
    }
  }

  /// What both sides changed, and differently.
  package var conflicts: [MergeConflict] { if case .conflict(_, _, let parts) = reason { parts } else { [] } }

  /// How many rows of a table were rejected, where their record goes on without them.
  package var rows: Int { if case .rejected(_, let rows) = reason { rows } else { 0 } }
}

/// Receives every decision of an import, in the order in which they take effect.
///
/// An update that the library does not take when its row is written arrives as a reject, never as an update. Records
/// that stay as they are, are not decisions.
package protocol ImportObserver: AnyObject {
  /// Sees a record of a source before anything is decided about it.
  /// - Parameter record: lent: valid during the call only.
  /// - Throws: what ends the import; nothing is written then.
  func reads(_ record: Record) throws

  /// Takes note of a decision.
  /// - Throws: what ends the import; nothing is written then.
  func note(_ decision: ImportDecision) throws

  /// Takes note of a record that the library has already, as it is.
  /// - Parameters:
  ///   - id: its id in the library.
  ///   - source: its id in the source.
  func stays(_ kind: RecordKind, id: String, source: String)

  /// Takes note that all decisions are made; nothing is committed yet.
  /// - Throws: what ends the import; nothing is written then.
  func finish(_ tally: Tally) throws
}

extension ImportObserver {
  /// Most have nothing to do with what stays.
  package func stays(_ kind: RecordKind, id: String, source: String) {}

  /// Most wait for what is decided.
  package func reads(_ record: Record) {}
}

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
