import JSONText
import YAMLText

/// A top-level key of front matter: its name, its value, and the bytes of both.
struct FrontMatterEntry {
  let name: String
  /// The value's token in the document.
  let token: Int
  /// From the beginning of the name to the last line end; comments and blank lines behind the value are not in it.
  let lines: Range<Int>
  /// The value on its one line; where it has several lines, all behind the colon up to the last line end, which is
  /// not in it.
  let value: Range<Int>
  /// Whether a blank must stand between the colon and a value.
  let needsBlank: Bool

  /// Compares bytes: Swift's strings hold two spellings of one accent for the same.
  func isNamed(_ other: String) -> Bool { name.utf8.elementsEqual(other.utf8) }

  /// The keys of a document in the order of the text.
  /// - Returns: nil when it is no mapping, or two keys share a line, or a key does not begin its line.
  static func entries(of document: YAMLDocument, in bytes: [UInt8]) -> [FrontMatterEntry]? {
    let root = document.json.root
    if root.isNull { return isEmpty(bytes) ? [] : nil }
    guard root.kind == .object, let lines = Lines(bytes) else { return nil }
    let members = root.members
    var starts: [Int] = []
    for (_, value) in members {
      guard let place = document.position(of: value, name: true), place.column == 1, lines.has(place.line),
        place.line - 1 > starts.last ?? -1
      else { return nil }
      starts.append(place.line - 1)
    }
    var entries: [FrontMatterEntry] = []
    for (index, member) in members.enumerated() {
      let last = lines.lastLine(from: starts[index], to: index + 1 < starts.count ? starts[index + 1] : lines.count)
      let all = lines.start(starts[index])..<lines.start(last + 1)
      guard let nameEnd = document.position(of: member.value, name: true)?.endColumn,
        let colon = lines.colon(in: bytes, line: starts[index], from: nameEnd)
      else { return nil }
      let place = document.position(of: member.value)
      var value = colon + 1..<lines.end(last)
      var needsBlank = true
      if last == starts[index], let place, place.line == last + 1,
        let end = place.endColumn ?? (member.value.isNull ? place.column : nil)
      {
        // One line: what stands behind the value, a comment, stays.
        var start = colon + 1
        while start < value.upperBound, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
        let behind = lines.offset(in: bytes, line: last, column: end)
        if behind >= start {
          needsBlank = start == colon + 1
          value = start..<behind
        } else if member.value.isNull, behind == colon + 1 {
          // Nothing stands there; a comment may.
          value = behind..<behind
        }
      }
      entries.append(
        FrontMatterEntry(
          name: member.name, token: member.value.tokenIndex, lines: all, value: value, needsBlank: needsBlank))
    }
    return entries
  }

  /// Whether there is nothing but comments and blanks; `null` and `~` are something.
  private static func isEmpty(_ bytes: [UInt8]) -> Bool {
    bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).allSatisfy { line in
      line.first { $0 != 0x20 && $0 != 0x09 }.map { $0 == UInt8(ascii: "#") } ?? true
    }
  }

  /// The lines of the text as YAML's places count them.
  private struct Lines {
    private var starts = [0]
    private let ends: [Int]
    private let bytes: [UInt8]

    /// - Returns: nil for lines that end with CR alone: YAML's places do not count them.
    init?(_ bytes: [UInt8]) {
      var ends: [Int] = []
      for (at, byte) in bytes.enumerated() {
        if byte == 0x0D, at + 1 == bytes.count || bytes[at + 1] != 0x0A { return nil }
        guard byte == 0x0A else { continue }
        ends.append(at > 0 && bytes[at - 1] == 0x0D ? at - 1 : at)
        starts.append(at + 1)
      }
      if starts.last != bytes.count {
        ends.append(bytes.count)
        starts.append(bytes.count)
      }
      self.ends = ends
      self.bytes = bytes
    }

    var count: Int { ends.count }

    func has(_ line: Int) -> Bool { line >= 1 && line <= count }

    func start(_ line: Int) -> Int { starts[line] }

    /// Behind the line's last byte, its line end not counted.
    func end(_ line: Int) -> Int { ends[line] }

    /// The last line of an entry: blank lines and comments that are not indented belong to what follows.
    func lastLine(from first: Int, to next: Int) -> Int {
      var last = next - 1
      while last > first, isBlank(last) || bytes[starts[last]] == UInt8(ascii: "#") { last -= 1 }
      return last
    }

    private func isBlank(_ line: Int) -> Bool {
      bytes[starts[line]..<ends[line]].allSatisfy { $0 == 0x20 || $0 == 0x09 }
    }

    /// The byte of a column that counts Unicode scalars from 1.
    func offset(in bytes: [UInt8], line: Int, column: Int) -> Int {
      var at = starts[line]
      var left = column - 1
      while left > 0, at < ends[line] {
        at += 1
        while at < ends[line], bytes[at] & 0xC0 == 0x80 { at += 1 }
        left -= 1
      }
      return at
    }

    /// The colon behind a name.
    func colon(in bytes: [UInt8], line: Int, from column: Int) -> Int? {
      var at = offset(in: bytes, line: line, column: column)
      while at < ends[line], bytes[at] == 0x20 || bytes[at] == 0x09 { at += 1 }
      return at < ends[line] && bytes[at] == UInt8(ascii: ":") ? at : nil
    }
  }
}
