import TestSupport
import Testing

@testable import Merging

/// Text merges, compared with `git merge-file`.
@Suite(.enabled(if: Shell.has("git"), "git is not installed")) struct TextMergeJudgeTests {
  @Test func gitMergesTheSameAndFindsTheSameConflicts() throws {
    var random = SeededRandom(seed: 11)
    var made = 0
    func edit(_ lines: [String]) -> [String] {
      var copy = lines
      for _ in 0..<1 + random.below(2) {
        made += 1
        let index = random.below(copy.count)
        switch random.below(4) {
        case 0: copy[index] = "new \(made)"
        case 1: copy.insert("new \(made)", at: index)
        // Both sides may make this same edit.
        case 2: copy[index] = copy[index] + "!"
        default: if copy.count > 1 { copy.remove(at: index) }
        }
      }
      return copy
    }
    var conflicts = 0
    let rounds = 80
    for round in 0..<rounds {
      let base = (0..<2 + random.below(12)).map { "line \($0)" }
      let texts = [base, edit(base), edit(base)].map { lines in lines.map { $0 + "\n" }.joined() }
      let merge = TextMerge(base: Array(texts[0].utf8), ours: Array(texts[1].utf8), theirs: Array(texts[2].utf8))
      let scratch = Scratch()
      let files = ["ours": texts[1], "base": texts[0], "theirs": texts[2]]
      for (name, text) in files { _ = try scratch.write(name, text) }
      func git(_ options: [String]) throws -> Answer {
        try Shell.run("git", ["merge-file", "-p"] + options + ["ours", "base", "theirs"], folder: scratch.path)
      }
      let plain = try git([])
      conflicts += plain.status == 0 ? 0 : 1
      #expect((plain.status == 0) == merge.conflicts.isEmpty, "round \(round): \(plain.output)")
      for (option, takesTheirs) in [("--ours", false), ("--theirs", true)] {
        #expect(try git([option]).output == String(decoding: merge.text(takingTheirs: takesTheirs), as: UTF8.self))
      }
    }
    #expect(conflicts > 10 && conflicts < rounds - 10)
  }
}
