import Foundation

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
    var open: CodeFence?
    var start: Range<Int>?
    var isDivided = false
    var at = 0
    while at < text.count {
      let end = text[at...].firstIndex(of: 0x0A) ?? text.count
      let line = at..<(end > at && text[end - 1] == 0x0D ? end - 1 : end)
      at = end + 1
      if let start {
        // Sides of a conflict may open and close blocks as they like.
        if isDivided, begins(line, with: ">>>>>>> ", text) { return start }
        if line.count == 7, begins(line, with: "=======", text) { isDivided = true }
        continue
      }
      if open == nil, begins(line, with: "<<<<<<< ", text) {
        start = line
        continue
      }
      var first = line.lowerBound
      while first < line.upperBound, text[first] == 0x20 || text[first] == 0x09 { first += 1 }
      guard let fence = CodeFence(text, in: first..<line.upperBound) else { continue }
      if let opening = open {
        if fence.canClose, fence.isTicks == opening.isTicks, fence.length >= opening.length { open = nil }
      } else if fence.canOpen {
        open = fence
      }
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
