/// A part of a workbook that can read its plain content without the parser.
protocol PlainPart: PartHandler {
  /// The tag before the plain content.
  static var plainStart: String { get }
  /// The end tag of the element in which the parser waits; nil if the parser waits where the plain content ends, too.
  static var plainEnd: StaticString? { get }

  /// Whether that tag was the last one that the parser read, at the right place.
  var isAtPlain: Bool { get }

  /// Reads complete plain elements from bytes that are followed by a zero.
  /// - Parameter isFirst: whether nothing was read before; the bytes then begin directly after the tag.
  /// - Returns: the offset of the first byte that was not read; whether the bytes end within an element that may be
  ///   plain.
  func takePlain(_ bytes: UnsafePointer<UInt8>, _ count: Int, isFirst: Bool) throws -> (at: Int, isIncomplete: Bool)

  /// Skips the content of the element in which the parser waits, because it was already read.
  func passOver()
}
