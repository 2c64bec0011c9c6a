import JSONText

/// Reads a note as the reader of its vault would, so that a writer can see what it has written.
protocol NoteCheck: Sendable {
  /// The canonical line of the item that a note says; nil when it says none.
  /// - Parameters:
  ///   - text: the bytes of the file, a byte order mark included.
  ///   - path: the note's path in its vault, from which ids are derived that the note does not say.
  ///   - supplement: what it does not say; nil for what its vault knows. Without an id, that follows from the path.
  func line(of text: [UInt8], at path: String, _ supplement: NoteSupplement?) -> [UInt8]?

  /// The canonical line of the guide that a note says, with an empty body.
  /// - Parameters:
  ///   - text: the bytes of the file.
  ///   - start: where the body begins.
  ///   - path: the note's path in its vault.
  /// - Returns: nil unless the body is everything from there on, byte by byte, and has no say in the rest.
  func lineWithoutBody(of text: [UInt8], from start: Int, at path: String) -> [UInt8]?

  /// Where the titles of a checklist's steps stand in a note, in bytes, section by section; nil where it is no
  /// checklist, or its bytes are not its text.
  func stepTitles(of text: [UInt8], at path: String) -> [[Range<Int>]]?

  /// The note of a checklist or a deck with what another record says, in the note's own notation.
  /// - Parameters:
  ///   - text: the bytes of the file.
  ///   - path: the note's path in its vault.
  ///   - read: what the note says.
  ///   - wanted: what it shall say.
  /// - Returns: nil where its lines cannot say that; the result may still say something else.
  func edited(_ text: [UInt8], at path: String, read: NoteRecord, wanted: NoteRecord) -> [UInt8]?

  /// The first change of a checklist or a deck that its note cannot express, and its position in the file; nil where it is
  /// unknown.
  func inexpressible(
    in text: [UInt8], at path: String, wanted: NoteRecord
  ) -> (what: String, position: TextPosition)?
}

extension NoteCheck {
  func inexpressible(
    in text: [UInt8], at path: String, wanted: NoteRecord
  ) -> (what: String, position: TextPosition)? { nil }

  /// Who reads only whole notes changes none.
  func edited(_ text: [UInt8], at path: String, read: NoteRecord, wanted: NoteRecord) -> [UInt8]? { nil }

  /// Who reads only whole notes does not know.
  func stepTitles(of text: [UInt8], at path: String) -> [[Range<Int>]]? { nil }

  /// Who reads only whole notes has nothing to say about parts.
  func lineWithoutBody(of text: [UInt8], from start: Int, at path: String) -> [UInt8]? { nil }
}
