/// Receives the content that an `XMLStreamParser` finds, in order. Parsing ends if the handler throws an error.
///
/// Names, attributes and text are in the parser's memory and are valid only during the call. The parser skips comments
/// and processing instructions.
package protocol XMLHandler: AnyObject {
  /// Handles the beginning of an element. An empty element ends immediately afterwards.
  func begin(_ name: XMLName, _ attributes: XMLAttributes) throws

  /// Handles the end of an element.
  func end(_ name: XMLName) throws

  /// Handles a piece of an element's text, in UTF-8. A text arrives in any number of pieces, which are split between
  /// characters.
  func text(_ bytes: UnsafeBufferPointer<UInt8>) throws
}
