import Content

/// What a look at the account's items found.
struct PullFindings {
  /// What can be said of the items so far.
  var report = PullReport()
  /// Items that come into the library.
  var items: [PulledItem] = []
  /// Their records, in the same order.
  var entries: [RegistryImport.Entry] = []
  /// Items that were taken back elsewhere.
  var withdrawals: [PullCompanion.Withdrawal] = []
  /// SHA-256 of what the library says of the items that come into it or were taken back, by their ids; none for those
  /// that it does not have.
  var lines: [String: [UInt8]] = [:]
  /// Items that are the same here and there, of which only the digest or the state is news.
  var news: [PullCompanion.News] = []

  /// SHA-256 of a record.
  static func hash(_ line: [UInt8]) -> [UInt8] { line.withUnsafeBufferPointer { Digest.sha256($0) } }

  /// Whether there is nothing to write.
  var isEmpty: Bool { items.isEmpty && withdrawals.isEmpty && news.isEmpty }
}
