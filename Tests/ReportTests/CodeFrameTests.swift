import Diagnostics
import Foundation
import JSONText
import Reports
import TestSupport
import Testing

/// The carets are below the marked text, as a terminal displays it.
@Suite struct CodeFrameTests {
  private static let code = Sample.wrongUnit

  /// Returns the two lines of the frame for a place in a file, without the gutter; nil if there is no frame.
  private func frame(
    _ text: String, line: Int = 1, column: Int?, end: Int? = nil, width: Int = 100, label: String? = nil
  ) throws -> [String]? {
    let scratch = Scratch()
    _ = try scratch.write("a.md", text)
    let place = Place(file: "a.md", line: line, column: column, endColumn: end)
    return try frame(Diagnostic(Self.code, "m", at: place, label: label), in: scratch, width: width)
  }

  private func frame(_ finding: Diagnostic, in scratch: Scratch, width: Int = 100) throws -> [String]? {
    let options = ReportOptions(toolVersion: "1", workingDirectory: scratch.path, width: width)
    let text = try Sample.write(.text, options, [finding])
    let lines = text.split(separator: "\n").filter { $0.contains("│ ") }
    return lines.isEmpty ? nil : lines.map { String($0.drop { $0 != "│" }.dropFirst(2)) }
  }

  @Test func lettersOfEveryWidth() throws {
    #expect(try frame("title: Anchor", column: 8, end: 14) == ["title: Anchor", "       ^^^^^^"])
    #expect(try frame("имя: якорь ok", column: 6, end: 11) == ["имя: якорь ok", "     ^^^^^"])
    #expect(try frame("名: 錨を ok", column: 4, end: 6) == ["名: 錨を ok", "    ^^^^"])
    #expect(try frame("名: 錨を ok", column: 7, end: 9) == ["名: 錨を ok", "         ^^"])
    // An e with a combining accent takes one column, although it consists of two code points.
    #expect(try frame("e\u{301}e\u{301}x", column: 5) == ["e\u{301}e\u{301}x", "  ^"])
    // The finding is about the accent, so its letter is marked.
    #expect(try frame("ae\u{301}x", column: 3) == ["ae\u{301}x", " ^"])
    #expect(try frame("😀x", column: 2) == ["😀x", "  ^"])
  }

  @Test func tabsAndEscapes() throws {
    #expect(try frame("\t\tx", column: 3) == ["        x", "        ^"])
    #expect(try frame("a\tx", column: 2) == ["a    x", " ^^^^"])
    #expect(try frame("a\u{1B}[2Jx", column: 6) == ["a\\u{1B}[2Jx", "          ^"])
    #expect(try frame("\u{202E}x", column: 1, end: 2) == ["\\u{202E}x", "^^^^^^^^"])
    #expect(try frame("##[error]x", column: 10) == ["##\\u{5B}error]x", "              ^"])
    // The backslash is part of the text itself.
    #expect(try frame("\\x", column: 2) == ["\\x", " ^"])
  }

  @Test func lineEnds() throws {
    #expect(try frame("a\r\nbcd\r\ne", line: 2, column: 2, end: 4) == ["bcd", " ^^"])
    // The end of a line is a valid place, with or without CR, and also at the end of the file.
    #expect(try frame("a\r\nbcd\r\n", line: 2, column: 4) == ["bcd", "   ^"])
    #expect(try frame("a\r\nbcd\r\n", line: 2, column: 5) == ["bcd", "   ^"])
    #expect(try frame("abc", column: 4) == ["abc", "   ^"])
    #expect(try frame("abc\n", line: 2, column: 1)?.last == "^")
    #expect(try frame("\u{FEFF}abc", column: 2, end: 3) == ["abc", " ^"])
    #expect(try frame("abc", column: nil) == ["abc"])
  }

  @Test func noFrameForWhatIsNotThere() throws {
    let scratch = Scratch()
    func frame(_ place: Place) throws -> [String]? {
      try self.frame(Diagnostic(Self.code, "m", at: place), in: scratch)
    }
    _ = try scratch.write("a.md", "abc\n")
    #expect(try frame(Place(file: "gone.md", line: 1, column: 1)) == nil)
    #expect(try frame(Place(file: "a.md", line: 9, column: 1)) == nil)
    #expect(try frame(Place(file: "a.md", line: 1, column: 9)) == nil)
    #expect(try frame(Place(file: "a.md", line: 0, column: 0)) == nil)
    #expect(try frame(Place(file: "a.md", line: -1, column: Int.min)) == nil)
    #expect(try frame(Place(file: "a.md", line: Int.max, column: Int.max, endColumn: Int.max)) == nil)
    #expect(try frame(Place(file: ".", line: 1, column: 1)) == nil)
    #expect(try frame(Place(file: "-", line: 1, column: 1)) == nil)
    // The test must not wait for a pipe that has no writer.
    #expect(mkfifo(scratch["pipe"], 0o600) == 0)
    #expect(try frame(Place(file: "pipe", line: 1, column: 1)) == nil)
    #expect(try frame(Place(file: "a.md", line: 1, column: 2, endColumn: Int.max)) == ["abc", " ^^"])
    #expect(try frame(Place(file: "a.md", line: 1, column: 2, endColumn: Int.min)) == ["abc", " ^"])
  }

  @Test func noFrameAfterAChange() throws {
    let scratch = Scratch()
    let path = try scratch.write("a.md", "abc\ndef\n")
    var text = ""
    let options = ReportOptions(toolVersion: "1", workingDirectory: scratch.path, flushEvery: 0)
    let report = TextReport(options) { text += String(decoding: $0) }
    try report.add(Diagnostic(Self.code, "m", at: Place(file: "a.md", line: 1, column: 1)))
    #expect(text.contains("│ abc"))
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.write(contentsOf: Data("XYZ\nUVW\nmore\n".utf8))
    try handle.close()
    try report.add(Diagnostic(Self.code, "m", at: Place(file: "a.md", line: 2, column: 1)))
    #expect(!text.contains("UVW"))
  }

  @Test func excerptsOfCells() throws {
    let place = Place(
      file: "a.sqlite", line: 14, column: 7, endColumn: 9, row: .init(table: "guides", id: "3F", column: "markdown"))
    let finding = Diagnostic(Self.code, "m", at: place, label: "empty", excerpt: "- [ ] ab\nnext")
    #expect(try frame(finding, in: Scratch()) == ["- [ ] ab", "      ^^ empty"])
  }

  @Test func longLinesAreCutAroundThePlace() throws {
    let line = (0..<2000).map { String($0 % 10) }.joined()
    #expect(try frame(line, column: 1, end: 3, width: 20) == ["0123456789012345678…", "^^"])
    #expect(try frame(line, column: 1001, end: 1003, width: 20) == ["…567890123456789012…", "      ^^"])
    #expect(try frame(line, column: 1999, end: 2001, width: 20) == ["…1234567890123456789", "                  ^^"])
    // A span that does not fit is marked as far as it is shown.
    #expect(
      try frame(line, column: 1, end: 2001, width: 20) == ["0123456789012345678…", String(repeating: "^", count: 19)])
    let exact = String(repeating: "x", count: 20)
    #expect(try frame(exact, column: 20, width: 20) == [exact, String(repeating: " ", count: 19) + "^"])
  }

  @Test func aLineOfManyMegabytesIsFoundAgainAndAgain() throws {
    let scratch = Scratch()
    let count = 400_000
    _ = try scratch.write("one.jsonl", "é\n" + (0..<count).map { "日\($0);" }.joined() + "\nend\n")
    var text = ""
    let options = ReportOptions(toolVersion: "1", workingDirectory: scratch.path, flushEvery: 0)
    let report = TextReport(options) { bytes in
      text = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
    // Entries 0…9 take 3 columns each, entries 10…99 take 4, and so on.
    func column(of entry: Int) -> Int {
      var column = 1
      var first = 0
      for (limit, width) in [(10, 3), (100, 4), (1000, 5), (10_000, 6), (100_000, 7), (count, 8)] {
        column += (min(entry, limit) - first) * width
        if entry < limit { break }
        first = limit
      }
      return column
    }
    var random = SeededRandom(seed: 7)
    for _ in 0..<50 {
      let entry = random.below(count)
      let start = column(of: entry)
      let place = Place(file: "one.jsonl", line: 2, column: start, endColumn: start + 1 + String(entry).count)
      try report.add(Diagnostic(Self.code, "m", at: place))
      let lines = text.split(separator: "\n")
      let marked = try #require(lines.count > 2 ? lines[2].firstIndex(of: "^") : nil)
      let shown = lines[1].unicodeScalars.map { ($0, DisplayWidth.of($0)) }
      var width = lines[2].distance(from: lines[2].startIndex, to: marked)
      var rest = shown[...]
      while width > 0, let next = rest.popFirst() { width -= next.1 }
      var found = ""
      found.unicodeScalars.append(contentsOf: rest.map(\.0))
      #expect(found.hasPrefix("日\(entry);"))
    }
    try report.add(Diagnostic(Self.code, "m", at: Place(file: "one.jsonl", line: 3, column: 1, endColumn: 4)))
    #expect(text.contains("│ end\n      │ ^^^\n"))
  }

  /// Whatever precedes it, the caret is below the marked letters.
  @Test(arguments: UInt64(1)...200) func caretsStandUnderTheMark(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let pieces: [(text: String, width: Int)] = [
      ("a", 1), ("ж", 1), ("錨", 2), ("ハ", 2), ("e\u{301}", 1), ("\t", 4), ("\u{1B}", 6), ("\u{200D}", 0), ("😀", 2),
      ("한", 2), ("##[", 8), ("\u{2067}", 8), ("ﾊ", 1), ("Ａ", 2), (" ", 1), ("\u{0}", 5),
    ]
    let before = (0..<random.below(120)).map { _ in random.pick(pieces).text }.joined()
    let after = (0..<random.below(120)).map { _ in random.pick(pieces).text }.joined()
    let mark = String(repeating: "Q", count: 1 + random.below(6))
    let column = before.unicodeScalars.count + 1
    let width = 20 + random.below(80)
    let found = try frame(
      before + mark + after + "\r\nnext\n", column: column, end: column + mark.count, width: width, label: "here")
    let lines = try #require(found)
    try #require(lines.count == 2)
    let shown = lines[0].unicodeScalars.prefix { $0 != "Q" }.reduce(0) { sum, scalar in
      sum + (pieces.first { $0.text.unicodeScalars.elementsEqual([scalar]) }?.width ?? (scalar == "\u{301}" ? 0 : 1))
    }
    #expect(lines[0].unicodeScalars.count { $0 == "Q" } == mark.count)
    #expect(lines[1] == String(repeating: " ", count: shown) + String(repeating: "^", count: mark.count) + " here")
    let whole = lines[0].unicodeScalars.reduce(0) { $0 + DisplayWidth.of($1) }
    #expect(whole <= width)
  }
}
