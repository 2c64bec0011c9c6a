/// A part of a workbook that can take what it has plain, without the parser.
protocol PlainPart: PartHandler {
  /// The tag that what is plain follows.
  static var plainStart: String { get }
  /// What ends the element in which the parser waits; nil when it waits where what is plain ends as well.
  static var plainEnd: StaticString? { get }

  /// Whether the parser has read that tag last, at its place.
  var isAtPlain: Bool { get }

  /// Takes what is plain and whole from bytes that a zero stands behind.
  /// - Parameter isFirst: whether nothing was taken yet; the bytes begin right behind the tag then.
  /// - Returns: where what it did not take begins; whether the bytes end within something that may be plain.
  func takePlain(_ bytes: UnsafePointer<UInt8>, _ count: Int, isFirst: Bool) throws -> (at: Int, isIncomplete: Bool)

  /// Leaves out what the element in which the parser waits says: it was taken already.
  func passOver()
}
