/// An entry as the archive describes it, before any of it was checked.
struct RawEntry {
  /// The kind of an entry.
  enum Kind {
    case file
    case folder
    /// Something that is refused; the value describes it.
    case other(String)
  }

  /// Its name as bytes.
  var name: [UInt8]
  /// Its kind.
  var kind: Kind
  /// Its size in bytes.
  var size: Int
}

/// The entries of one kind of archive in their order.
protocol ArchiveSource: AnyObject {
  /// Returns the next entry; nil if the archive has ended properly.
  /// - Throws: `RunFailure` with status 5 if it is damaged, 2 if it is refused.
  func next() throws -> RawEntry?
  /// Passes the content of the current entry to `take`.
  func read(_ take: (UnsafeRawBufferPointer) throws -> Void) throws
  /// The names of all entries if they are known from the start; otherwise empty.
  var knownNames: [[UInt8]] { get }
  /// The bytes that were read, and the total.
  var progress: (done: Int, total: Int?) { get }
}

extension ArchiveSource {
  var knownNames: [[UInt8]] { [] }
}
