import Interchange

/// Packs bytes as gzip members without a name or time.
final class GzipOutput: PackedOutput {
  private let name: String
  private let deflater: Deflater
  /// Whether a member has begun.
  private var isOpen = false
  private var taken = 0

  /// Creates an output that writes to an open file. `name` is used in messages.
  init(descriptor: Int32, name: String, level: Int) {
    self.name = name
    deflater = Deflater(descriptor, name: name, level: level, .gzip)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    try Interruption.check()
    if !isOpen { try deflater.begin() }
    isOpen = true
    try deflater.add(bytes)
    taken += bytes.count
    try CompressionRatioGuard.check(taken, packed: deflater.written, of: name)
  }

  func finish() throws -> Int {
    guard isOpen else { return 0 }
    try deflater.end()
    isOpen = false
    return deflater.written
  }
}
