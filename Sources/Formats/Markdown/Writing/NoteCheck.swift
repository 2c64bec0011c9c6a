/// Reads a note as the reader of its vault would, so that a writer can see what it has written.
protocol NoteCheck: Sendable {
  /// The canonical line of the item that a note says; nil when it says none.
  /// - Parameters:
  ///   - text: the bytes of the file, a byte order mark included.
  ///   - path: the note's path in its vault, from which ids are derived that the note does not say.
  ///   - id: the id of a note that says none, where that is known; nil to derive it.
  func line(of text: [UInt8], at path: String, id: String?) -> [UInt8]?
}
