import Diagnostics

/// A letter and its accent are encoded as one character.
///
/// й can be encoded as one character, or as и with a combining mark. Both look the same, but not every search for one
/// form finds the other. File names copied on a Mac have the second form. `--fix` composes the text (Unicode's NFC).
///
/// ```json bad /title
/// {"content_type": "checklist", "title": "Краткии\u0306 инструктаж", "language": "ru", "content_data": {"sections": []}}
/// ```
///
/// ```json good
/// {"content_type": "checklist", "title": "Краткий инструктаж, café", "description": "Ударе\u0301ние",
///  "language": "ru", "content_data": {"sections": []}}
/// ```
struct TextIsComposed: Rule {
  static let code = DiagnosticCode(
    "LNT0410", "decomposed-text", .note, "Text encodes letters and their accents as separate characters.",
    why: "some searches do not find the word", fix: "write the text in composed form (Unicode NFC)")

  /// The maximum length in bytes of text that is checked.
  private static let longest = 4 << 20

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    item.forEachText(with: .combining) { text in
      guard text.bytes.count <= Self.longest else { return }
      let written = text.string
      let composed = NormalForm.composed(written)
      // Swift considers the two strings equal, but their bytes differ.
      guard !written.utf8.elementsEqual(composed.utf8) else { return }
      var at = 0
      for (left, right) in zip(written.utf8, composed.utf8) {
        if left != right { break }
        at += 1
      }
      let start = UTF8Reader.before(text.bytes.span, min(at + 1, text.bytes.count))
      // The letter with its accents. If it has hundreds of accents, only some are shown.
      let rest = text.bytes[start..<min(start + 64, text.bytes.count)]
      let letter = String(decoding: rest, as: UTF8.self).first.map { min($0.utf8.count, rest.count) } ?? 0
      report.finding(
        "letters and accents are separate characters", at: text.node, in: start..<start + letter, edit: .text(composed))
    }
  }
}
