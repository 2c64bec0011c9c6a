import MarkdownSyntax
import Validation

/// The tag with which Obsidian's spaced repetition finds its notes: `#flashcards`, or `flashcards` in the front matter.
enum DeckTag {
  private static let words = ["flashcards", "карточки"].map { Array($0.utf8) }

  /// Whether a note has it, anywhere before `end`. One pass.
  static func stands(in text: UnsafeBufferPointer<UInt8>, before end: Int) -> Bool {
    words.contains { word in
      var from = 0
      while let at = ByteSearch.position(of: word, in: text, from: from, to: end) {
        if at > 0, "# -[,\"'/".utf8.contains(text[at - 1]), hasMark(text, at) { return true }
        from = at + 1
      }
      return false
    }
  }

  /// Whether it is a tag: behind `#`, or on a line of front matter that lists tags.
  private static func hasMark(_ text: UnsafeBufferPointer<UInt8>, _ at: Int) -> Bool {
    if text[at - 1] == UInt8(ascii: "#") { return true }
    var start = at
    while start > 0, at - start < 200, text[start - 1] != 0x0A, text[start - 1] != 0x0D { start -= 1 }
    let before = text[start..<at]
    if before.starts(with: "tags:".utf8) || before.starts(with: "tag:".utf8) { return true }
    return before.allSatisfy { " -\"'".utf8.contains($0) } && text.starts(with: "---".utf8) && at < 4096
      && before.contains(UInt8(ascii: "-"))
  }
}
