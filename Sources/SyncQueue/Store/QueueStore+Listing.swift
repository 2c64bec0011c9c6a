import Content

extension QueueStore {
  /// Returns the first waiting rows, with reasons.
  /// - Parameter known: reasons that are already known.
  func waiting(_ known: [OperationID: SyncReport.Operation]) throws -> [SyncReport.Operation] {
    try read {
      var found: [SyncReport.Operation] = []
      let now = Self.now
      for table in tables {
        let rows = try table.unsent(isLive: true, after: .init(), limit: SyncReport.listed - found.count)
        for var row in rows {
          row.title = try envelopes(table.place)?.look(row.contentID)?.title
          if let entry = known[row.id] {
            found.append(entry)
            continue
          }
          var reason = row.lastError
          if let next = row.nextRetryAt, next > now { reason = "next try at \(next) UTC: \(row.lastError ?? "")" }
          found.append(SyncReport.Operation(row, reason: reason))
        }
      }
      return found
    }
  }

  /// Returns one page of rows in their order, with titles and without payloads.
  /// - Parameters:
  ///   - all: whether to include sent rows.
  ///   - after: the last row of the previous page; nil for the first page.
  package func page(
    _ place: QueuePlace, all: Bool, after: QueueEntry?, limit: Int
  ) throws -> [QueueEntry] {
    guard let table = table(place) else { return [] }
    return try read(table) {
      let start = after.map { QueueTable.Position(createdAt: $0.createdAt, number: $0.id.number) } ?? .init()
      let rows =
        try all
        ? table.rows(after: start.number, limit: limit) : table.unsent(isLive: false, after: start, limit: limit)
      return try rows.map { row in
        var row = row
        row.title = try envelopes(place)?.title(of: row.contentID)
        return row
      }
    }
  }

  /// Returns one row with its payload; nil when it does not exist.
  package func operation(_ id: OperationID) throws -> QueueEntry? {
    try read {
      guard let table = table(id.place), var row = try table.row(id.number) else { return nil }
      row.title = try envelopes(id.place)?.look(row.contentID)?.title
      return row
    }
  }
}
