import Content

/// Goes through both queues page by page, in the order in which rows were queued.
struct QueueScan {
  private let store: QueueStore
  private var pages: [[QueueTable.Candidate]]
  private var positions: [QueueTable.Position]
  private var isDone: [Bool]
  private let now: String

  /// The number of rows read per page.
  private static let page = 1000

  init(_ store: QueueStore) {
    self.store = store
    pages = store.tables.map { _ in [] }
    positions = store.tables.map { _ in QueueTable.Position() }
    isDone = store.tables.map { _ in false }
    now = QueueStore.now
  }

  /// Returns the next row that may be sent; nil at the end of both queues.
  mutating func next() throws -> QueueTable.Candidate? {
    for index in pages.indices where pages[index].isEmpty && !isDone[index] {
      let found = try store.read {
        try store.tables[index].candidates(after: positions[index], now: now, limit: Self.page)
      }
      isDone[index] = found.count < Self.page
      if let last = found.last { positions[index] = last.position }
      pages[index] = found.reversed()
    }
    let first = pages.indices.filter { !pages[$0].isEmpty }.min {
      (pages[$0].last?.position ?? .init()) < (pages[$1].last?.position ?? .init())
    }
    guard let first else { return nil }
    return pages[first].removeLast()
  }
}
