import Content

/// A format whose files may lie inside something larger.
///
/// A format that wraps others takes them from the registry by this, and never imports them.
public protocol MemberFormat: Format {
  /// Opens files of this format that lie in a source of another one.
  ///
  /// Findings and places name each file as `MemberSource.shown` does. A file that cannot be used is reported and
  /// rejected; the others are read all the same.
  /// - Throws: `RunFailure` when they cannot be read.
  func reader(of members: any MemberSource, context: RunContext) throws -> any ContentReader

  /// What writes single items as files of this format.
  func itemWriter() -> any ItemTextWriter
}

/// Writes single items as the text of a file.
public protocol ItemTextWriter: Sendable {
  /// The text of an item.
  /// - Parameter path: where the file will stand in what it lies in.
  /// - Returns: nil when the format cannot say the item without losing something.
  func text(of item: Record, at path: String) -> [UInt8]?
}

extension MemberFormat {
  /// A format that writes no items.
  public func itemWriter() -> any ItemTextWriter { NoItems() }
}

/// Says of no item how it would be written.
private struct NoItems: ItemTextWriter {
  func text(of item: Record, at path: String) -> [UInt8]? { nil }
}
