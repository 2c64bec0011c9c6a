import Foundation
import TestSupport

/// Notes of every kind, and byte sequences that cause trouble in them.
enum NoteSeeds {
  /// Whole notes as file contents.
  static let notes: [[UInt8]] = {
    var notes = texts.map { Array($0.utf8) }
    notes.append(encoded(texts[2], .windowsCP1251))
    notes.append(encoded(texts[2], .utf16LittleEndian))
    notes.append([0xFE, 0xFF] + encoded(texts[1], .utf16BigEndian))
    notes.append([0xEF, 0xBB, 0xBF] + encoded(texts[0], .utf8))
    notes.append(encoded(texts[0].replacing("\n", with: "\r\n"), .utf8))
    notes.append(encoded(texts[3].replacing("\n", with: "\r"), .utf8))
    return notes
  }()

  private static func encoded(_ text: String, _ encoding: String.Encoding) -> [UInt8] {
    // Text that an encoding cannot represent becomes a zero byte, so that the test of intact notes fails.
    [UInt8](text.data(using: encoding) ?? Data([0]))
  }

  /// Fragments that have a special meaning in some context.
  static let pieces: [[UInt8]] = [
    "- [ ] ", "* [x] ", "1. ", "2) ", "- ", "\n", "\n\n", "\r", "\r\n", "---\n", "+++\n", "...\n", "# ", "## ", "> ",
    "    ",
    "\t", "```\n", "~~~", "<!-- id=1 ", " -->", "<!--", "--", "[[", "]]", "![[", "](", "|", "::", ":::", "Q: ", "A: ",
    "?\n",
    " · required", " · 5 min", " · #tag", "tags: ", "type: checklist\n", "☐ ", "____", "•", "title=\"", "\\u00", "\"",
    "'", "{",
    "}", "[", "]", "&a ", "*a", "!!str ", "|\n", ">-\n", "#tag ", "\u{0}", "\u{FEFF}", "\u{2028}", "é", "е\u{301}", "Ж",
    "😀",
    "===\n", "$$", "%%", "`",
  ].map { Array($0.utf8) }

  private static let texts = [
    """
    ---
    # how we leave
    checklistType: pre_charter
    created: 2026-01-05T10:11:12.345Z
    id: 9B2C0A54-0B7E-4C5D-8A51-6D1F0C3E7A10
    language: en
    tags: [departure, "a, b"]
    title: Leaving the berth
    type: checklist
    extras: {a: [1, {b: "x"}]}
    ---
    Read it aloud.

    ## Engine
    <!-- id=5E1A icon=gearshape sort=3 collapsed -->

    Ten minutes before.

    - [ ] Sea cock open · required · #engine <!-- id=0C7D details="a\\u002d\\nb" -->

      Handle in line with the pipe.

      ```
      - [ ] not a step
      ```
    - [x] Oil between the marks · 5 min <!-- id=77AB sort=7 tags=["a b"] -->

    ## Lines

    - [ ] Slip lines led · optional

    """,
    """
    ---
    tags:
      - sailing
      - "MOB"
    aliases: [Man over board, MOB]
    created: November 16
    ---

    # Man over board

    See [[Radio#Mayday|the call]] and ![[buoy.png|200]], or [text](Guides/Heaving%20to.md "title").

    > [!warning] Shout
    > Point at the person.

    1. Shout
       1. Point
       - Throw
    2. Turn

    | a | b |
    |---|---|
    | [[x]] | `::` |

    ---

    Setext
    ======
    %% hidden %% #tag ^block

    """,
    """
    # Проверка перед выходом

    - Открыть кингстон
    • Проверить масло (!!!)
    ____ Закрыть люки
    • Надеть жилеты — обязательно, 5 мин

    Швартовы:
    - отдать носовой
    - отдать кормовой

    """,
    """
    ---
    type: deck
    title: Lights: at sea
    {{date}}
    ---
    Q: Red over red?
    A: Not under command.
    Two lines.

    Q: White over red?
    A: Pilot ahead. <!-- id=12 hint="x" -->

    port :: left
    starboard::right
    card:::both

    ## What is a stopper?

    A rope that holds.

    ?
    <!-- id=5 review={"a":1} -->

    """,
    "+++\ntitle = \"TOML\"\ntags = [\"a\"]\n+++\n\nHugo's own. {{< figure src=\"a.png\" >}}\n",
    "---\nА rule.\n---\n\n---\nMore\n***\n<div>\n- [ ] x\n</div>\n\n[a]: /b\n\n\tcode\n",
    "",
  ]
}
