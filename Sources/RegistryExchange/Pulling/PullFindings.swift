import Content

/// The result of comparing the account's items with the library.
struct PullFindings {
  /// The report on the items compared so far.
  var report = PullReport()
  /// The items to write to the library.
  var items: [PulledItem] = []
  /// The records of `items`, in the same order.
  var entries: [RegistryImport.Entry] = []
  /// The items that were withdrawn elsewhere.
  var withdrawals: [PullParticipant.Withdrawal] = []
  /// The SHA-256 of the library's records of items that are written or were withdrawn, by item id; items that the
  /// library does not have are missing.
  var lines: [String: [UInt8]] = [:]
  /// The items that are equal on both sides and of which only the digest or the state is new.
  var news: [PullParticipant.News] = []

  /// Returns the SHA-256 of a record.
  static func hash(_ line: [UInt8]) -> [UInt8] { line.withUnsafeBufferPointer { Digest.sha256($0) } }

  /// Whether there is nothing to write.
  var isEmpty: Bool { items.isEmpty && withdrawals.isEmpty && news.isEmpty }
}
