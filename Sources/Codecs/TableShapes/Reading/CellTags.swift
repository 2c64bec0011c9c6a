import JSONText

/// Tags in one cell: separated by semicolons where there is one, by commas else, so that `pots, pans;` is one tag.
enum CellTags {
  /// Calls `body` with each tag, without blanks around it, and where it begins in the cell.
  @inline(__always)
  static func forEach(_ text: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    guard let base = text.baseAddress, !text.isEmpty else { return }
    let separator: UInt8 = text.contains(UInt8(ascii: ";")) ? UInt8(ascii: ";") : UInt8(ascii: ",")
    var start = 0
    for at in 0...text.count where at == text.count || text[at] == separator {
      let tag = CellText.trimmed(UnsafeBufferPointer(start: base + start, count: at - start))
      if !tag.isEmpty { body(tag) }
      start = at + 1
    }
  }

  /// Appends the tags as an array of strings.
  @inline(__always)
  static func append(_ text: UnsafeBufferPointer<UInt8>, into out: inout ByteBuffer) {
    out.append(UInt8(ascii: "["))
    let open = out.count
    forEach(text) { tag in
      if out.count != open { out.append(UInt8(ascii: ",")) }
      out.appendJSONString(tag)
    }
    out.append(UInt8(ascii: "]"))
  }

  /// The cell that says the tags; nil when no cell can say all of them as they are.
  static func cell(_ tags: [[UInt8]]) -> [UInt8]? {
    let hasComma = tags.contains { $0.contains(UInt8(ascii: ",")) }
    for tag in tags {
      let isPlain = tag.withUnsafeBufferPointer { !$0.isEmpty && CellText.trimmed($0).count == $0.count }
      if !isPlain || tag.contains(UInt8(ascii: ";")) { return nil }
    }
    let text = Array(tags.joined(separator: Array((hasComma ? "; " : ", ").utf8)))
    return hasComma && tags.count == 1 ? text + [UInt8(ascii: ";")] : text
  }
}

extension CellTags {
  /// The cell that comes nearest where none says the tags as they are.
  static func nearest(_ tags: [[UInt8]]) -> [UInt8] {
    let plain = tags.map { tag -> [UInt8] in
      let trimmed = tag.withUnsafeBufferPointer { Array(CellText.trimmed($0)) }
      return trimmed.map { $0 == UInt8(ascii: ";") ? UInt8(ascii: ",") : $0 }
    }
    return cell(plain.filter { !$0.isEmpty }) ?? []
  }
}
