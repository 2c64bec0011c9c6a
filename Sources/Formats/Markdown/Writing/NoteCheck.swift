/// Reads a note as the reader of its vault would, so that a writer can see what it has written.
protocol NoteCheck: Sendable {
  /// The canonical line of the item that a note says; nil when it says none.
  /// - Parameters:
  ///   - text: the bytes of the file, a byte order mark included.
  ///   - path: the note's path in its vault, from which ids are derived that the note does not say.
  func line(of text: [UInt8], at path: String) -> [UInt8]?
}
