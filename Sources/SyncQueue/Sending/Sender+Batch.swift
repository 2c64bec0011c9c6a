import RegistryClient

extension Sender {
  /// The number of attempts to send a batch under the same key before the batch is split.
  private static let batchAttempts = 4

  /// Sends operations together. A batch that keeps failing is split, so that a single operation cannot hold up the
  /// others.
  func sendBatch(_ operations: [OutgoingOperation], into report: inout Report) {
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
