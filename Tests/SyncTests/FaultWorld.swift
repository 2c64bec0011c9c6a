import Content
import FleetKit
import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary
import TestSupport
import Testing

/// A library whose owner publishes, changes and withdraws items at random, and the expected result.
final class FaultWorld {
  let scratch = Scratch()
  var items: [FaultItem]
  /// The number of requested operations that were queued, or that removed another operation from the queue.
  private(set) var operations = 0
  /// The latest state of every row that was ever seen in the queue.
  private(set) var rows: [String: Row] = [:]
  /// The slugs of publications that were withdrawn before they were ever sent.
  private(set) var neverSent: Set<String> = []
  private var random: SeededRandom
  private let library: SQLiteConnection
  private let beside: SQLiteConnection

  /// A row of the queue.
  struct Row {
    let contentID: String
    let operation: String
    let payload: String
    let isSent: Bool
    let tries: Int
    let error: String
    let slug: String
  }

  var path: String { scratch["l.sqlite"] }

  init(items count: Int, seed: UInt64) throws {
    random = SeededRandom(seed: seed)
    items = (0..<count).map(FaultItem.init)
    let bundle = try scratch.write(
      "b.jsonl",
      "{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1,\"min_reader\":1}\n"
        + items.map(\.line).joined())
    let answer = try Shell.fleetkit("import", bundle, "--into", scratch["l.sqlite"], "--create", "-q")
    guard answer.status == 0 else { throw LocalRegistry.Failure(description: answer.errors) }
    library = try SQLiteConnection(scratch["l.sqlite"], .write, .foreign, busyTimeout: 30_000)
    beside = try SQLiteConnection(scratch["l.sqlite"] + ".fleetkit/state.sqlite", .write, .foreign, busyTimeout: 30_000)
    for item in items {
      guard let parent = item.parent else { continue }
      _ = try library.rows(
        "UPDATE library_content SET forkedFromID = ? WHERE id = ?", [FaultItem.id(parent), item.id])
    }
  }

  // MARK: The owner's actions

  /// Requests at least `count` operations.
  func ask(_ count: Int) throws {
    let before = operations
    while operations < before + count {
      // Only a few items are chosen at a time, and often repeatedly, so that queued items are changed and withdrawn
      // before they are sent.
      var chosen: Set<Int> = []
      for _ in 0..<min(40, count) { chosen.insert(random.below(items.count)) }
      try ask(of: chosen)
    }
    try look()
  }

  /// Requests one operation for each of these items, and for originals that have to be published first.
  func ask(of chosen: Set<Int>) throws {
    var publish: Set<Int> = []
    var update: Set<Int> = []
    var withdraw: Set<Int> = []
    for number in chosen {
      let item = items[number]
      if item.published == nil {
        if let parent = item.parent, items[parent].published == nil { publish.insert(parent) }
        publish.insert(number)
      } else if item.isParent || random.below(100) < 60 {
        update.insert(number)
      } else {
        withdraw.insert(number)
      }
    }
    try edit(update.union(publish.filter { _ in random.below(2) == 0 }))
    try enqueue(.publish(), publish)
    try enqueue(.update(), update.subtracting(publish))
    try enqueue(.unpublish, withdraw)
  }

  private func edit(_ numbers: Set<Int>) throws {
    for number in numbers.sorted() { try items[number].edit(library, beside) }
  }

  private func enqueue(_ request: EnqueueRequest, _ numbers: Set<Int>) throws {
    guard !numbers.isEmpty else { return }
    try look()
    let ids = Set(numbers.map { FaultItem.id($0) })
    let report = try patiently {
      try LibraryPublishing(path, request).run(
        now: Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)), ids: ids)
    }
    #expect(report.entries.count == numbers.count && report.refused == 0, "\(report.findings.prefix(3))")
    for entry in report.entries {
      guard let number = Int(entry.id.suffix(12)) else { continue }
      switch entry.outcome {
      case .cancelled:
        if let slug = entry.publicID { neverSent.insert(slug) }
        items[number].published = nil
        operations += 1
      case .queued("unpublish"):
        items[number].published = nil
        operations += 1
      case .queued:
        items[number].published = items[number].revision
        operations += 1
      // The item's first publication has failed after all its tries. A change of the content is queued only after the
      // publication has been sent.
      case .skipped(.publicationFailed, _): break
      default: Issue.record("\(entry)")
      }
    }
    try look()
  }

  /// Tries again, as a user would, while other processes briefly lock the library.
  private func patiently<Result>(_ body: () throws -> Result) throws -> Result {
    for _ in 0..<600 {
      do {
        return try body()
      } catch let failure as RunFailure where failure.status == .locked {
        usleep(100_000)
      }
    }
    return try body()
  }

  // MARK: The queue

  /// Records the rows of the queues.
  func look() throws { rows.merge(try current()) { $1 } }

  /// Returns the current rows of the queues.
  func current() throws -> [String: Row] {
    var found: [String: Row] = [:]
    for (connection, prefix) in [(library, ""), (beside, "d")] {
      for row in try connection.rows(
        """
        SELECT id, contentID, operation, payload, syncedAt IS NOT NULL, retryCount, lastError,
        json_extract(payload, '$.public_id') FROM sync_queue
        """)
      {
        found[prefix + (row[0] ?? "")] = Row(
          contentID: row[1] ?? "", operation: row[2] ?? "", payload: row[3] ?? "", isSent: row[4] == "1",
          tries: Int(row[5] ?? "") ?? 0, error: row[6] ?? "", slug: row[7] ?? "")
      }
    }
    return found
  }

  /// Returns the rows that are not sent yet, and the failed rows that no later row has replaced.
  func open() throws -> [Row] {
    let all = try current()
    return all.filter { name, row in
      guard !row.isSent else { return false }
      return row.tries < 3
        || !all.contains { other, later in
          later.isSent && later.contentID == row.contentID && later.slug == row.slug
            && (later.operation == "unpublish" || Self.number(other) > Self.number(name))
        }
    }.map(\.value)
  }

  static func number(_ name: String) -> Int { Int(name.filter(\.isNumber)) ?? 0 }

  /// Returns the item's publication columns.
  func envelope(_ item: FaultItem) throws -> (visibility: String, status: String, publicID: String?) {
    if item.kind == .deck {
      let line = try beside.rows(
        """
        SELECT json_extract(CAST(line AS TEXT), '$.visibility'), json_extract(CAST(line AS TEXT), '$.sync_status'),
        json_extract(CAST(line AS TEXT), '$.public_id') FROM records WHERE kind = 'item' AND id = ?
        """, [item.id]
      ).first
      return (line?[0] ?? "private", line?[1] ?? "pending", line?[2])
    }
    let row = try library.rows(
      "SELECT visibility, syncStatus, publicID FROM library_content WHERE id = ?", [item.id]
    ).first
    return (row?[0] ?? "", row?[1] ?? "", row?[2])
  }
}
