/// The line ends of notes: LF, CRLF, or CR. Text that is added to a note gets the note's line ends.
enum LineEnd {
  /// The line end of new notes.
  static let standard: [UInt8] = [0x0A]

  /// Returns the first line end in a text; nil if the text has no line end.
  static func first(in text: some Collection<UInt8>) -> [UInt8]? {
    guard let end = text.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else { return nil }
    guard text[end] == 0x0D else { return [0x0A] }
    let next = text.index(after: end)
    return next < text.endIndex && text[next] == 0x0A ? [0x0D, 0x0A] : [0x0D]
  }
}
