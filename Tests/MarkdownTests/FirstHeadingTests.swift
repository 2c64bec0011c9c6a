import MarkdownSyntax
import Testing

@testable import Markdown

@Suite struct FirstHeadingTests {
  @Test(arguments: [
    ("# Reefing\n\nText.\n", "Reefing"), ("Text.\n\n## Reefing ##\n", "Reefing"), ("Reefing\n=======\n", "Reefing"),
    ("\n\nRiffe\n--\n", "Riffe"), ("```\n# no\n```\n# Yes\r\n", "Yes"), ("   ### Якорь  \n", "Якорь"),
    ("# C#\n", "C#"), ("#tag\n\n# Title", "Title"), ("~~~\n# no\n~~~~\n# yes\n", "yes"),
  ])
  func theFirstHeadingIsFound(_ text: String, _ heading: String) {
    #expect(find(text) == heading)
  }

  @Test(arguments: ["", "Text.\n", "#\n", "    # code\n", "- item\n---\n", "```\n# never closed\n", "one\ntwo\n---\n"])
  func nothingElseIsAHeading(_ text: String) {
    #expect(find(text) == nil)
  }

  private func find(_ text: String) -> String? {
    var text = text
    return text.withUTF8 { bytes in
      FirstHeading.find(bytes.span, in: tree(bytes.span)).map { String(decoding: bytes[$0], as: UTF8.self) }
    }
  }
}
