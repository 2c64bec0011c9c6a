import FleetKitCore
import Synchronization

/// The tables of a folder: one that cannot be read is reported and rejected, and the others are read.
///
/// A folder none of whose sources can be read is a failure all the same.
final class FolderTables: Sendable {
  private let sources: Int
  private let unread = Mutex(0)

  /// - Parameter sources: how many sources a run has.
  init(sources: Int) { self.sources = sources }

  /// Opens a table.
  /// - Parameter open: makes the reader.
  func reader(
    _ path: String, context: RunContext, _ open: @escaping () throws -> any ContentReader
  ) throws -> any ContentReader {
    do {
      return FolderTableReader(try open(), path, self, context)
    } catch let failure as RunFailure {
      return FolderTableReader(rejecting: try reject(failure, path, context), path, self, context)
    }
  }

  /// Reports why a table cannot be read.
  /// - Returns: a batch that has nothing but the reject.
  /// - Throws: the failure, where it is not the table's, or no source is left that could be read.
  fileprivate func reject(_ failure: RunFailure, _ path: String, _ context: RunContext) throws -> RecordBatch {
    // What the user asked for, a full disk or an interrupted run is nothing that the table did.
    guard [.failed, .refused, .mismatch].contains(failure.status) else { throw failure }
    let count = unread.withLock { unread in
      unread += 1
      return unread
    }
    if count == sources { throw failure }
    let finding =
      failure.finding
      ?? Diagnostic(.tableNotRead, failure.message, at: Place(file: path), fix: failure.advice)
    context.findings.report(finding)
    let batch = RecordBatch(locator: WholeFile(file: path), capacity: 64)
    batch.rejected.append(
      RejectedRecord(
        kind: .item, bytes: Array("null".utf8), place: finding.place.description,
        reasons: [
          RejectReason(code: finding.code.id, message: finding.message, place: finding.place.description)
        ]))
    return batch
  }
}

/// Reads one table of a folder.
private final class FolderTableReader: ContentReader {
  private let path: String
  private let tables: FolderTables
  private let context: RunContext
  private var inner: (any ContentReader)?
  private var rejecting: RecordBatch?
  private var hasBegun = false

  init(_ inner: any ContentReader, _ path: String, _ tables: FolderTables, _ context: RunContext) {
    (self.inner, self.path, self.tables, self.context) = (inner, path, tables, context)
  }

  init(rejecting batch: RecordBatch, _ path: String, _ tables: FolderTables, _ context: RunContext) {
    (rejecting, self.path, self.tables, self.context) = (batch, path, tables, context)
  }

  var progress: (done: Int, total: Int?) { inner?.progress ?? (0, 0) }

  func next() throws -> RecordBatch? {
    if let batch = rejecting {
      rejecting = nil
      return batch
    }
    guard let inner else { return nil }
    do {
      let batch = try inner.next()
      hasBegun = true
      return batch
    } catch let failure as RunFailure {
      // Half of a table is none: what was read of it may be in the library already.
      if hasBegun { throw failure }
      self.inner = nil
      return try tables.reject(failure, path, context)
    }
  }
}

/// Places in a file of which nothing could be read.
private struct WholeFile: RecordLocator {
  let file: String

  func place(of record: Record, at pointer: JSONPointer) -> Place { Place(file: file) }
}
