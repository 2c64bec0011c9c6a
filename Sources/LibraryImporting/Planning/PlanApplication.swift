import Content
import Foundation
import Interchange
import JSONText
import Merging

/// Applies a plan: makes exactly the changes that it lists.
///
/// ```swift
/// let plan = try PlanApplication("plan.json")
/// let report = try plan.run()
/// ```
public struct PlanApplication {
  /// The path of the plan.
  public let path: String
  /// The path of the library that is changed.
  public let library: String
  /// The changes of the plan, in groups.
  public let outline: PlanOutline
  /// The time with which the plan was made. It replaces times missing in the sources.
  public var now: Timestamp { head.now }
  /// Called at intervals with the bytes done, the total bytes (nil when unknown) and the records done.
  public var onProgress: (@Sendable (Int, Int?, Int) -> Void)?

  private let head: PlanHead
  private let keys: LineSpool
  private let losses: PlanLosses

  /// Reads a whole plan.
  /// - Parameters:
  ///   - path: the file that `import --plan` wrote.
  ///   - library: the current path of the library; nil for the path in the plan. Its bytes must be those of the plan.
  ///   - named: how many records of a group the outline names.
  /// - Throws: `RunFailure`: 2 when the plan cannot be read or is damaged, with the place; 6 when a newer FleetKit made
  ///   it.
  public init(_ path: String, library: String? = nil, named: Int = 3) throws {
    let reader = try PlanReader(path, named: named)
    self.path = path
    head = reader.head
    keys = reader.keys
    losses = reader.losses
    outline = reader.outline
    self.library = library ?? reader.head.library
  }

  /// Applies the plan, once.
  /// - Parameter dryRun: whether to check only if the plan can be applied.
  /// - Throws: `RunFailure`: 4 when a source, the library, or the ledger has changed since the plan was made; also the
  ///   errors of an import. Nothing is written in these cases.
  public func run(dryRun: Bool = false) throws -> LibraryImport.Report {
    let isThere = access(library, F_OK) == 0
    if isThere != (head.fingerprint != nil) {
      throw refusal(isThere ? "the library '\(library)' did not exist" : "the library '\(library)' is gone")
    }
    for file in head.sources.files where access(file.path, F_OK) != 0 {
      throw refusal("the source '\(file.path)' is gone")
    }
    guard let version = head.request.version else {
      throw RunFailure(
        .failed, "read the plan '\(path)': /request: it is damaged",
        advice: "Plan again: 'fleetkit import … --plan \(path)'.")
    }
    guard version <= ImportRequest.version else {
      throw RunFailure(
        .newer, "read the plan '\(path)': /request: a newer FleetKit made it", advice: "Update FleetKit.")
    }
    var (job, asked) = try head.request.job(into: library, now: head.now)
    if let difference = head.sources.difference(from: try PlanSources(job.sources, retry: job.retry)) {
      throw refusal("the source \(difference)")
    }
    job.doing = "apply"
    job.renames = .accept
    job.plan = path
    job.onProgress = onProgress
    let context = RunContext(
      onInvalid: asked.onInvalid, errorLimit: asked.errorLimit, noLoss: asked.noLoss, dryRun: dryRun,
      reading: asked.reading, now: asked.now)
    let check = try PlanCheck(plan: path, keys: keys, counts: head.counts, losses: losses)
    context.losses.observe { [met = check.met] in met.add($0) }
    defer { context.losses.observe(nil) }
    return try job.run(context: context, observer: check) { fingerprint, run in
      if try fingerprint.value() == head.fingerprint { return }
      let later = run.flatMap { $0 == head.run ? nil : " (run \($0) changed it)" } ?? ""
      throw refusal("the library '\(library)' has changed\(later)")
    }
  }

  private func refusal(_ why: String) -> RunFailure {
    RunFailure(
      .refused, "apply the plan '\(path)': \(why); nothing was written",
      advice: "Plan again: 'fleetkit import … --plan \(path)'.")
  }
}

/// Compares the decisions of an import with a plan. Any difference ends the import before it is committed.
private final class PlanCheck: ImportObserver {
  private let plan: String
  private let keys: LineSpool
  private let counts: String
  private let losses: PlanLosses
  /// The losses of the import.
  let met: PlanLosses

  /// - Parameters:
  ///   - plan: the plan's file, for messages.
  ///   - keys: the plan's line for each change.
  init(plan: String, keys: LineSpool, counts: String, losses: PlanLosses) throws {
    self.plan = plan
    self.keys = keys
    self.counts = counts
    self.losses = losses
    met = try PlanLosses()
  }

  func note(_ decision: ImportDecision) throws {
    let key = PlanChange.key(
      action: decision.action.rawValue, kind: decision.kind.name, id: decision.id,
      before: decision.before.map { Digest.hex(Digest.sha256($0)) },
      after: decision.hashAfter, rows: decision.rows)
    let now = Self.words(decision.action.rawValue, decision.kind.name, decision.title ?? decision.id)
    guard try keys.advance() else { throw failure("it would now \(now), which is not in the plan") }
    let planned = (try? JSONDocument(parsing: keys.line))?.root.elements ?? []
    guard planned.first?.string.map({ $0.utf8.elementsEqual(key.utf8) }) ?? false else {
      let words = Self.words(planned)
      throw failure(
        words == now
          ? "it would still \(now), but the content before or after it is not that of the plan"
          : "the plan would \(words), but the import would now \(now)")
    }
    guard planned.count == 5, let description = planned[1].string else { throw failure("it is damaged") }
    if let member = PlanChange.difference(description, PlanChange.said(decision)) {
      throw RunFailure(
        .refused,
        "apply the plan '\(plan)': it was edited since it was made: it would \(now), but the plan's value of "
          + "\"\(member)\" is not correct; nothing was written",
        advice: "Plan again: a plan cannot be edited.")
    }
  }

  func finish(_ tally: Tally) throws {
    if try keys.advance() {
      let planned = (try? JSONDocument(parsing: keys.line))?.root.elements ?? []
      throw failure("the plan would \(Self.words(planned)), which the import would not do now")
    }
    switch try losses.difference(from: met) {
    case .gone(let loss): throw failure("the plan lists a loss that would not occur now, \(loss)")
    case .new(let loss): throw failure("a loss would now occur that the plan does not list, \(loss)")
    case nil: break
    }
    // A plan holds the numbers of the very end.
    var tally = tally
    tally.settleRows()
    if let difference = PlanHead.difference(counts, PlanHead.counts(tally, losses: met.count)) {
      throw failure("the records do not add up to the numbers of the plan: \(difference)")
    }
  }

  private static func words(_ planned: [JSONValue]) -> String {
    guard planned.count == 5 else { return "do something else" }
    return words(planned[2].string ?? "", planned[3].string ?? "", planned[4].string ?? "")
  }

  private static func words(_ action: String, _ kind: String, _ name: String) -> String {
    switch action {
    case "beside": "keep the \(kind) '\(name)' next to the library"
    case "conflict": "reject the \(kind) '\(name)' as a conflict"
    case "rename": "recognize '\(name)' as a \(kind) that the library has from another path"
    case "gone": "find the \(kind) '\(name)' missing in the source"
    default: "\(action) the \(kind) '\(name)'"
    }
  }

  private func failure(_ why: String) -> RunFailure {
    RunFailure(
      .refused, "apply the plan '\(plan)': \(why); nothing was written",
      advice: "The library's records of earlier imports or FleetKit itself have changed since. Plan again.")
  }
}
