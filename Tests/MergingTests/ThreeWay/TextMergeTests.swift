import TestSupport
import Testing

@testable import Merging

/// Line-by-line merges of texts.
@Suite struct TextMergeTests {
  private func merge(_ base: String, _ ours: String, _ theirs: String, takingTheirs: Bool = false) -> (
    text: String, conflicts: [Range<Int>]
  ) {
    let merge = TextMerge(base: Array(base.utf8), ours: Array(ours.utf8), theirs: Array(theirs.utf8))
    return (String(decoding: merge.text(takingTheirs: takingTheirs), as: UTF8.self), merge.conflicts)
  }

  @Test func changesWithALineBetweenThemAreMerged() {
    #expect(merge("a\nb\nc", "A\nb\nc", "a\nb\nC") == ("A\nb\nC", []))
    #expect(merge("a\nb\nc", "x\na\nb\nc", "a\nb") == ("x\na\nb", []))
    // The last line is treated like all others, whether or not it has a line ending.
    #expect(merge("a\nb\nc", "A\nb\nc", "a\nb\nc\nd") == ("A\nb\nc\nd", []))
    #expect(merge("a\nb\n", "A\nb\n", "a\nb\nc\n") == ("A\nb\nc\n", []))
    #expect(merge("a\nb\nc", "A\nb\nc", "a\nb\nc\n") == ("A\nb\nc\n", []))
    #expect(merge("a", "a\nb", "a\nb") == ("a\nb", []))
  }

  @Test func changesThatTouchAreAConflict() {
    #expect(merge("a\nb\nc", "A\nb\nc", "a\nB\nc") == ("A\nb\nc", [0..<2]))
    #expect(merge("a\nb\nc", "A\nb\nc", "a\nB\nc", takingTheirs: true).text == "a\nB\nc")
    #expect(merge("a\nb", "a\nx\nb", "a\ny\nb") == ("a\nx\nb", [1..<2]))
    #expect(merge("a\nb\nc\nd", "a\nB\nc\nD", "a\nX\nc\nd", takingTheirs: true) == ("a\nX\nc\nD", [1..<2]))
    #expect(merge("a\nb\nc", "a\nc", "a\nB\nc") == ("a\nc", [1..<1]))
  }

  @Test func whatBothWroteIsThereOnce() {
    #expect(merge("a\nb\nc", "a\nx\nc", "a\nx\nc\nd") == ("a\nx\nc\nd", []))
    #expect(merge("a\n\nb\n\nc", "a\n\nb\n\nnew\n\nc", "a\n\nb\n\nnew\n\nc") == ("a\n\nb\n\nnew\n\nc", []))
  }

  @Test func endingsStayAsTheyAre() {
    #expect(merge("a\r\nb\r\nc", "A\r\nb\r\nc", "a\r\nb\r\nc\r\nd") == ("A\r\nb\r\nc\r\nd", []))
    #expect(merge("a\r\nb\nc\nd", "A\r\nb\nc\nd", "a\r\nb\nc\nD") == ("A\r\nb\nc\nD", []))
    // A carriage return without a line feed is part of its line.
    #expect(merge("a\rb\nc\nd", "a\rB\nc\nd", "a\rb\nc\nD") == ("a\rB\nc\nD", []))
    // When an editor replaces all line endings, this counts as one change, and not as a change to every line.
    #expect(merge("a\nb", "a\r\nb", "A\nb") == ("A\r\nb", []))
    #expect(merge("a\r\nb", "a\nb", "A\r\nb") == ("A\nb", []))
    #expect(merge("a\nb\nc", "a\r\nb\r\nC", "A\r\nb\r\nc") == ("A\r\nb\r\nC", []))
    #expect(merge("a\nb", "a\r\nb", "a\nb").text == "a\r\nb")
  }

  @Test func spellingsOfAnAccentAreDifferentLines() {
    #expect(merge("\u{E9}\nb\nc", "e\u{301}\nb\nc", "\u{E9}\nb\nC").text.utf8.elementsEqual("e\u{301}\nb\nC".utf8))
  }

  @Test func linesOfOneSideAreNeverLost() {
    var random = SeededRandom(seed: 3)
    var made = 0
    var clean = 0
    for _ in 0..<1500 {
      func edit(_ lines: [String]) -> [String] {
        var copy = lines
        for _ in 0..<random.below(3) {
          made += 1
          let index = random.below(copy.count)
          switch random.below(3) {
          case 0: copy[index] = "new \(made)"
          case 1: copy.insert("new \(made)", at: index)
          default: if copy.count > 1 { copy.remove(at: index) }
          }
        }
        return copy
      }
      // Blank and repeated lines make it ambiguous which lines correspond.
      let base = (0..<1 + random.below(14)).map { index in random.pick(["", "", "same", "line \(index)"]) }
      let (ours, theirs) = (edit(base), edit(base))
      let (old, mine, other) = (
        base.joined(separator: "\n"), ours.joined(separator: "\n"), theirs.joined(separator: "\n")
      )
      let merged = merge(old, mine, other)
      #expect(merge(old, mine, old) == (mine, []))
      #expect(merge(old, old, other) == (other, []))
      #expect(merge(old, mine, mine) == (mine, []))
      let mirrored = merge(old, other, mine)
      #expect(mirrored.conflicts.count == merged.conflicts.count)
      guard merged.conflicts.isEmpty else { continue }
      clean += 1
      #expect(mirrored.text == merged.text)
      for side in [mine, other] {
        #expect(merge(old, merged.text, side) == (merged.text, []))
        #expect(merge(old, side, merged.text) == (merged.text, []))
      }
      let lines = merged.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      for line in ours + theirs where line.hasPrefix("new") { #expect(lines.contains(line)) }
      // Lines that both sides removed are removed only once.
      #expect(lines.count >= ours.count + theirs.count - base.count)
    }
    #expect(clean > 500 && clean < 1450, "\(clean)")
  }

  @Test func hostileTextsTakeBoundedWork() {
    func effort(_ base: [String], _ ours: [String], _ theirs: [String]) -> Int {
      let texts = [base, ours, theirs].map { Array($0.joined(separator: "\n").utf8) }
      return TextMerge(base: texts[0], ours: texts[1], theirs: texts[2]).effort
    }
    let count = 5000
    let same = Array(repeating: "a", count: count)
    let blank = (0..<count).map { $0 % 2 == 0 ? "" : "line \($0)" }
    // Every line occurs twice, in a different order, so no line is unique.
    let twice = (0..<count).map { "\($0 % (count / 2))" }
    let turned = (0..<count).map { "\((count - $0) % (count / 2))" }
    for (base, ours, theirs) in [
      (same, same + ["b"], ["c"] + same), (same, ["b"] + same, Array(same.dropLast())),
      (blank, Array(blank.reversed()), blank), (twice, turned, Array(twice.reversed())),
    ] {
      #expect(effort(base, ours, theirs) < 200 * count + (1 << 24))
    }
  }
}
