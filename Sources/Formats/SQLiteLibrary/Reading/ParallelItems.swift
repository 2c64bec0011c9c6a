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
    if layouts.areInOrder {
      for connection in connections { try connection.execute(IntegrityCheck.smallCache) }
    }
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
            guard worker < ranges.count else { return }
            let join = try ItemJoin(layouts, connection: connection, range: ranges[worker])
            let items = SerialItems(join, ids: ids, locator: locator, findings: findings)
            for index in stride(from: worker, to: ranges.count, by: workers) {
              let log = DiagnosticLog(keepPerCode: .max)
              items.findings = log
              if index > worker { try join.restart(ranges[index]) }
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

  /// The stretches between marks; none when the table is too small to be worth it.
  static func ranges(_ marks: [[UInt8]]) -> [IDRange] {
    guard marks.count >= 4 else { return [] }
    var ranges: [IDRange] = []
    var lower: [UInt8]?
    for mark in marks {
      ranges.append(IDRange(lower: lower, upper: mark))
      lower = mark
    }
    ranges.append(IDRange(lower: lower, upper: nil))
    return ranges
  }
}
