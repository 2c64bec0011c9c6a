/// Takes what an `XMLStreamParser` finds, in order. What it throws ends the parsing.
///
/// Names, attributes and text lie in the parser's memory and are gone when the call returns. Comments and processing
/// instructions are passed over.
package protocol XMLHandler: AnyObject {
  /// An element begins; an empty one ends at once.
  func begin(_ name: XMLName, _ attributes: XMLAttributes) throws

  /// An element ends.
  func end(_ name: XMLName) throws

  /// A piece of an element's text in UTF-8; a text comes in any number of pieces, cut between characters.
  func text(_ bytes: UnsafeBufferPointer<UInt8>) throws
}
