import Foundation
import Interchange
import TestSupport
import Testing

/// Notes with randomly changed bytes: reading never traps, reports no place outside the note, and takes at most linear
/// time.
///
/// `FLEETKIT_FUZZ_ROUNDS` sets the number of rounds, as in all fuzz tests. Notes are read so quickly that each round
/// consists of 34 notes. For a million notes: `FLEETKIT_FUZZ_ROUNDS=29412 swift test -c release --filter
/// MarkdownFuzzTests`.
@Suite struct MarkdownFuzzTests {
  private static let rounds = 34 * (Int(ProcessInfo.processInfo.environment["FLEETKIT_FUZZ_ROUNDS"] ?? "") ?? 60)
  private static let seed = UInt64(ProcessInfo.processInfo.environment["FLEETKIT_FUZZ_SEED"] ?? "") ?? 1
  private static let paths = ["Checklists/Leaving.md", "Чек-листы/Выход.md", "Cards/What is it?.md", "a.md", "/", ""]

  private static func mutate(_ note: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
    var bytes = note
    for _ in 0...random.below(10) {
      let at = random.below(bytes.count + 1)
      let end = min(bytes.count, at + 1 + random.below(30))
      switch random.below(8) {
      case 0: if at < bytes.count { bytes[at] = UInt8(random.below(256)) }
      case 1...3: bytes.insert(contentsOf: random.pick(NoteSeeds.pieces), at: at)
      case 4: bytes.removeSubrange(at..<end)
      case 5: bytes.insert(contentsOf: bytes[at..<end], at: random.below(bytes.count + 1))
      case 6:
        let other = random.pick(NoteSeeds.notes)
        let from = random.below(other.count + 1)
        bytes.insert(contentsOf: other[from..<min(other.count, from + random.below(200))], at: at)
      default: if random.below(4) == 0 { bytes.removeSubrange(at...) }
      }
    }
    return bytes
  }

  @Test func changedNotes() {
    var random = SeededRandom(seed: Self.seed)
    var texts = 0
    for round in 0..<Self.rounds {
      let note = Self.mutate(random.pick(NoteSeeds.notes), &random)
      let start = ContinuousClock.now
      let outcome = NoteWalk.run(
        note, path: random.pick(Self.paths), infer: random.pick(ReadingOptions.Inference.allCases))
      let time = start.duration(to: .now)
      if outcome.isText { texts += 1 }
      if let stray = outcome.stray {
        Issue.record("round \(round): \(stray)\n\(String(decoding: note, as: UTF8.self))")
        return
      }
      // A few kilobytes take less than a millisecond; three seconds leave room for a busy machine.
      #expect(time < .seconds(3), "round \(round)")
    }
    #expect(texts > Self.rounds / 2)
  }

  @Test func soundNotesAreRead() {
    for note in NoteSeeds.notes {
      for infer in ReadingOptions.Inference.allCases {
        let outcome = NoteWalk.run(note, path: "a.md", infer: infer)
        #expect(outcome.isText)
        #expect(outcome.stray == nil)
      }
    }
  }

  /// Four times the text should take four times as long. Ten times is allowed because of other load on the machine.
  @Test(arguments: [
    "- ", "> ", "- [ ] a\n", "- a\n", "  - a\n", "* a\n\n", "# ", "# a\n", "## a\n- b\n", "[", "[[", "![[", "[a](",
    "<!--",
    "<!-- id=1 -->", "- [ ] a <!-- ", "`", "``` \n", "Q: a\n", "A: a\n", "Q: a\nA: b\n", "a::b\n", "::", "\n", "\r",
    " ", "\t",
    "a ", "_", "☐ a\n", "·", " · #a", " · required", "\"", "\\", "---\n", "a: b\n", "a:\n", "{", "[a, ", "&a ", "*a ",
    "| ",
    "|\n", "1. a\n", "1) ", "é", "е\u{301}", "\u{FEFF}", "- [ ] a\n\n  b\n\n", "=\n", "<div>\n", "&amp;", "a\n    b\n",
  ])
  func repeatedPieces(_ piece: String) {
    // The thread's own time, which excludes other processes on the machine.
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    func time(_ length: Int, _ start: String) -> Double {
      let note = Array(start.utf8) + Array(String(repeating: piece, count: length / piece.utf8.count).utf8)
      let begin = now()
      let outcome = NoteWalk.run(note, path: "a.md", infer: .always)
      #expect(outcome.stray == nil)
      return now() - begin
    }
    for start in ["", "---\ntype: checklist\n---\n", "---\n", "- [ ] a\n"] {
      let short = time(8 << 10, start)
      let long = time(32 << 10, start)
      #expect(long < short * 10 + 0.7, "after '\(start)': \(short), \(long)")
    }
  }
}
