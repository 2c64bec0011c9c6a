import Diagnostics
import TestSupport

/// Findings about content that tries to imitate FleetKit's own output.
enum Hostile {
  static let pieces = [
    "\u{1B}[2J\u{1B}[31m", "\u{1B}]0;title\u{7}", "\u{9B}31m", "::error::forged", "\n::error file=a::forged",
    "\r\n::set-output name=a::b", "::stop-commands::x", "##[error]forged", "##[add-matcher]x", "\u{202E}txt.exe",
    "\u{2066}x\u{2069}", "\u{200F}", "\u{61C}", "]]>", "<failure/>", "</testcase><testcase name=\"x\">", "&lt;", "&#0;",
    "%0A", "%0A::error::forged", "%25", "\"", "'", "\\", "\\\"", "\u{0}", "\u{8}", "\u{FFFE}", "\u{FFFF}", "\u{FEFF}",
    "\u{2028}", "\u{85}", "\r", "\t", ",line=7", ":", "{0}", "}", "[link](https://evil.example)", "\",\"level\":\"none",
    "\n{\"kind\":\"summary\",\"status\":0}", "no findings in 1 file", "\n0 errors", "e\u{301}", "日本", "😀", "—", " ",
    String(repeating: "long ", count: 900),
  ]

  static func text(_ random: inout SeededRandom) -> String {
    (0...random.below(4)).map { _ in random.pick(pieces) }.joined(separator: random.pick(["", "a", " "]))
  }

  /// Returns findings with hostile text in every member that can quote content.
  static func findings(seed: UInt64, count: Int) -> [Diagnostic] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { index in
      var place = Place(file: random.pick(["a.md", text(&random), "::error::x.md", " ::error::y"]))
      if random.below(2) == 0 { place.line = 1 + random.below(9) }
      if random.below(2) == 0 { place.column = 1 + random.below(5) }
      if random.below(2) == 0 { place.endColumn = 1 + random.below(9) }
      if random.below(3) == 0 { place.pointer = "/" + text(&random) }
      if random.below(4) == 0 { place.member = text(&random) }
      if random.below(4) == 0 {
        place.row = Place.Row(table: text(&random), id: text(&random), column: text(&random))
      }
      return Diagnostic(
        random.pick([Sample.wrongUnit, Sample.emptySection, Sample.style]), text(&random) + "#\(index)", at: place,
        record: text(&random), title: text(&random), fix: text(&random), why: text(&random), label: text(&random),
        excerpt: random.below(2) == 0 ? text(&random) : nil)
    }
  }
}
