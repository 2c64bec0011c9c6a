/// Packs bytes and writes them to a file.
protocol PackedOutput: AnyObject {
  /// Adds bytes.
  /// - Throws: `RunFailure` with status 2 if the disk is full.
  func write(_ bytes: UnsafeRawBufferPointer) throws

  /// Packs and writes the remaining bytes. Bytes that are added later begin a new unit that can be unpacked
  /// independently.
  /// - Returns: the number of bytes that this output has written to the file.
  func finish() throws -> Int
}
