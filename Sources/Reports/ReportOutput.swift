import JSONText

/// Collects a report's text and hands it to the sink in larger pieces.
final class ReportOutput {
  private let sink: ReportSink
  private let flushEvery: Int
  private var buffer = ByteBuffer(capacity: 1 << 12)

  init(_ options: ReportOptions, to sink: @escaping ReportSink) {
    self.sink = sink
    flushEvery = options.flushEvery
  }

  /// Takes text.
  func write(_ text: String) throws {
    buffer.append(utf8: text)
    if buffer.count >= flushEvery { try flush() }
  }

  /// Takes bytes that are UTF-8.
  func write(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    buffer.append(bytes)
    if buffer.count >= flushEvery { try flush() }
  }

  /// Hands over what is left.
  func flush() throws {
    guard buffer.count > 0 else { return }
    // What the sink refused is not offered again.
    defer { buffer.removeAll() }
    try sink(buffer.bytes)
  }
}
