import CXML

/// Translates libxml2's error numbers to FleetKit's messages and positions.
///
/// - Source: libxml2, `xmlParserErrors`
struct XMLErrorCode {
  let number: Int32

  /// Whether the text exceeds a limit.
  var isLimit: Bool { number == FLEETKIT_XML_TOO_MANY_NAMES || number == 110 || number == 114 }

  /// Whether the end of the text is missing, or content follows the last element.
  var isAtEnd: Bool { number == 4 || number == 5 || number == 77 }

  /// Whether a reference names an entity that is not declared.
  var isUndeclaredEntity: Bool { number == 26 || number == 27 }

  /// Returns the offset of the problem.
  /// - Parameters:
  ///   - index: the offset up to which libxml2 has read.
  ///   - item: the offset at which the tag or the piece of text begins.
  func place(in bytes: UnsafeBufferPointer<UInt8>, at index: Int, item: Int) -> Int {
    switch number {
    case 9 where item < index && bytes[item] == 0x26, 26, 27, 64, 200...205: item
    case 42: repeated(in: UnsafeBufferPointer(rebasing: bytes[item..<index])).map { item + $0 } ?? item
    case 76: min(item + 2, bytes.count)  // the name in the end tag
    default: index
    }
  }

  /// Returns the message for the user.
  /// - Parameter isOpen: whether an element is still open.
  func message(in bytes: UnsafeBufferPointer<UInt8>, at index: Int, isOpen: Bool) -> String {
    switch number {
    case _ where isAtEnd && isOpen: "an element has no end tag"
    case _ where isAtEnd && index >= bytes.count: "the text is empty"
    case 4, 5: "only comments can precede the first element or follow the last one"
    case 9: "this character is not allowed in XML"
    case 26, 27: "the entity '\(entity(in: bytes, at: index))' is not declared"
    case 38: "a value contains '<'"
    case 39, 40: "a value is not in quotes"
    case 41: "an attribute has no value"
    case 42: "an attribute occurs twice"
    case 62: "the text of an element contains ']]>'"
    case 76: "an end tag does not match its element"
    case 80: "a comment contains '--'"
    case 200...205: "a prefix or namespace is used incorrectly"
    case FLEETKIT_XML_TOO_MANY_NAMES: "it has more than \(FLEETKIT_XML_NAMES) different element and attribute names"
    case _ where isLimit: "its names are too long"
    default: "it is not well-formed"
    }
  }

  private func entity(in bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> String {
    guard let start = bytes[..<index].lastIndex(of: 0x26) else { return "" }
    let name = bytes[(start + 1)...].prefix(64).prefix { $0 != 0x3B && $0 != 0x3C && $0 > 0x20 }
    return String(decoding: name, as: UTF8.self)
  }

  /// Returns the offset of the first attribute name that repeats an earlier one in a tag.
  private func repeated(in tag: UnsafeBufferPointer<UInt8>) -> Int? {
    var seen: Set<[UInt8]> = []
    return XMLTag.attributes(of: tag).first { !seen.insert(Array(tag[$0.name])).inserted }?.name.lowerBound
  }
}
