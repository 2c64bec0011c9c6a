import Content

/// The result of comparing the account's items with the library.
struct PullFindings {
  /// The report on the items so far.
  var report = PullReport()
  /// Items to write to the library.
  var items: [PulledItem] = []
  /// Their records, in the same order.
  var entries: [RegistryImport.Entry] = []
  /// Items that were withdrawn elsewhere.
  var withdrawals: [PullParticipant.Withdrawal] = []
  /// SHA-256 of the library's records of items that are written or were withdrawn, by their ids; none for items that it
  /// does not have.
  var lines: [String: [UInt8]] = [:]
  /// Items that are equal on both sides, of which only the digest or the state is new.
  var news: [PullParticipant.News] = []

  /// SHA-256 of a record.
  static func hash(_ line: [UInt8]) -> [UInt8] { line.withUnsafeBufferPointer { Digest.sha256($0) } }

  /// Whether there is nothing to write.
  var isEmpty: Bool { items.isEmpty && withdrawals.isEmpty && news.isEmpty }
}
