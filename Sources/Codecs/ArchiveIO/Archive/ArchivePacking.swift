/// Puts files into one kind of archive.
///
/// A file is begun, gets its bytes in pieces, and is ended. The head is written last and comes first in the archive;
/// the files that were added before it follow it.
protocol ArchivePacking: AnyObject {
  /// Begins a file of a known size.
  func begin(_ name: String, size: Int) throws
  /// Adds bytes to the current file.
  func add(_ bytes: UnsafeRawBufferPointer) throws
  /// Ends the current file.
  func end() throws
  /// Writes the head files, then all others after them, under the temporary name.
  func complete(head: [(name: String, bytes: [UInt8])]) throws
  /// Renames the archive to the target's name and returns its size in bytes.
  func publish() throws -> Int
  /// Removes everything that was written.
  func discard()
}
