import RegistryModel

extension ContentHandlers {
  /// Counts `cost` requests against the caller's limit.
  /// - Throws: `Problem` 429 when the limit is used up.
  func charge(_ kind: RateLimitKind, _ cost: Int, _ context: RegistryContext) throws {
    try registry.limiter.charge(kind, cost: cost, context)
  }

  /// Counts publications in the metrics.
  func note(_ results: [OperationResult]) { registry.metrics.count(results) }
}
