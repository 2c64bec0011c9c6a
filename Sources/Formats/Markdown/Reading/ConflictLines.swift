import Foundation
import MarkdownSyntax

/// Looks for what git writes around lines that it could not merge, and what nobody wants as content.
enum ConflictLines {
  /// Finds the first line of the first conflict.
  ///
  /// There is one where `<<<<<<< `, `=======` and `>>>>>>> ` begin lines in this order, the first of them outside of
  /// blocks of code. A line of `=` alone is a heading's underline, so each mark counts only with the other two.
  /// - Parameter text: a whole note.
  /// - Returns: the line without its end; nil when there is none.
  static func first(in text: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    // Nearly no note has one, so most are looked at for a single byte.
    guard mayHave(text) else { return nil }
    var tree = MarkdownTree()
    tree.read(text.span, in: 0..<text.count)
    let fences = tree.fencedLines
    var nextFence = 0
    var start: Range<Int>?
    var isDivided = false
    for (number, line) in tree.lines.enumerated() {
      if let start {
        // Sides of a conflict may open and close blocks as they like.
        if isDivided, begins(line, with: ">>>>>>> ", text) { return start }
        if line.count == 7, begins(line, with: "=======", text) { isDivided = true }
        continue
      }
      while nextFence < fences.count, fences[nextFence].upperBound <= number { nextFence += 1 }
      if nextFence < fences.count, fences[nextFence].contains(number) { continue }
      if begins(line, with: "<<<<<<< ", text) { start = line }
    }
    return nil
  }

  private static func mayHave(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = text.baseAddress else { return false }
    var at = 0
    while at < text.count, let found = memchr(base + at, Int32(UInt8(ascii: "<")), text.count - at) {
      at = UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) - base
      if at == 0 || text[at - 1] == 0x0A, begins(at..<text.count, with: "<<<<<<< ", text) { return true }
      at += 1
    }
    return false
  }

  private static func begins(_ line: Range<Int>, with mark: StaticString, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let count = mark.utf8CodeUnitCount
    return line.count >= count
      && UnsafeBufferPointer(rebasing: text[line.lowerBound..<line.lowerBound + count])
        .elementsEqual(UnsafeBufferPointer(start: mark.utf8Start, count: count))
  }
}
