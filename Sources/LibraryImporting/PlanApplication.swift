import Content
import Foundation
import Interchange
import JSONText
import Merging

/// Applies a plan by making exactly the changes that the plan lists.
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
  /// The current time of the run that made the plan. It replaces times that are missing from the sources.
  public var now: Timestamp { head.now }
  /// Receives, at intervals, the bytes done, the total bytes (nil if unknown) and the records done.
  public var onProgress: (@Sendable (Int, Int?, Int) -> Void)?

  private let head: PlanHead
  private let keys: LineSpool
  private let losses: PlanLosses

  /// Reads a whole plan.
  /// - Parameters:
  ///   - path: the file that `import --plan` wrote.
  ///   - library: the current path of the library; nil for the path in the plan. The library's bytes must match the
  ///     plan.
  ///   - named: how many records of a group the outline names.
  /// - Throws: `RunFailure`: 2 if the plan cannot be read or is damaged, with the position; 6 if a newer FleetKit made
  ///   the plan.
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
  /// - Parameter dryRun: whether to only check if the plan can be applied.
  /// - Throws: `RunFailure`: 4 if a source, the library, or the ledger has changed since the plan was made; also the
  ///   errors of an import. In these cases, nothing is written.
  public func run(dryRun: Bool = false) throws -> LibraryImport.Report {
    let isThere = access(library, F_OK) == 0
    if isThere != (head.fingerprint != nil) {
      throw refusal(isThere ? "the library '\(library)' did not exist" : "the library '\(library)' no longer exists")
    }
    for file in head.sources.files where access(file.path, F_OK) != 0 {
      throw refusal("the source '\(file.path)' no longer exists")
    }
    guard let version = head.request.version else {
      throw RunFailure(
        .failed, "read the plan '\(path)': /request: it is damaged",
        advice: "To plan again, run 'fleetkit import … --plan \(path)'.")
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
      advice: "To plan again, run 'fleetkit import … --plan \(path)'.")
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

  func receive(_ decision: ImportDecision) throws {
    let key = PlanChange.key(
      action: decision.action.rawValue, kind: decision.kind.name, id: decision.id,
      before: decision.before.map { Digest.hex(Digest.sha256($0.span)) },
      after: decision.hashAfter, rows: decision.rows)
    let now = Self.words(decision.action.rawValue, decision.kind.name, decision.title ?? decision.id)
    guard try keys.advance() else { throw failure("it would now \(now), which is not in the plan") }
    let planned = (try? JSONDocument(parsing: keys.line.span))?.root.elements ?? []
    guard planned.first?.string.map({ $0.utf8.elementsEqual(key.utf8) }) ?? false else {
      let words = Self.words(planned)
      throw failure(
        words == now
          ? "it would still \(now), but the content before or after it does not match the plan"
          : "the plan would \(words), but the import would now \(now)")
    }
    guard planned.count == 5, let description = planned[1].string else { throw failure("it is damaged") }
    if let member = PlanChange.difference(description, PlanChange.description(of: decision)) {
      throw RunFailure(
        .refused,
        "apply the plan '\(plan)': it was edited: it would \(now), but the plan's value of "
          + "\"\(member)\" is not correct; nothing was written",
        advice: "Make a new plan; plans cannot be edited.")
    }
  }

  func finish(_ tally: Tally) throws {
    if try keys.advance() {
      let planned = (try? JSONDocument(parsing: keys.line.span))?.root.elements ?? []
      throw failure("the plan would \(Self.words(planned)), but the import would no longer do so")
    }
    switch try losses.difference(from: met) {
    case .gone(let loss): throw failure("the plan lists a loss that would not occur now, \(loss)")
    case .new(let loss): throw failure("a loss would now occur that the plan does not list, \(loss)")
    case nil: break
    }
    // A plan contains the final counts.
    var tally = tally
    tally.countRemainingRows()
    if let difference = PlanHead.difference(counts, PlanHead.counts(tally, losses: met.count)) {
      throw failure("the counts differ from those in the plan: \(difference)")
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
    case "rename": "recognize '\(name)' as a \(kind) that the library has under another path"
    case "gone": "find the \(kind) '\(name)' missing from the source"
    default: "\(action) the \(kind) '\(name)'"
    }
  }

  private func failure(_ why: String) -> RunFailure {
    RunFailure(
      .refused, "apply the plan '\(plan)': \(why); nothing was written",
      advice: "The library's records of earlier imports or FleetKit itself have changed since. Plan again.")
  }
}
