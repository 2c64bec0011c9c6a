import Content
import Foundation
import Interchange
import JSONText
import Merging

/// Does what a plan says, all of it and nothing else.
///
/// ```swift
/// let plan = try PlanApplication("plan.json")
/// let report = try plan.run()
/// ```
public struct PlanApplication {
  /// The file of the plan.
  public let path: String
  /// The library that is changed.
  public let library: String
  /// What the plan says, in groups.
  public let outline: PlanOutline
  /// The time that the plan was made with, which stands in for times that the sources do not say.
  public var now: Timestamp { head.now }
  /// Called now and then with bytes done, bytes in all (nil when unknown) and records done.
  public var onProgress: (@Sendable (Int, Int?, Int) -> Void)?

  private let head: PlanHead
  private let keys: LineSpool
  private let losses: PlanLosses

  /// Reads a plan, all of it.
  /// - Parameters:
  ///   - path: the file that `import --plan` wrote.
  ///   - library: where the library is now; nil for where the plan says. Its bytes must be those of the plan.
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

  /// Runs it, once.
  /// - Parameter dryRun: whether it is only looked whether it could be done.
  /// - Throws: `RunFailure`: 4 when a source, the library, or what is remembered of it has changed since the plan was
  ///   made, and what an import throws. Nothing is written then.
  public func run(dryRun: Bool = false) throws -> LibraryImport.Report {
    let isThere = access(library, F_OK) == 0
    if isThere != (head.fingerprint != nil) {
      throw refusal(isThere ? "the library '\(library)' was not there" : "the library '\(library)' is gone")
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
      throw refusal("the library '\(library)' is not what it was\(later)")
    }
  }

  private func refusal(_ why: String) -> RunFailure {
    RunFailure(
      .refused, "apply the plan '\(path)': \(why); nothing was written",
      advice: "Plan again: 'fleetkit import … --plan \(path)'.")
  }
}

/// Holds what an import decides against a plan: whatever is different ends the import before anything counts.
private final class PlanCheck: ImportObserver {
  private let plan: String
  private let keys: LineSpool
  private let counts: String
  private let losses: PlanLosses
  /// What the import loses.
  let met: PlanLosses

  /// - Parameters:
  ///   - plan: the plan's file, for messages.
  ///   - keys: what the plan says of each change.
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
    guard try keys.advance() else { throw failure("it would now \(now), of which the plan says nothing") }
    let planned = (try? JSONDocument(parsing: keys.line))?.root.elements ?? []
    guard planned.first?.string.map({ $0.utf8.elementsEqual(key.utf8) }) ?? false else {
      let words = Self.words(planned)
      throw failure(
        words == now
          ? "it would still \(now), but not from or to what the plan says"
          : "where the plan says to \(words), it would now \(now)")
    }
    guard planned.count == 5, let said = planned[1].string else { throw failure("it is damaged") }
    if let member = PlanChange.difference(said, PlanChange.said(decision)) {
      throw RunFailure(
        .refused,
        "apply the plan '\(plan)': it was edited since it was made: it would \(now), but what the plan tells of that in "
          + "\"\(member)\" is not so; nothing was written",
        advice: "Plan again: a plan cannot be edited.")
    }
  }

  func finish(_ tally: Tally) throws {
    if try keys.advance() {
      let planned = (try? JSONDocument(parsing: keys.line))?.root.elements ?? []
      throw failure("the plan says to \(Self.words(planned)), which it would not do now")
    }
    switch try losses.difference(from: met) {
    case .gone(let loss): throw failure("the plan lists a loss that there would not be now, \(loss)")
    case .new(let loss): throw failure("there would now be a loss that the plan does not list, \(loss)")
    case nil: break
    }
    // The numbers of a plan are those at the very end.
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
    case "beside": "put the \(kind) '\(name)' beside the library"
    case "conflict": "put the \(kind) '\(name)' aside as a conflict"
    case "rename": "take '\(name)' for a \(kind) that the library has from another path"
    case "gone": "miss the \(kind) '\(name)' in the source"
    default: "\(action) the \(kind) '\(name)'"
    }
  }

  private func failure(_ why: String) -> RunFailure {
    RunFailure(
      .refused, "apply the plan '\(plan)': \(why); nothing was written",
      advice: "What the library remembers of earlier imports has changed since, or FleetKit itself. Plan again.")
  }
}
