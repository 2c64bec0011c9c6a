import JSONText

/// Writes a canonical line on many lines, for people: two spaces for each level, an array of plain values on one line.
///
/// Values stay as they are written, byte for byte. Below `deepest` levels nothing is indented any more, so that a line
/// of a few kilobytes does not become a file of many megabytes.
enum IndentedJSON {
  /// How many levels are indented; an item of the app has seven.
  private static let deepest = 16

  /// The text, with a line end behind it.
  static func text(_ line: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var out = ByteBuffer(capacity: line.count * 2 + 256)
    write(line, into: &out)
    out.append(0x0A)
    return Array(out.bytes)
  }

  private static func write(_ line: UnsafeBufferPointer<UInt8>, into out: inout ByteBuffer) {
    var depth = 0
    /// Where the array of plain values ends that is being written; nothing inside it begins a line.
    var flatEnd = -1
    var at = 0
    while at < line.count {
      let byte = line[at]
      switch byte {
      case UInt8(ascii: "\""):
        let end = self.end(ofStringAt: at, line)
        out.append(UnsafeBufferPointer(rebasing: line[at..<end]))
        at = end
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        out.append(byte)
        let next = skipSpace(at + 1, line)
        if next < line.count, line[next] == UInt8(ascii: "}") || line[next] == UInt8(ascii: "]") {
          out.append(line[next])
          at = next + 1
          continue
        }
        depth += 1
        if byte == UInt8(ascii: "["), flatEnd < at, let end = self.end(ofPlainArrayAt: at, line) { flatEnd = end }
        if flatEnd < at { beginLine(depth, &out) }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if flatEnd < at { beginLine(depth, &out) }
        out.append(byte)
      case UInt8(ascii: ","):
        out.append(byte)
        if flatEnd < at { beginLine(depth, &out) } else { out.append(UInt8(ascii: " ")) }
      case UInt8(ascii: ":"): out.append(": ")
      case 0x20, 0x09, 0x0A, 0x0D: break
      default: out.append(byte)
      }
      at += 1
    }
  }

  private static func beginLine(_ depth: Int, _ out: inout ByteBuffer) {
    guard depth <= deepest else { return }
    out.append(0x0A)
    for _ in 0..<max(0, depth) { out.append("  ") }
  }

  private static func skipSpace(_ start: Int, _ line: UnsafeBufferPointer<UInt8>) -> Int {
    var at = start
    while at < line.count, line[at] == 0x20 || line[at] == 0x0A || line[at] == 0x0D || line[at] == 0x09 { at += 1 }
    return at
  }

  /// The index behind a string that begins at `start`.
  private static func end(ofStringAt start: Int, _ line: UnsafeBufferPointer<UInt8>) -> Int {
    var at = start + 1
    while at < line.count, line[at] != UInt8(ascii: "\"") { at += line[at] == UInt8(ascii: "\\") ? 2 : 1 }
    return min(at + 1, line.count)
  }

  /// The index of the bracket that closes an array without objects and arrays in it; nil for any other array.
  private static func end(ofPlainArrayAt start: Int, _ line: UnsafeBufferPointer<UInt8>) -> Int? {
    var at = start + 1
    while at < line.count {
      switch line[at] {
      case UInt8(ascii: "\""): at = end(ofStringAt: at, line)
      case UInt8(ascii: "{"), UInt8(ascii: "["): return nil
      case UInt8(ascii: "]"): return at
      default: at += 1
      }
    }
    return nil
  }
}
