import RegistryModel

extension ContentHandlers {
  /// Counts `cost` requests against the caller's limit.
  /// - Throws: 429 when there is none left.
  func charge(_ kind: RateLimitKind, _ cost: Int, _ context: RegistryContext) throws {
    try registry.limiter.charge(kind, cost: cost, context)
  }

  /// Tells the metrics what was published.
  func note(_ results: [OperationResult]) { registry.metrics.count(results) }
}
