import Interchange

/// Writes a ZIP archive for formats that are ZIP files: files of unknown sizes, one after the other, and a head that
/// is written last and comes first.
///
/// The same content gives the same bytes: all times are the earliest that ZIP can represent.
package final class ZipFileWriter {
  /// 1980-01-01, the earliest moment that ZIP can represent.
  private static let time: Int64 = 315_532_800

  private let packing: ZipPacking

  /// Begins an archive, which gets its name at the end.
  /// - Parameter level: zlib's compression level, 1 to 9.
  /// - Throws: `RunFailure` if the target cannot be written.
  package init(_ target: Target, level: Int) throws {
    packing = try ZipPacking(
      AtomicFile(target), time: Self.time, level: level)
  }

  /// Begins a file.
  package func begin(_ name: String) throws { try packing.begin(name) }

  /// Adds bytes to the current file.
  package func add(_ bytes: UnsafeRawBufferPointer) throws { try packing.add(bytes) }

  /// Ends the current file.
  package func end() throws { try packing.end() }

  /// Writes the head files, then all others after them, under the temporary name.
  package func complete(head: [(name: String, bytes: [UInt8])]) throws { try packing.complete(head: head) }

  /// Renames the archive to the target's name and returns its size in bytes.
  package func publish() throws -> Int { try packing.publish() }

  /// Removes everything that was written.
  package func discard() { packing.discard() }
}
