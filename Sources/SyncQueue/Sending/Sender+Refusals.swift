import RegistryClient

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
