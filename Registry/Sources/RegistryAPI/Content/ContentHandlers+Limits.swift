import RegistryModel

extension ContentHandlers {
  /// What a request counts against.
  enum Bucket {
    case share
    case delete
  }

  /// Counts `cost` requests against the caller's limit.
  func charge(_ bucket: Bucket, _ cost: Int, _ context: RegistryContext) async throws {}

  /// Tells the metrics what was published.
  func note(_ results: [OperationResult]) {}
}
