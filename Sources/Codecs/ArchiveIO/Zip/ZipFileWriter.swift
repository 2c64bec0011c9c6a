import Interchange

/// Writes a ZIP archive for formats that are ZIP files. Files of unknown sizes are written one by one; the head files
/// are written last but come first in the archive.
///
/// The same content gives the same bytes, because all times are the earliest time that ZIP can represent.
package final class ZipFileWriter {
  /// 1980-01-01, the earliest time that ZIP can represent.
  private static let time: Int64 = 315_532_800

  private let packing: ZipPacking

  /// Begins an archive, which gets its name only when it is complete.
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

  /// Writes the head files, followed by all other files, under the temporary name.
  package func complete(head: [(name: String, bytes: [UInt8])]) throws { try packing.complete(head: head) }

  /// Renames the archive to the target's name and returns its size in bytes.
  package func publish() throws -> Int { try packing.publish() }

  /// Removes all files that were written.
  package func discard() { packing.discard() }
}
