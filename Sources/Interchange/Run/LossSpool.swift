import Content
import JSONText

/// Every loss of a run on disk, for those who need more than the first ones.
///
/// Used under the lock of its log, or by the one who took it out of there.
final class LossSpool: @unchecked Sendable {
  private let lines: LineSpool
  private var line = ByteBuffer(capacity: 256)
  private var failure: (any Error)?

  init() throws { lines = try LineSpool() }

  /// Adds one; a disk that is full is said by `forEach`.
  func add(_ kind: RecordKind, _ id: String, _ field: String, _ reason: String) {
    guard failure == nil else { return }
    line.removeAll()
    line.append("[")
    line.appendJSONString(kind.name)
    for text in [id, field, reason] {
      line.append(",")
      line.appendJSONString(text)
    }
    line.append("]")
    do { try lines.append(line.bytes) } catch { failure = error }
  }

  /// Hands out all of them in the order of their arrival.
  /// - Throws: `RunFailure` when one of them could not be kept.
  func forEach(_ body: (Loss) throws -> Void) throws {
    if let failure { throw failure }
    try lines.rewind()
    while try lines.advance() {
      let fields = try JSONDocument(parsing: lines.line).root.elements.map { $0.string ?? "" }
      guard fields.count == 4 else {
        throw RunFailure(.internalError, "a loss is not what was kept", advice: "Please report this.")
      }
      try body(Loss(kind: RecordKind(fields[0]), id: fields[1], field: fields[2], reason: fields[3]))
    }
  }
}
