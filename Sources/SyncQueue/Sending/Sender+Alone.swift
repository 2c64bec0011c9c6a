import RegistryClient

extension Sender {
  /// How often a request whose connection broke is repeated immediately before a try is used up.
  private static let repetitions = 2
  /// The number of attempts without reaching the registry after which the run ends.
  static let mostUnreachable = 5

  /// Sends a single operation.
  func sendAlone(_ operation: OutgoingOperation) -> SendOutcome {
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
