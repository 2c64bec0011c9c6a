import Content
import Diagnostics
import Interchange
import JSONText
import SQLiteLibrary

/// Telling what becomes of each record.
extension LibraryImportWriter {
  /// What a reject is told with, beyond what goes to the file of rejects.
  struct Rejecting {
    let incoming: Incoming
    var before: [UInt8]?
    var conflicts: [MergeConflict] = []
  }

  /// Tells of a record that the source has.
  func observe(
    _ action: ImportDecision.Action, _ incoming: Incoming, id: String? = nil,
    before: UnsafeBufferPointer<UInt8>? = nil, after: UnsafeBufferPointer<UInt8>? = nil, hash: String? = nil,
    reason: String? = nil
  ) throws {
    guard let observer else { return }
    var decision = ImportDecision(action, incoming.kind)
    let own = incoming.idText
    decision.id = id ?? own
    decision.sourceID = decision.id.utf8.elementsEqual(own.utf8) ? nil : own
    decision.title = incoming.title
    decision.type = Self.type(incoming)
    decision.place = incoming.place().description
    decision.before = before
    decision.after = after
    decision.hashAfter = hash ?? after.map { Digest.hex(Digest.sha256($0)) }
    decision.reason = reason
    try observer.note(decision)
  }

  /// Tells of a record, or of rows of one, that goes to the rejects.
  func observe(_ record: RejectedRecord) throws {
    guard let observer else { return }
    let reason = record.reasons.first
    let conflicts: [DiagnosticCode] = [.importConflict, .mergeConflict]
    let isConflict = conflicts.contains { $0.id == reason?.code } && rejecting != nil
    var decision = ImportDecision(isConflict ? .conflict : .reject, record.kind)
    decision.place = reason?.place ?? record.place
    decision.reason = record.reasons.map(\.message).joined(separator: "; ")
    decision.code = reason?.code
    decision.rows = record.isPart ? Int(record.rows) : 0
    guard let rejecting else { return try observer.note(decision) }
    let own = rejecting.incoming.idText
    decision.id = own
    decision.title = rejecting.incoming.title
    decision.type = Self.type(rejecting.incoming)
    decision.conflicts = rejecting.conflicts
    guard let before = rejecting.before else { return try observer.note(decision) }
    try before.withUnsafeBufferPointer { before in
      decision.before = before
      if let id = RecordLine.id(of: before), !id.utf8.elementsEqual(own.utf8) {
        decision.id = id
        decision.sourceID = own
      }
      try observer.note(decision)
    }
  }

  private static func type(_ incoming: Incoming) -> String? {
    incoming.kind == .item ? incoming.node.member("content_type")?.string : nil
  }

  /// Tells of a row that was written: what it said before, and what the library says now.
  func observe(_ outcome: RowOutcome, _ incoming: Incoming, _ id: String, before: [UInt8]?) throws {
    switch outcome {
    case .created, .updated: break
    case .skipped(let reason): return try observe(.keep, incoming, id: id, reason: reason.text)
    case .waiting, .rejected: return
    }
    if before == nil, hashAfter != nil { return try observe(.create, incoming, id: id, hash: hashAfter) }
    // Not what was composed, but what the library gives out: that is what the next import compares with.
    let after = try record(incoming.kind, id: id)
    try (before ?? []).withUnsafeBufferPointer {
      try observe(before == nil ? .create : .update, incoming, id: id, before: before == nil ? nil : $0, after: after)
    }
  }

  /// Tells of a record that goes beside the library.
  func observeBeside(_ incoming: Incoming, id: String, _ line: UnsafeBufferPointer<UInt8>) throws {
    guard observer != nil else { return }
    let old = try ledger.record(incoming.kind, id: id)
    try (old ?? []).withUnsafeBufferPointer {
      try observe(.beside, incoming, id: id, before: old == nil ? nil : $0, after: line)
    }
  }
}
