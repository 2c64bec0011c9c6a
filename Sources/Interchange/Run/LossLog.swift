import Content
import Synchronization

/// Something that a target cannot hold: which record, which part of it, and why.
public struct Loss: Sendable {
  /// What the record is.
  public let kind: RecordKind
  /// The record's id.
  public let id: String
  /// What is lost, as a JSON Pointer; empty for the whole record.
  public let field: String
  /// Why the target cannot hold it.
  public let reason: String
}

/// Everything that a run could not take along. Counts all losses, keeps the first ones of each reason in full.
public final class LossLog: Sendable {
  private struct State {
    var kept: [Loss] = []
    var counts: [String: Int] = [:]
    var order: [String] = []
    var all: LossSpool?
  }

  private let state = Mutex(State())
  private let keepPerReason = 200

  /// Makes an empty log.
  public init() {}

  /// Adds a loss.
  public func record(_ kind: RecordKind, id: String, field: String, reason: String) {
    state.withLock { state in
      let seen = state.counts[reason, default: 0]
      if seen == 0 { state.order.append(reason) }
      state.counts[reason] = seen + 1
      if seen < keepPerReason {
        state.kept.append(Loss(kind: kind, id: id, field: field, reason: reason))
      }
      state.all?.add(kind, id, field, reason)
    }
  }

  /// Keeps every loss from now on, on disk: a proof needs all of them.
  /// - Throws: `RunFailure` when the folder for temporary files cannot be written.
  package func keepAll() throws {
    let spool = try LossSpool()
    state.withLock { $0.all = spool }
  }

  /// Keeps, beside the losses, that a record was rejected; it counts as none.
  package func keepRejected(_ kind: RecordKind, id: String) {
    state.withLock { $0.all?.add(kind, id, "", "rejected") }
  }

  /// Hands out everything since `keepAll`, in the order of its arrival, and keeps no more.
  /// - Throws: `RunFailure` when something could not be kept.
  package func takeAll(_ body: (Loss) throws -> Void) throws {
    let spool = state.withLock { state in
      defer { state.all = nil }
      return state.all
    }
    try spool?.forEach(body)
  }

  /// How many losses there were.
  public var total: Int { state.withLock { $0.counts.values.reduce(0, +) } }

  /// The losses that were kept in full.
  public var kept: [Loss] { state.withLock { $0.kept } }

  /// Every reason with its number of losses, in the order of their first occurrence.
  public var byReason: [(reason: String, count: Int)] {
    state.withLock { state in state.order.map { ($0, state.counts[$0] ?? 0) } }
  }
}
