/// The line ends of notes: LF, CRLF, or CR. What is put into a note ends its lines as the note does.
enum LineEnd {
  /// That of new notes.
  static let standard: [UInt8] = [0x0A]

  /// The line end that a text uses first; nil when it has none.
  static func first(in text: some Collection<UInt8>) -> [UInt8]? {
    guard let end = text.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else { return nil }
    guard text[end] == 0x0D else { return [0x0A] }
    let next = text.index(after: end)
    return next < text.endIndex && text[next] == 0x0A ? [0x0D, 0x0A] : [0x0D]
  }
}
