/// Packs bytes and writes them to a file.
protocol PackedOutput: AnyObject {
  /// Adds bytes.
  /// - Throws: `RunFailure` with status 2 if the disk is full.
  func write(_ bytes: UnsafeRawBufferPointer) throws

  /// Packs and writes the remaining bytes; bytes that are added later begin a unit that can be unpacked alone.
  /// - Returns: how many bytes of it the file now holds.
  func finish() throws -> Int
}
