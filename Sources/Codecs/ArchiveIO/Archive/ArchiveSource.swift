/// An entry as the archive describes it, before any check.
struct RawEntry {
  /// The kind of an entry.
  enum Kind {
    case file
    case folder
    /// An entry of any other kind, which is rejected. The value describes the kind.
    case other(String)
  }

  /// The name as bytes.
  var name: [UInt8]
  /// The kind of the entry.
  var kind: Kind
  /// The size in bytes.
  var size: Int
}

/// Reads the entries of one kind of archive in order.
protocol ArchiveSource: AnyObject {
  /// Returns the next entry, or nil after a complete archive.
  /// - Throws: `RunFailure` with status 5 if the archive is damaged, 2 if it is rejected.
  func next() throws -> RawEntry?
  /// Passes the content of the current entry to `take`.
  func read(_ take: (UnsafeRawBufferPointer) throws -> Void) throws
  /// The names of all entries if they are known from the start; otherwise empty.
  var knownNames: [[UInt8]] { get }
  /// The number of bytes that were read, and the total.
  var progress: (done: Int, total: Int?) { get }
}

extension ArchiveSource {
  var knownNames: [[UInt8]] { [] }
}
