import Content
import Interchange
import JSONText

/// One sorted run of canonical lines on disk.
final class LineRun {
  private let spool: LineSpool
  private var kind = RecordKind("")

  init() throws { spool = try LineSpool() }

  func append(_ line: UnsafeBufferPointer<UInt8>) throws { try spool.append(line) }

  func rewind() throws { try spool.rewind() }

  /// Moves to the next line; nil at the end.
  func advance() throws -> BundleKey? {
    guard try spool.advance() else { return nil }
    kind = RecordLine.kind(of: spool.line) ?? RecordKind("")
    return BundleKey(kind: kind, line: spool.line)
  }

  func withLine(_ body: (UnsafeBufferPointer<UInt8>, RecordKind) throws -> Void) throws {
    try body(spool.line, kind)
  }
}
