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
  /// Items that are the same here and there, of which only the digest or the state is news.
  var news: [PullCompanion.News] = []

  /// Whether there is nothing to write.
  var isEmpty: Bool { items.isEmpty && withdrawals.isEmpty && news.isEmpty }
}
