import Content
import Interchange
import JSONText
import SQLiteLibrary

/// The import options that determine how records are handled.
package struct ImportPolicy: Sendable {
  /// How a record is handled if the library has another version of it.
  package var onConflict: OnConflict
  /// How conflicts between the two sides are resolved in a merge.
  package var settling: ConflictResolution
  /// Whether a missing library is created.
  package var creates: Bool
  /// Whether the publication state is also imported, as when a backup is restored.
  package var restoresPublishing: Bool
  /// Whether the source is the rejects of an earlier import. A record that is missing from such a source has not been
  /// deleted.
  package var isRetry: Bool
  /// Whether a note that resembles a missing one is the same item.
  package var renames: RenamePolicy

  package init(
    onConflict: OnConflict = .merge, settling: ConflictResolution = .reject, creates: Bool = false,
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

/// How an import handles a note that is probably an item of the library with a new path and a new title.
public enum RenamePolicy: Sendable {
  /// The note is the same item.
  case accept
  /// The note is a new item, and a warning names both.
  case decline
  /// The user is asked.
  case ask(@Sendable (_ question: String) throws -> Bool)
}

/// How an import handles a record if the library has another version of it.
public enum OnConflict: String, Sendable, CaseIterable {
  /// Both versions are merged against the source's version from its last import. If both changed the same value, the
  /// result is a conflict. If that last version is unknown, the newer version wins if both have a time; otherwise the
  /// result is a conflict.
  case merge
  /// The newer version wins. If both are equally old, the source's version wins.
  case newest
  /// The library's version wins.
  case keep
  /// The source's version wins.
  case replace
  /// The import stops, and nothing is imported.
  case fail
}

/// The reason for a decision of an import, if the action alone does not explain it. Only `text` turns a reason into a
/// sentence.
package enum DecisionReason {
  /// The library's version is kept.
  case kept(SkipReason)
  /// It is unknown which version is right.
  /// - Parameter code: the code of the finding.
  case conflict(ConflictReason, code: String, parts: [MergeConflict])
  /// The record cannot be used.
  /// - Parameter rows: the number of rejected rows of a table, if the rest of their record is imported.
  case rejected([RejectReason], rows: Int)
  /// Most of the note's content comes from a note that no longer exists.
  case renamedNote(title: String, path: String?)
  /// The note comes from a folder that no longer exists.
  case movedFolder(String)

  /// The reason as a sentence.
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

/// A decision of an import about one record. The decision is carried out unless the import is a rehearsal.
///
/// Lines are only valid during the call.
package struct ImportDecision {
  /// What happens to the record.
  package enum Action: String, Sendable, CaseIterable {
    /// The record is added to the library.
    case create
    /// The library's record changes.
    case update
    /// The record is kept in the sidecar, because the app has no table for it.
    case beside
    /// The two sides differ, and it is unknown which one is right. The library's record is kept, and the source's is
    /// rejected.
    case conflict
    /// The record cannot be used and is rejected.
    case reject
    /// The library's record is kept, because of the rules or the user's choice.
    case keep
    /// The source had the record at an earlier import and does not have it now. The library keeps it.
    case gone
    /// The source has the record under another path. Changes to the record are a separate decision.
    case rename
  }

  package let action: Action
  package let kind: RecordKind
  /// The record's id in the library; empty if it has no readable id.
  package var id = ""
  /// The record's id in the source, if that is different.
  package var sourceID: String?
  package var title: String?
  /// The content type of an item; nil for other records, and if the type cannot be read.
  package var type: String?
  /// The place in the source.
  package var place = ""
  /// The library's line before the import; nil if the library has no such record.
  package var before: UnsafeBufferPointer<UInt8>?
  /// The library's line after the import; nil if the line is unchanged, and for created records.
  package var after: UnsafeBufferPointer<UInt8>?
  /// The SHA-256 of the library's line after the import, in hexadecimal digits; nil if the line is unchanged.
  package var hashAfter: String?
  /// The reason, if the action alone does not explain it.
  package var reason: DecisionReason?

  package init(_ action: Action, _ kind: RecordKind) {
    self.action = action
    self.kind = kind
  }

  /// Makes a decision about a record of a source.
  /// - Parameter id: the record's id in the library; nil if it is the source's id.
  init(_ action: Action, _ incoming: SourceRecord, id: String? = nil) {
    self.init(action, incoming.kind)
    let own = incoming.idText
    self.id = id ?? own
    sourceID = self.id.utf8.elementsEqual(own.utf8) ? nil : own
    title = incoming.title
    type = incoming.contentType
    place = incoming.place().description
  }

  /// The code of a reject's finding.
  package var code: String? {
    switch reason {
    case .conflict(_, let code, _): code
    case .rejected(let reasons, _): reasons.first?.code
    default: nil
    }
  }

  /// The conflicts between the two sides.
  package var conflicts: [MergeConflict] { if case .conflict(_, _, let parts) = reason { parts } else { [] } }

  /// The number of rejected rows of a table, if the rest of their record is imported.
  package var rows: Int { if case .rejected(_, let rows) = reason { rows } else { 0 } }
}

/// Receives every decision of an import. Decisions come in the order in which they take effect.
///
/// An update that the library refuses when its row is written arrives as a reject, never as an update. Unchanged
/// records are not decisions.
package protocol ImportObserver: AnyObject {
  /// Receives a record of a source before the import decides about the record.
  /// - Parameter record: valid only during the call.
  /// - Throws: an error that ends the import without writing anything.
  func reads(_ record: Record) throws

  /// Receives a decision.
  /// - Throws: an error that ends the import without writing anything.
  func receive(_ decision: ImportDecision) throws

  /// Receives a record that the library already has in the same version.
  /// - Parameters:
  ///   - id: the record's id in the library.
  ///   - source: the record's id in the source.
  func stays(_ kind: RecordKind, id: String, source: String)

  /// Completes the observation. This is called when all decisions have been made and nothing has been committed yet.
  /// - Throws: an error that ends the import without writing anything.
  func finish(_ tally: Tally) throws
}

extension ImportObserver {
  /// Does nothing, because most observers ignore unchanged records.
  package func stays(_ kind: RecordKind, id: String, source: String) {}

  /// Does nothing, because most observers only need the decisions.
  package func reads(_ record: Record) {}
}

/// Takes part in an import, inside its transactions. Examines the library before anything is read, provides the bases
/// of records, and completes the work when every record is decided.
package protocol ImportParticipant: AnyObject {
  /// Examines the library and its store, both locked.
  /// - Throws: an error that ends the run before it has begun.
  func begin(_ library: WritableLibrary, _ store: StateStore) throws

  /// Returns the common base of the source's record and the library's; nil if this participant has none.
  func base(of id: String, over library: JSONNode) throws -> ImportBase?

  /// Completes the work before anything is committed. This is also called for rehearsals.
  /// - Throws: an error that ends the run without writing anything.
  func finish(_ work: ImportWork) throws
}

/// The base of two versions of a record, provided by a participant.
package struct ImportBase {
  /// A canonical record.
  package let line: [UInt8]
  /// Whether this is certainly the last version that both sides had. If not, the ledger's version of the source takes
  /// precedence.
  package let isAgreed: Bool

  package init(line: [UInt8], isAgreed: Bool) {
    self.line = line
    self.isAgreed = isAgreed
  }
}

/// The operations that a participant can perform on the library when all records of an import are decided.
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

  /// Returns the current line of an item in the library or its sidecar; nil if there is no such item.
  package func line(ofItem id: String) throws -> [UInt8]? { try lookup.record(.item, id: id).map { Array($0) } }

  /// Stores the current version of an item as the version that files are written from after this run, so that an edited
  /// file is merged against this version.
  package func storeVersion(ofItem id: String) throws {
    guard let line = try line(ofItem: id) else { return }
    try line.withUnsafeBufferPointer { line in
      try ledger.storePulled(line.span, id: id, changed: try ScratchLine.reading(line) { SourceRecord.changed($0) })
    }
  }

  /// Prepares a change of an item's rows, so that the change belongs to this run. This must be called before the rows
  /// are changed.
  /// - Parameter isTallied: whether the item is one of the records that the run created or updated.
  package func willChange(item id: String, isDeck: Bool, isTallied: Bool = false) throws {
    try commit.willChange(item: id, isDeck: isDeck, isTallied: isTallied)
  }
}
