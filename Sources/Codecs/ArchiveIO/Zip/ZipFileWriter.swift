import Interchange

/// Writes a ZIP archive for formats that are ZIP files: files of unknown sizes, one behind the other, and a head that is
/// known last and stands first.
///
/// The same content gives the same bytes: all times are the first that ZIP knows.
package final class ZipFileWriter {
  /// 1980-01-01, the first moment that ZIP can say.
  private static let time: Int64 = 315_532_800

  private let packing: ZipPacking

  /// Begins an archive that gets its name in the end.
  /// - Parameter level: how hard zlib tries, 1 to 9.
  /// - Throws: `RunFailure` when the target cannot be written.
  package init(_ target: Target, level: Int) throws {
    packing = try ZipPacking(
      AtomicFile(target), time: Self.time, level: level)
  }

  /// Begins a file.
  package func begin(_ name: String) throws { try packing.begin(name) }

  /// Adds bytes to it.
  package func add(_ bytes: UnsafeRawBufferPointer) throws { try packing.add(bytes) }

  /// Ends it.
  package func end() throws { try packing.end() }

  /// Writes the files that stand first, and all others behind them, under the temporary name.
  package func complete(head: [(name: String, bytes: [UInt8])]) throws { try packing.complete(head: head) }

  /// Gives the archive its name and answers how many bytes it has.
  package func publish() throws -> Int { try packing.publish() }

  /// Removes what was written.
  package func discard() { packing.discard() }
}
