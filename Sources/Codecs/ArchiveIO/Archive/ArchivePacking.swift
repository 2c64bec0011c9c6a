/// How a writer puts files into one kind of archive.
///
/// A file is begun, gets its bytes in pieces, and is ended. What is added first stands behind the head, which is known
/// last and stands first.
protocol ArchivePacking: AnyObject {
  /// Begins a file whose size is known.
  func begin(_ name: String, size: Int) throws
  /// Adds bytes to it.
  func add(_ bytes: UnsafeRawBufferPointer) throws
  /// Ends it.
  func end() throws
  /// Writes the files that stand first, and all others behind them, under the temporary name.
  func complete(head: [(name: String, bytes: [UInt8])]) throws
  /// Gives everything its name and answers how many bytes it has.
  func publish() throws -> Int
  /// Removes what was written.
  func discard()
}
