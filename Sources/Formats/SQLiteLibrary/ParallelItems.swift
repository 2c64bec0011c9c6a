import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO

/// Reads items on two threads with a connection each: stretches of ids in turn, given out in order.
///
/// Only for libraries that nobody can change meanwhile: under the shared lock of a rollback journal, or a copy of
/// our own. Memory is bounded by a few batches for each thread.
final class ParallelItems: ItemBatches {
  private enum Piece {
    case batch(RecordBatch)
    /// A stretch is complete; its findings.
    case end(DiagnosticLog)
  }

  private let findings: DiagnosticLog
  private let queues: [BoundedQueue<Piece>]
  private let stretches: Int
  private var current = 0

  /// Items in one stretch.
  static let stretch = 384

  init(
    _ library: LibraryFile, _ layouts: ItemLayouts, ranges: [IDRange], locator: LibraryLocator, findings: DiagnosticLog
  ) throws {
    let workers = 2
    // What can fail comes first: once the queues are there, deinit waits for the threads that end them.
    let connections = try (0..<workers).map { _ throws(SQLiteError) in try library.anotherConnection() }
    self.findings = findings
    stretches = ranges.count
    queues = (0..<workers).map { _ in BoundedQueue<Piece>(capacity: 4) }
    for worker in 0..<workers {
      let queue = queues[worker]
      let connection = connections[worker]
      let schema = library.schema
      let thread = Thread {
        queue.end(
          Result {
            let ids = IDNormalizer(connection: connection, schema: schema)
            for index in stride(from: worker, to: ranges.count, by: workers) {
              let log = DiagnosticLog(keepPerCode: .max)
              let join = try ItemJoin(layouts, connection: connection, range: ranges[index])
              let items = SerialItems(join, ids: ids, locator: locator, findings: log)
              while let batch = try items.next() {
                if !queue.send(.batch(batch)) { return }
              }
              if !queue.send(.end(log)) { return }
            }
          })
      }
      thread.name = "fleetkit.items"
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  deinit { for queue in queues { queue.abandon() } }

  func next() throws -> RecordBatch? {
    while current < stretches {
      switch try queues[current % queues.count].receive() {
      case .batch(let batch)?: return batch
      case .end(let log)?:
        for finding in log.kept { findings.report(finding) }
        current += 1
      case nil: throw RunFailure(.internalError, "a thread that reads items ended early", advice: "Please report this.")
      }
    }
    return nil
  }

  /// Cuts the ids of a table into stretches; empty when the table is too small to be worth it.
  static func ranges(_ table: String, _ connection: SQLiteConnection) throws(SQLiteError) -> [IDRange] {
    let statement = try connection.prepare("SELECT id FROM \(RowCursor.quoted(table)) ORDER BY id")
    var bounds: [[UInt8]] = []
    var count = 0
    while try statement.step() {
      count += 1
      if count % stretch == 0, statement.storage(at: 0) == .text,
        UTF8Check.firstInvalid(in: statement.bytes(at: 0)) == nil
      {
        bounds.append(Array(statement.bytes(at: 0)))
      }
    }
    guard bounds.count >= 4 else { return [] }
    var ranges: [IDRange] = []
    var lower: [UInt8]?
    for bound in bounds {
      ranges.append(IDRange(lower: lower, upper: bound))
      lower = bound
    }
    ranges.append(IDRange(lower: lower, upper: nil))
    return ranges
  }
}
