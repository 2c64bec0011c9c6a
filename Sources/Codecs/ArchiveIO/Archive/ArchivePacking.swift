/// Packs files into one kind of archive.
///
/// For each file, call `begin`, then `add` for each piece of its content, then `end`. The head files are written last
/// but come first in the archive, before the files that were added earlier.
protocol ArchivePacking: AnyObject {
  /// Begins a file of a known size.
  func begin(_ name: String, size: Int) throws
  /// Adds bytes to the current file.
  func add(_ bytes: UnsafeRawBufferPointer) throws
  /// Ends the current file.
  func end() throws
  /// Writes the head files, followed by all other files, under the temporary name.
  func complete(head: [(name: String, bytes: [UInt8])]) throws
  /// Renames the archive to the target's name and returns its size in bytes.
  func publish() throws -> Int
  /// Removes all files that were written.
  func discard()
}
