import Diagnostics
import TestSupport
import Testing
import Validation

/// Text rules are run on texts that a person would not write.
@Suite struct HostileTextTests {
  private static let pieces = [
    "a", " ", "\n", "#", "## ", "[[", "]]", "[", "](", ")", "!", "`", "```\n", "<", "<b>", ">", "|", "|-|\n", "- ",
    "+ ", "===\n", "---\n",
    "\\", "/", ":", "password", "PIN", "код", "4111", " 1", "37°56.5'N ", "43.5811, ", "+30 ", "@", "e.org", "TODO",
    "???", "http://", "file:/",
    "/home/", "C:\\", "ы", "с", "c", "é", "e\u{301}", "\u{202E}", "\u{2066}", "\u{200B}", "\u{200D}", "\u{FEFF}",
    "\u{FFFD}", "Ð¿", "Ã©", "Р°",
    "👩‍✈️", "א", "ا", "日本", "\u{0}", "\u{E0041}", "\u{10FFFF}", "eyJ", "AKIA", "GB82", ".", ",", "\r\n", "\t", "[^1]", "{",
    "«", "»",
  ]

  private func item(_ text: String, _ kind: Int) -> String {
    let text = TextProbe.quoted(text)
    switch kind {
    case 0: return "{\"content_type\":\"practice_guide\",\"title\":\"A\",\"content_data\":{\"markdown\":\(text)}}"
    case 1:
      return
        "{\"content_type\":\"checklist\",\"title\":\(text),\"language\":\(text),\"tags\":[\(text),\(text)],\"content_data\":{}}"
    default:
      return
        "{\"content_type\":\"flashcard_deck\",\"title\":\"B\",\"description\":\(text),\"content_data\":{\"cards\":["
        + "{\"front\":\(text),\"back\":\"x\"}]}}"
    }
  }

  @Test(.timeLimit(.minutes(2)))
  func aMegabyteOfAnythingEnds() throws {
    for piece in Self.pieces {
      let text = String(repeating: piece, count: (64 << 10) / piece.utf8.count)
      #expect(try TextProbe(item(text, 0)).findings.count < 500, "\(piece)")
    }
    let text = String(repeating: "password C:\\ +3 TODO [[a e\u{301} с", count: 1 << 15)
    for kind in 0...2 { #expect(try TextProbe(item(text, kind)).findings.count < 500) }
  }

  @Test func fixesLeaveNothingToFix() throws {
    var random = SeededRandom(seed: 42)
    for round in 0..<100 {
      let text = (0..<random.below(40)).map { _ in random.pick(Self.pieces) }.joined()
      var current = text
      // Each fix is made separately, as by a user who fixes one code after another.
      for _ in 0..<12 {
        guard let fix = try TextProbe(item(current, 0)).fixedTexts.first else { break }
        #expect(!fix.utf8.elementsEqual(current.utf8), "round \(round): a fix must change something")
        current = fix
      }
      #expect(try TextProbe(item(current, 0)).fixedTexts == [], "round \(round): \(text.debugDescription)")
    }
  }

  @Test func randomTextsNeverTrap() throws {
    var random = SeededRandom(seed: 7)
    for _ in 0..<200 {
      let items = (0..<3).map { kind in
        item((0..<random.below(60)).map { _ in random.pick(Self.pieces) }.joined(), kind)
      }
      let probe = try TextProbe("[" + items.joined(separator: ",") + "]")
      #expect(probe.findings.allSatisfy { !$0.message.isEmpty && !$0.message.contains("\n") })
    }
  }

  @Test func emptyAndOddRecordsHaveNoFindingsOfTexts() throws {
    for data in ["null", "{}", "[]", "7", "{\"sections\":null}", "{\"sections\":[null,7,{\"items\":[null]}]}"] {
      for type in ["checklist", "practice_guide", "flashcard_deck", "poem"] {
        let json =
          "{\"content_type\":\"\(type)\",\"title\":\"\",\"tags\":null,\"language\":null,\"forked_from_id\":null,\"content_data\":\(data)}"
        let codes = try TextProbe(json).findings.map(\.code.id).filter { $0 > "LNT03" }
        #expect(codes.isEmpty, "\(json)")
      }
    }
  }
}
