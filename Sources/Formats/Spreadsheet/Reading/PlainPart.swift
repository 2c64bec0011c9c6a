/// A workbook part that can read its plain content without the parser.
protocol PlainPart: PartHandler {
  /// The tag before the plain content.
  static var plainStart: String { get }
  /// The end tag of the element in which the parser waits; nil if the parser waits at the position where the plain
  /// content ends.
  static var plainEnd: StaticString? { get }

  /// Whether the last tag that the parser read was `plainStart`, in the right position.
  var isAtPlain: Bool { get }

  /// Reads complete plain elements from bytes that are followed by a zero.
  /// - Parameter isFirst: whether this is the first call. The bytes then begin directly after the tag.
  /// - Returns: the offset of the first byte that was not read, and whether the bytes end inside an element that may be
  ///   plain.
  func takePlain(_ bytes: UnsafePointer<UInt8>, _ count: Int, isFirst: Bool) throws -> (at: Int, isIncomplete: Bool)

  /// Skips the content of the element in which the parser waits, because it was already read.
  func passOver()
}
