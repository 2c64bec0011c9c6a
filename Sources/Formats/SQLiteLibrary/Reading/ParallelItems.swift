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
  private let pieces: OrderedMap<Piece>

  /// Items in one stretch.
  static let stretch = 384

  init(
    _ library: LibraryFile, _ layouts: ItemLayouts, ranges: [IDRange], locator: LibraryLocator, findings: DiagnosticLog
  ) throws {
    let threads = 2
    let connections = try (0..<threads).map { _ throws(SQLiteError) in try library.anotherConnection() }
    if layouts.areInOrder {
      for connection in connections { try connection.execute(IntegrityCheck.smallCache) }
    }
    self.findings = findings
    let schema = library.schema
    pieces = OrderedMap(ranges, threads: threads, ahead: 2, capacity: 4) { thread in
      let connection = connections[thread]
      let ids = IDNormalizer(connection: connection, schema: schema)
      var items: (rows: SerialItems, join: ItemJoin)?
      return { range, pieces in
        if let items {
          try items.join.restart(range)
        } else {
          let join = try ItemJoin(layouts, connection: connection, range: range)
          items = (SerialItems(join, ids: ids, locator: locator, findings: findings), join)
        }
        guard let rows = items?.rows else { return }
        let log = DiagnosticLog(keepPerCode: .max)
        rows.findings = log
        while let batch = try rows.next() {
          if !pieces.send(.batch(batch)) { return }
        }
        _ = pieces.send(.end(log))
      }
    }
  }

  func next() throws -> RecordBatch? {
    while let piece = try pieces.next() {
      switch piece {
      case .batch(let batch): return batch
      case .end(let log): for finding in log.kept { findings.report(finding) }
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
