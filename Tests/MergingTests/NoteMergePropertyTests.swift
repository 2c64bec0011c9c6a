import FleetKit
import Foundation
import TestSupport
import Testing

/// Two people edit different steps of one note at random: no edit is lost, and the notation of unedited text does not
/// change.
@Suite struct NoteMergePropertyTests {
  private let scratch = Scratch()

  private static let words = [
    "anchor", "bilge", "compass", "dinghy", "engine", "fender", "genoa", "halyard", "ignition", "jackstay", "kedge",
    "liferaft",
  ]

  /// A note with three sections of four steps, written in a usual notation.
  private struct Note: Equatable {
    var sections: [(title: String, steps: [String])]

    init() {
      sections = ["Below", "On deck", "Ashore"].enumerated().map { index, title in
        (title, NoteMergePropertyTests.words[index * 4..<index * 4 + 4].map { "Check the \($0) before leaving" })
      }
    }

    var text: String {
      var text = "---\ntitle: Random\nboat: Maia # hers\n---\n\nSome words.\n"
      for section in sections {
        text += "\n## \(section.title)\n\n" + section.steps.map { "* [ ] \($0)\n" }.joined()
      }
      return text
    }

    static func == (left: Note, right: Note) -> Bool { left.text == right.text }

    /// Edits some of the steps for which `mine` returns true.
    /// - Returns: the words that the merged note must contain, and those that it must not contain.
    mutating func edit(
      _ random: inout SeededRandom, _ side: String, _ mine: (String) -> Bool
    ) -> (there: [String], gone: [String]) {
      var there: [String] = []
      var gone: [String] = []
      for round in 0..<1 + random.below(4) {
        let section = random.below(sections.count)
        let own = sections[section].steps.indices.filter { mine(sections[section].steps[$0]) }
        if own.isEmpty { continue }
        let index = random.pick(own)
        switch random.below(4) {
        case 0:
          let mark = "\(side)\(round)"
          sections[section].steps[index] += " " + mark
          there.append(mark)
        case 1:
          let step = "\(side) adds number \(round)"
          sections[section].steps.insert(step, at: index)
          there.append(step)
        case 2:
          let step = sections[section].steps.remove(at: index)
          gone.append(step)
          there.removeAll { step.hasSuffix($0) || step == $0 }
        default:
          let step = sections[section].steps.remove(at: index)
          let target = random.below(sections.count)
          sections[target].steps.insert(step, at: random.below(sections[target].steps.count + 1))
        }
      }
      return (there, gone)
    }
  }

  private func merge(_ base: String, _ ours: String, _ theirs: String) throws -> (FileMergeReport, String) {
    let merge = FileMerge(
      base: try scratch.write("base.md", base), ours: try scratch.write("ours.md", ours),
      theirs: try scratch.write("theirs.md", theirs), target: scratch["out.md"])
    let report = try merge.run(context: RunContext(now: Timestamp(milliseconds: 1_767_607_872_000)))
    return (report, try scratch.text("out.md"))
  }

  @Test func losesNothingThatOneSideDid() throws {
    var typed = 0
    var clean = 0
    for seed in 0..<150 {
      var random = SeededRandom(seed: UInt64(seed))
      let base = Note()
      var ours = base
      var theirs = base
      // Steps whose words begin with a vowel are theirs. All others are ours.
      func isTheirs(_ step: String) -> Bool { step.contains(/the [aeiou]/) || step.hasPrefix("theirs") }
      let mine = ours.edit(&random, "ours") { !isTheirs($0) }
      let other = theirs.edit(&random, "theirs") { isTheirs($0) }
      let (report, text) = try merge(base.text, ours.text, theirs.text)
      for word in mine.there + other.there { #expect(text.contains(word), "seed \(seed): \(word) is missing\n\(text)") }
      if report.conflictCount == 0 {
        clean += 1
        for step in mine.gone + other.gone {
          #expect(!text.contains("] \(step)\n"), "seed \(seed): \(step) is there\n\(text)")
        }
      }
      if report.keepsTyping { typed += 1 }
      #expect(text.contains("boat: Maia # hers") || !report.keepsTyping)
      // Only the order can be in conflict, because each side edits its own steps.
      for conflict in report.conflicts { #expect(conflict.conflict.isOfOrder, "seed \(seed)") }
    }
    #expect(typed >= 147, "\(typed) of 150 kept their typing")
    #expect(clean >= 120, "\(clean) of 150 without a conflict")
  }

  @Test func takesOneSidesTextAsItIsIfTheOtherDidNothing() throws {
    for seed in 0..<60 {
      var random = SeededRandom(seed: UInt64(1000 + seed))
      let base = Note()
      var edited = base
      _ = edited.edit(&random, "ours") { _ in true }
      for (ours, theirs) in [(edited, base), (base, edited), (edited, edited)] {
        let (report, text) = try merge(base.text, ours.text, theirs.text)
        #expect(text == edited.text, "seed \(seed)")
        #expect(report.conflictCount == 0)
      }
    }
  }
}
