import MarkdownText
import Validation

/// The lines of a text as decks are read: where each begins and ends, and whether it is code.
///
/// Fences count at any indentation and behind a list mark, and one that is never closed is text, so that a stray
/// fence hides no cards. One pass, 16 bytes for each line.
struct DeckLines {
  /// One line without its end.
  struct Line {
    fileprivate let start: Int32
    fileprivate let end: Int32
    fileprivate let firstText: Int32
    /// Whether it stands between fences, or is a fence.
    fileprivate(set) var isCode = false
    /// Whether `front::back` needs no blanks around its colons.
    fileprivate(set) var isTight = false

    /// Its bytes.
    var range: Range<Int> { Int(start)..<Int(end) }
    /// Its first byte that is no blank; the line's end where there is none.
    var text: Int { Int(firstText) }
    /// Whether it holds nothing but blanks.
    var isBlank: Bool { firstText == end }
  }

  /// All lines in order.
  private(set) var all: [Line] = []
  /// Whether every fence is closed.
  private(set) var closesFences = true

  /// Splits a text into lines; texts that are longer than Markdown is read have none.
  init(_ text: UnsafeBufferPointer<UInt8>, in range: Range<Int>) {
    guard range.upperBound <= MarkdownTree.longest else { return }
    let isTight = DeckTag.stands(in: text, before: range.upperBound)
    var fences: [(line: Int, fence: CodeFence)] = []
    var at = range.lowerBound
    while at < range.upperBound {
      let start = at
      while at < range.upperBound, text[at] == 0x20 || text[at] == 0x09 { at += 1 }
      let first = at
      at = ByteSearch.first(in: text, from: at, to: range.upperBound) {
        ByteSearch.equal($0, 0x0A) | ByteSearch.equal($0, 0x0D)
      }
      if let fence = CodeFence(text, in: first..<at) { fences.append((all.count, fence)) }
      all.append(Line(start: Int32(start), end: Int32(at), firstText: Int32(first), isTight: isTight))
      if at < range.upperBound {
        at += text[at] == 0x0D && at + 1 < range.upperBound && text[at + 1] == 0x0A ? 2 : 1
      }
    }
    markCode(fences)
  }

  private mutating func markCode(_ fences: [(line: Int, fence: CodeFence)]) {
    guard !fences.isEmpty else { return }
    // The longest fence of each kind that could still close, so that looking ahead costs nothing.
    var ahead = [(ticks: Int, tildes: Int)](repeating: (0, 0), count: fences.count + 1)
    for index in fences.indices.reversed() {
      let fence = fences[index].fence
      ahead[index] = ahead[index + 1]
      guard fence.canClose else { continue }
      if fence.isTicks { ahead[index].ticks = max(ahead[index].ticks, fence.length) }
      if !fence.isTicks { ahead[index].tildes = max(ahead[index].tildes, fence.length) }
    }
    var open: (line: Int, fence: CodeFence)?
    for (index, (line, fence)) in fences.enumerated() {
      if let opened = open {
        guard fence.canClose, fence.isTicks == opened.fence.isTicks, fence.length >= opened.fence.length else {
          continue
        }
        for inside in opened.line...line { all[inside].isCode = true }
        open = nil
      } else if fence.canOpen {
        let longest = fence.isTicks ? ahead[index + 1].ticks : ahead[index + 1].tildes
        if longest >= fence.length { open = (line, fence) } else { closesFences = false }
      }
    }
  }
}
