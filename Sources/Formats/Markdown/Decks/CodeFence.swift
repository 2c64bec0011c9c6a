/// A line that may open or close a block of code.
struct CodeFence {
  let isTicks: Bool
  let length: Int
  let canOpen: Bool
  let canClose: Bool

  /// Reads a line without its indentation; nil when it is no fence.
  init?(_ text: UnsafeBufferPointer<UInt8>, in line: Range<Int>) {
    var at = line.lowerBound
    guard let first = line.isEmpty ? nil : text[at] else { return nil }
    var behindMark = false
    if first != 0x60, first != 0x7E {
      guard let end = ListMark.end(text, in: line) else { return nil }
      at = end
      behindMark = true
    }
    guard at < line.upperBound, text[at] == 0x60 || text[at] == 0x7E else { return nil }
    let byte = text[at]
    let start = at
    while at < line.upperBound, text[at] == byte { at += 1 }
    guard at - start >= 3 else { return nil }
    length = at - start
    isTicks = byte == 0x60
    let rest = UnsafeBufferPointer(rebasing: text[at..<line.upperBound])
    canOpen = !isTicks || !rest.contains(0x60)
    canClose = !behindMark && rest.allSatisfy { $0 == 0x20 || $0 == 0x09 }
  }
}
