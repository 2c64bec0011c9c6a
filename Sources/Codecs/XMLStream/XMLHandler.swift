/// Receives the contents that an `XMLStreamParser` finds, in order. An error that it throws ends the parsing.
///
/// Names, attributes and text are in the parser's memory and are valid only during the call. Comments and processing
/// instructions are skipped.
package protocol XMLHandler: AnyObject {
  /// An element begins; an empty one ends immediately afterwards.
  func begin(_ name: XMLName, _ attributes: XMLAttributes) throws

  /// An element ends.
  func end(_ name: XMLName) throws

  /// A piece of an element's text in UTF-8. A text arrives in any number of pieces, split between characters.
  func text(_ bytes: UnsafeBufferPointer<UInt8>) throws
}
