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

  /// Asks for the registry's id of a fork's original; returns false when there is no answer.
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

  /// Waits before a request is repeated; returns false when nothing more may be sent.
  func rest(_ attempt: Int) -> Bool {
    gate.wait(min(0.2 * Double(1 << min(attempt, 5)), 4) * Double.random(in: 0.75...1.25) * step)
  }
}

extension RegistryRefusal {
  /// Whether the registry did nothing and asks the client to retry later.
  var asksForPause: Bool { status == 429 || status == 503 && retryAfter != nil }
}
