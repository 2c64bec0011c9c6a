import Interchange
import JSONText
import Reports
import Synchronization

/// The losses of a plan, or of the import that makes a plan, as lines of JSON on disk. Several threads may add losses.
final class PlanLosses: Sendable {
  private struct State {
    let spool: LineSpool
    var failure: (any Error)?
  }

  private let state: Mutex<State>

  init() throws {
    let spool = try LineSpool()
    state = Mutex(State(spool: spool))
  }

  /// The number of losses.
  var count: Int { state.withLock { $0.spool.count } }

  func add(_ loss: Loss) { add(kind: loss.kind.name, id: loss.id, field: loss.field, reason: loss.reason.text) }

  /// Adds a loss in the form of a plan.
  func add(_ loss: JSONValue) {
    func text(_ name: String) -> String { loss[name]?.string ?? "" }
    add(kind: text("kind"), id: text("id"), field: text("field"), reason: text("reason"))
  }

  private func add(kind: String, id: String, field: String, reason: String) {
    var json = JSONBuilder()
    json.object { json in
      json.string("kind", kind)
      json.string("id", id)
      json.string("field", field)
      json.string("reason", reason)
    }
    let line = Array(json.result.utf8)
    state.withLock { state in
      do {
        try state.spool.append(line.span)
      } catch {
        state.failure = state.failure ?? error
      }
    }
  }

  /// Passes all lines to `body`.
  /// - Throws: `RunFailure` if a loss could not be stored.
  func drain(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      try state.spool.rewind()
      while try state.spool.advance() { try body(state.spool.line) }
    }
  }

  // MARK: Comparing

  /// A loss that only one of two lists contains.
  enum Difference {
    /// Only the plan contains the loss. The value describes it.
    case gone(String)
    /// Only the current import has the loss. The value describes it.
    case new(String)
  }

  /// Returns the first loss, in the order of lines, that only one of the two lists contains. The lists are sorted
  /// first, because threads add losses in no particular order.
  /// - Throws: `RunFailure` if a loss could not be stored or read.
  func difference(from now: PlanLosses) throws -> Difference? {
    let (planned, met) = (try sorted(), try now.sorted())
    while true {
      let (one, other) = (try planned.next().map { Array($0) }, try met.next().map { Array($0) })
      switch (one, other) {
      case (nil, nil): return nil
      case (let one?, nil): return .gone(Self.words(one))
      case (nil, let other?): return .new(Self.words(other))
      case (let one?, let other?) where one != other:
        return one.lexicographicallyPrecedes(other) ? .gone(Self.words(one)) : .new(Self.words(other))
      default: break
      }
    }
  }

  private func sorted() throws -> ExternalSorter {
    let sorter = ExternalSorter { $1.append($0.span) }
    try drain { try sorter.add($0.span) }
    try sorter.sort()
    return sorter
  }

  private static func words(_ line: [UInt8]) -> String {
    guard let loss = (try? JSONDocument(parsing: line))?.root else { return "a loss" }
    func text(_ name: String) -> String { loss[name]?.string ?? "" }
    let field = text("field")
    let of = "the \(text("kind")) '\(text("id"))'"
    return "\(field.isEmpty ? of : "\(field) of \(of)"): \(text("reason"))"
  }
}
