/// The lines around front matter, as they are written unless a note has others.
struct NoteFences {
  /// `---` and a line end.
  let opening: [UInt8]
  /// The same; a line end before it where the front matter does not end with one.
  let closing: [UInt8]

  /// Takes the line ends of the front matter, or of the body where that is empty.
  init(around frontMatter: [UInt8], body: some Collection<UInt8>) {
    let hasReturns = frontMatter.isEmpty ? body.contains(0x0D) : frontMatter.contains(0x0D)
    opening = Array((hasReturns ? "---\r\n" : "---\n").utf8)
    let isOpen = frontMatter.last.map { $0 != 0x0A && $0 != 0x0D } ?? false
    closing = (isOpen ? Array(opening.dropFirst(3)) : []) + opening
  }
}
