/// Takes bytes, packs them and writes them to a file.
protocol PackedOutput: AnyObject {
  /// Takes bytes.
  /// - Throws: `RunFailure` with status 2 when the disk is full.
  func write(_ bytes: UnsafeRawBufferPointer) throws

  /// Packs and writes what is left; the next bytes would begin something that can be unpacked alone.
  /// - Returns: how many bytes the file has got of it.
  func finish() throws -> Int
}
