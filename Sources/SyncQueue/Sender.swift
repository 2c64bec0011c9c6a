import Foundation
import Interchange
import RegistryClient

/// Sends operations taken from the queue and determines their outcomes. Not thread-safe.
final class Sender {
  let calls: any RegistryCalls
  let gate: SendThrottle
  let metrics: SyncMetrics
  /// The library as the user named it, for use in advice.
  let library: String
  /// The registry's id of the user's account.
  let userID: String
  let step: Double
  private let checker: OutgoingCheck

  init(
    _ calls: any RegistryCalls, _ gate: SendThrottle, _ metrics: SyncMetrics, library: String, userID: String,
    step: Double
  ) throws {
    self.calls = calls
    self.gate = gate
    self.metrics = metrics
    self.library = library
    self.userID = userID
    self.step = step
    checker = try OutgoingCheck()
  }

  /// The results of one unit of work.
  struct Report: Sendable {
    var outcomes: [(ClaimedOperation, SendOutcome)] = []
    /// Whether the registry does not support batches.
    var isWithoutBatches = false
    /// Whether a batch was too large.
    var isTooLarge = false
  }

  /// Sends operations. Every operation gets an outcome; the outcomes can be in any order.
  /// - Parameter asBatch: whether the operations are sent together.
  func send(_ operations: [ClaimedOperation], asBatch: Bool) -> Report {
    var report = Report()
    var outgoing: [OutgoingOperation] = []
    for var operation in operations {
      if let slug = operation.parentSlug, !findParent(slug, of: &operation) {
        report.outcomes.append((operation, .unsent(nil)))
        continue
      }
      switch checker.check(operation) {
      case .success(let ready) where ready.isProbablyPublic: report.outcomes.append((operation, compare(ready, nil)))
      case .success(let ready): outgoing.append(ready)
      case .failure(let refused):
        metrics.failure(refused.reason.code)
        report.outcomes.append((operation, .refused(refused.reason)))
      }
    }
    if asBatch, !outgoing.isEmpty {
      sendBatch(outgoing, into: &report)
    } else {
      for operation in outgoing { report.outcomes.append((operation.claimed, sendAlone(operation))) }
    }
    return report
  }

  /// Asks for the registry's id of a fork's original; returns false if there is no answer.
  private func findParent(_ slug: String, of operation: inout ClaimedOperation) -> Bool {
    var attempt = 0
    while gate.pass() {
      let answer = ask([]) { () throws(RegistryError) in try calls.item(slug) }
      switch answer {
      case .value(let item):
        gate.answered()
        operation.parentID = item?.id
        return true
      case .error(let error):
        switch weigh(error) {
        case .refusal: return true
        case .over: return false
        case .pause: continue
        case .unreachable, .unclear:
          attempt += 1
          if attempt > Self.mostUnreachable || !rest(attempt) { return false }
        }
      }
    }
    return false
  }

  // MARK: One request

  /// The result of a request.
  enum Answer<Value> {
    case value(Value)
    case error(RegistryError)
  }

  /// Sends a request to the registry and measures its duration.
  func ask<Value>(_ operations: [OutgoingOperation], _ body: () throws(RegistryError) -> Value) -> Answer<Value> {
    for operation in operations { metrics.attempt(operation.kind.rawValue) }
    let start = ContinuousClock.now
    defer { metrics.request(start.duration(to: .now) / .seconds(1)) }
    do throws(RegistryError) {
      return .value(try body())
    } catch {
      return .error(error)
    }
  }

  /// What an error means for the run, beyond its own operation.
  enum Trouble {
    /// The registry refused the operation.
    case refusal(RegistryRefusal)
    /// The registry was not reached, so nothing changed there.
    case unreachable(SendOutcome.Reason)
    /// The operation may or may not have been carried out.
    case unclear(SendOutcome.Reason)
    /// The registry asks for a pause and has carried out nothing.
    case pause
    /// No more requests can be sent.
    case over
  }

  /// Classifies an error, counts it, and informs the other threads if the error concerns them.
  func weigh(_ error: RegistryError) -> Trouble {
    switch error {
    case .unreachable(let detail):
      metrics.failure("unreachable")
      gate.failed(.unreachable(detail))
      return .unreachable(SendOutcome.Reason("unreachable", "offline: \(detail)"))
    case .insecure(let detail, let advice):
      metrics.failure("insecure")
      gate.end(.insecure("\(detail). \(advice)"))
      return .over
    case .timedOut(let detail): return unclear("timeout", "no answer in time: \(detail)")
    case .broken(let detail): return unclear("broken", "the connection broke: \(detail)")
    case .unreadable(let detail): return unclear("unreadable", "the answer cannot be read: \(detail)")
    case .signInNeeded(let detail):
      metrics.failure("sign_in")
      gate.end(.signIn(detail))
      return .over
    case .refused(let refusal):
      switch refusal.status {
      case 401:
        metrics.failure("sign_in")
        gate.end(.signIn(refusal.reason))
        return .over
      case _ where refusal.asksForPause:
        metrics.failure(refusal.status == 429 ? "rate_limited" : "unavailable")
        gate.pause(refusal.retryAfter, refusal.reason)
        return .pause
      case 408, 425, 500...:
        return unclear(
          "server_error", "the registry failed to carry out the operation (\(refusal.status)): \(refusal.detail)")
      default:
        gate.answered()
        return .refusal(refusal)
      }
    }
  }

  private func unclear(_ code: String, _ text: String) -> Trouble {
    metrics.failure(code)
    gate.failed(.failing(text))
    return .unclear(SendOutcome.Reason(code, text))
  }

  /// Waits before a request is repeated; returns false if nothing more may be sent.
  func rest(_ attempt: Int) -> Bool {
    gate.wait(min(0.2 * Double(1 << min(attempt, 5)), 4) * Double.random(in: 0.75...1.25) * step)
  }
}

extension RegistryRefusal {
  /// Whether the registry did nothing and asks the client to retry later.
  var asksForPause: Bool { status == 429 || status == 503 && retryAfter != nil }
}

extension Sender {
  /// The number of attempts to send a batch under the same key before the batch is split.
  private static let batchAttempts = 4

  /// Sends operations together. A batch that keeps failing is split, so that a single operation cannot hold up the
  /// others.
  private func sendBatch(_ operations: [OutgoingOperation], into report: inout Report) {
    var attempt = 0
    var unreachable = 0
    var trace: String?
    let key = OutgoingOperation.key(of: operations)
    while gate.pass() {
      let answer = ask(operations) { () throws(RegistryError) -> [BatchResult] in
        let results = try calls.batch(operations.map(\.call), key: key)
        guard results.count == operations.count else {
          throw .unreadable("\(results.count) results for \(operations.count) operations")
        }
        return results
      }
      switch answer {
      case .value(let results):
        gate.answered()
        for (operation, result) in zip(operations, results) {
          report.outcomes.append((operation.claimed, outcome(result, of: operation)))
        }
        return
      case .error(let error):
        switch weigh(error) {
        case .over: return giveBack(operations, trace, into: &report)
        case .pause:
          // Many operations may cost more than the remaining rate limit, however long the pause is.
          report.isTooLarge = true
          if operations.count > 50, attempt > 0 { return splitUp(operations, into: &report) }
          attempt += 1
        case .unreachable(let reason):
          unreachable += 1
          if unreachable >= Self.mostUnreachable { gate.end(.unreachable(reason.text)) }
          if !rest(unreachable) { return giveBack(operations, trace, into: &report) }
        case .unclear(let reason):
          trace = reason.text
          attempt += 1
          if attempt < Self.batchAttempts {
            if !rest(attempt - 1) { return giveBack(operations, trace, into: &report) }
            continue
          }
          guard operations.count > 1 else {
            report.outcomes.append((operations[0].claimed, .tried(reason)))
            return
          }
          return splitUp(operations, trace: trace, into: &report)
        case .refusal(let refusal):
          if [404, 405, 501].contains(refusal.status) {
            report.isWithoutBatches = true
          } else if operations.count > 1 {
            if refusal.status == 413 { report.isTooLarge = true }
            return splitUp(operations, into: &report)
          }
          for operation in operations { report.outcomes.append((operation.claimed, sendAlone(operation))) }
          return
        }
      }
    }
    giveBack(operations, trace, into: &report)
  }

  private func splitUp(_ operations: [OutgoingOperation], trace: String? = nil, into report: inout Report) {
    let middle = operations.count / 2
    let halves = [Array(operations[..<middle]), Array(operations[middle...])]
    for half in halves where !half.isEmpty {
      if gate.stop != nil { giveBack(half, trace, into: &report) } else { sendBatch(half, into: &report) }
    }
  }

  private func giveBack(_ operations: [OutgoingOperation], _ trace: String?, into report: inout Report) {
    for operation in operations { report.outcomes.append((operation.claimed, .unsent(trace))) }
  }

  private func outcome(_ result: BatchResult, of operation: OutgoingOperation) -> SendOutcome {
    switch result {
    case .done(let receipt): return done(operation, receipt)
    case .withdrawn: return done(operation, nil)
    case .refused(let refusal):
      switch refusal.status {
      case 401:
        gate.end(.signIn(refusal.detail))
        return .unsent(nil)
      case _ where refusal.asksForPause:
        gate.pause(refusal.retryAfter, refusal.detail)
        return .unsent(nil)
      case 408, 425, 500...:
        metrics.failure("server_error")
        let text = "the registry failed to carry out the operation (\(refusal.status)): \(refusal.detail)"
        return .tried(SendOutcome.Reason("server_error", text))
      default: return resolve(refusal, of: operation)
      }
    }
  }
}

extension Sender {
  /// How often a request whose connection broke is repeated immediately before a try is used up.
  private static let repetitions = 2
  /// The number of attempts without reaching the registry after which the run ends.
  private static let mostUnreachable = 5

  /// Sends a single operation.
  private func sendAlone(_ operation: OutgoingOperation) -> SendOutcome {
    var unreachable = 0
    var repetitions = 0
    var trace: String?
    while gate.pass() {
      let answer = ask([operation]) { () throws(RegistryError) -> PublicationReceipt? in
        switch operation.kind {
        case .publish: try calls.publish(operation.body, key: operation.key)
        case .publishUpdate:
          try calls.update(
            operation.publicID, operation.body, ifMatch: operation.ifMatch, key: operation.key)
        case .unpublish:
          try withdraw(operation)
        }
      }
      switch answer {
      case .value(let receipt):
        gate.answered()
        return done(operation, receipt)
      case .error(let error):
        switch weigh(error) {
        case .refusal(let refusal): return resolve(refusal, of: operation)
        case .pause: continue
        case .over: return .unsent(trace)
        case .unreachable(let reason):
          unreachable += 1
          if unreachable >= Self.mostUnreachable { gate.end(.unreachable(reason.text)) }
          if !rest(unreachable) { return .unsent(trace) }
        case .unclear(let reason):
          trace = reason.text
          let isBroken = reason.code == "broken" || reason.code == "unreadable"
          guard isBroken, repetitions < Self.repetitions else { return .tried(reason) }
          repetitions += 1
          if !rest(repetitions - 1) { return .unsent(trace) }
        }
      }
    }
    return .unsent(trace)
  }

  private func withdraw(_ operation: OutgoingOperation) throws(RegistryError) -> PublicationReceipt? {
    try calls.withdraw(operation.publicID, key: operation.key)
    return nil
  }

  /// Returns the outcome of an operation that the registry has carried out.
  func done(_ operation: OutgoingOperation, _ receipt: PublicationReceipt?) -> SendOutcome {
    metrics.success(operation.kind.rawValue)
    guard operation.kind != .unpublish else { return .withdrawn }
    if operation.kind == .publish, let type = operation.contentType { metrics.publication(type.rawValue) }
    guard let receipt else {
      return .published(.init(publicID: operation.publicID, digest: operation.digest ?? ""))
    }
    return .published(.init(receipt))
  }
}

extension Sender {
  /// How long an unanswered request may remain in flight, in seconds.
  private static let lateness = 5.0

  private func advice(_ status: Int, _ operation: OutgoingOperation) -> String? {
    RefusalAdvice.text(
      status, operation.kind, library: library, contentID: operation.claimed.row.contentID)
  }

  /// Determines the outcome of a refusal: some refusals mean that the requested state already exists.
  func resolve(_ refusal: RegistryRefusal, of operation: OutgoingOperation) -> SendOutcome {
    switch (operation.kind, refusal.status) {
    case (.unpublish, 404), (.unpublish, 410):
      if operation.claimed.mayArriveLate { return .again(QueueStore.asksAgain, seconds: Self.lateness) }
      // There is nothing to withdraw: the requested state already exists.
      return done(operation, nil)
    case (.publish, 409), (.publishUpdate, 412): return compare(operation, refusal.detail)
    default:
      let reason = reason(refusal, of: operation)
      metrics.failure(reason.code)
      return .refused(reason)
    }
  }

  /// Asks the registry who owns the item and which version of it is public: an earlier request may have published this
  /// version.
  /// - Parameter detail: the registry's reason for a refusal, reported if the run ends before the answer; nil if
  ///   nothing was refused.
  func compare(_ operation: OutgoingOperation, _ detail: String?) -> SendOutcome {
    var attempt = 0
    while gate.pass() {
      let answer = ask([]) { () throws(RegistryError) in try calls.head(operation.publicID) }
      switch answer {
      case .value(let head):
        gate.answered()
        if let head, head.ownerID.lowercased() == userID.lowercased(), head.digest == operation.digest {
          return done(operation, nil)
        }
        let reason = reason(head, of: operation)
        // The public version may be an earlier version from this library whose answer was lost.
        if operation.kind == .publishUpdate, let head, head.ownerID.lowercased() == userID.lowercased(),
          head.digest != operation.ifMatch
        {
          return .overtaken(digest: head.digest, reason)
        }
        metrics.failure(reason.code)
        return .refused(reason)
      case .error(let error):
        switch weigh(error) {
        case .refusal(let refusal):
          let reason = reason(refusal, of: operation)
          metrics.failure(reason.code)
          return .refused(reason)
        case .pause: continue
        case .over: return .unsent(detail)
        case .unreachable(let reason), .unclear(let reason):
          attempt += 1
          if attempt >= 6 { return .tried(reason) }
          if !rest(attempt) { return .unsent(reason.text) }
        }
      }
    }
    return .unsent(detail)
  }

  /// Returns why an existing item is not the requested version.
  private func reason(_ head: ContentHead?, of operation: OutgoingOperation) -> SendOutcome.Reason {
    let slug = operation.publicID
    if operation.kind == .publish {
      guard let head else {
        return SendOutcome.Reason(
          "slug_taken", "'\(slug)' is taken: content was published under this id and withdrawn (409)",
          advice: advice(409, operation))
      }
      if head.ownerID.lowercased() == userID.lowercased() {
        return SendOutcome.Reason(
          "slug_taken", "'\(slug)' is taken: you published other content under this id (409)",
          advice: advice(409, operation))
      }
      return SendOutcome.Reason(
        "slug_taken", "'\(slug)' is taken: another account published content under this id (409)",
        advice: advice(409, operation))
    }
    guard head != nil else {
      return SendOutcome.Reason(
        "not_found", "the publication '\(slug)' no longer exists (404)", advice: advice(404, operation))
    }
    return SendOutcome.Reason(
      "changed_elsewhere", "'\(slug)' was changed elsewhere since it was last sent from here (412)",
      advice: advice(412, operation))
  }

  /// Returns why the registry refused an operation.
  private func reason(_ refusal: RegistryRefusal, of operation: OutgoingOperation) -> SendOutcome.Reason {
    let slug = operation.publicID
    switch refusal.status {
    case 403:
      return SendOutcome.Reason(
        "forbidden", "\(refusal.detail) (403)",
        advice: refusal.code == "fork_forbidden"
          ? nil : "Sign in as the owner of '\(slug)', or remove it with 'fleetkit queue cancel'.")
    case 404:
      return SendOutcome.Reason(
        "not_found", "there is no publication '\(slug)' (404)",
        advice: advice(404, operation))
    case 413:
      return SendOutcome.Reason(
        "too_large", "the item is too large for the registry (413)", advice: advice(413, operation))
    default:
      let place = refusal.findings.first.map { " at \($0.pointer): \($0.message)" } ?? ""
      return SendOutcome.Reason(
        refusal.status == 422 || refusal.status == 400 ? "invalid" : "refused",
        "\(refusal.detail)\(place) (\(refusal.status))",
        advice: advice(refusal.status, operation))
    }
  }
}
