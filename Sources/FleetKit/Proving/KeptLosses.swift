import FleetKitCore
import Interchange
import JSONText

/// Every loss of a run, and every record that it rejected, on disk: a log keeps the first ones of each reason only.
///
/// Fed under the lock of the log, or by the thread that writes; read once, when the run is over.
public final class KeptLosses: @unchecked Sendable {
  private let lines: LineSpool
  private var line = ByteBuffer(capacity: 256)
  private var failure: (any Error)?
  /// How many losses there are; rejected records are none.
  public private(set) var count = 0

  /// Makes an empty list.
  /// - Throws: `RunFailure` when the folder for temporary files cannot be written.
  public init() throws { lines = try LineSpool() }

  /// Keeps every loss of a log from now on.
  public convenience init(of log: LossLog) throws {
    try self.init()
    log.observe { [self] loss in
      count += 1
      add(loss.kind, loss.id, loss.field)
    }
  }

  /// Keeps that a record was rejected. Not while losses come in on another thread.
  func addRejected(_ kind: RecordKind, _ id: String) { add(kind, id, "") }

  private func add(_ kind: RecordKind, _ id: String, _ field: String) {
    guard failure == nil else { return }
    line.removeAll()
    line.append("[")
    line.appendJSONString(kind.name)
    for text in [id, field] {
      line.append(",")
      line.appendJSONString(text)
    }
    line.append("]")
    // A disk that is full is said when the list is read.
    do { try lines.append(line.bytes) } catch { failure = error }
  }

  /// Hands out all of them in the order of their arrival, as `["item","ID","/field"]`.
  /// - Throws: `RunFailure` when one of them could not be kept.
  func forEach(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
    if let failure { throw failure }
    try lines.rewind()
    while try lines.advance() { try body(lines.line) }
  }
}
