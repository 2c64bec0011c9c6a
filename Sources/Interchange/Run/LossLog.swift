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
    var observer: (@Sendable (Loss) -> Void)?
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
      state.observer?(Loss(kind: kind, id: id, field: field, reason: reason))
      if seen < keepPerReason {
        state.kept.append(Loss(kind: kind, id: id, field: field, reason: reason))
      }
    }
  }

  /// Tells somebody of every loss from now on, those that are not kept too; on the thread that met it, one at a time.
  package func observe(_ observer: (@Sendable (Loss) -> Void)?) { state.withLock { $0.observer = observer } }

  /// How many losses there were.
  public var total: Int { state.withLock { $0.counts.values.reduce(0, +) } }

  /// The losses that were kept in full.
  public var kept: [Loss] { state.withLock { $0.kept } }

  /// Every reason with its number of losses, in the order of their first occurrence.
  public var byReason: [(reason: String, count: Int)] {
    state.withLock { state in state.order.map { ($0, state.counts[$0] ?? 0) } }
  }
}
