/// An entry as an archive names it, before anything about it is believed.
struct RawEntry {
  /// What an entry is.
  enum Kind {
    case file
    case folder
    /// Something that is refused, with what it is.
    case other(String)
  }

  /// Its name, as bytes.
  var name: [UInt8]
  /// What it is.
  var kind: Kind
  /// How many bytes it has.
  var size: Int
}

/// The entries of one kind of archive in their order.
protocol ArchiveSource: AnyObject {
  /// The next entry; nil when the archive has ended as it should.
  /// - Throws: `RunFailure`: 5 when it is damaged, 2 when it is refused.
  func next() throws -> RawEntry?
  /// Hands out the content of the current entry.
  func read(_ take: (UnsafeRawBufferPointer) throws -> Void) throws
  /// The names of all entries where they are known from the start; else none.
  var knownNames: [[UInt8]] { get }
  /// Bytes read, and in all.
  var progress: (done: Int, total: Int?) { get }
}

extension ArchiveSource {
  var knownNames: [[UInt8]] { [] }
}
