import Diagnostics

/// A letter and its accent are one character.
///
/// й can be written as one character or as и with a mark. Both look the same, but searching for one does not find the
/// other everywhere. Texts copied from file names on a Mac have the second form. `--fix` composes the text (Unicode's
/// NFC).
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
    "LNT0410", "decomposed-text", .note, "A text has letters and their accents as separate characters.",
    why: "searching does not find the word everywhere", fix: "write the text in composed form (Unicode NFC)")

  /// Texts with more bytes are not checked.
  private static let longest = 4 << 20

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    item.forEachText(with: .combining) { text in
      guard text.bytes.count <= Self.longest else { return }
      let written = text.string
      let composed = NormalForm.composed(written)
      // Swift compares the two strings as equal; their bytes differ.
      guard !written.utf8.elementsEqual(composed.utf8) else { return }
      var at = 0
      for (left, right) in zip(written.utf8, composed.utf8) {
        if left != right { break }
        at += 1
      }
      let start = UTF8Reader.before(text.bytes, min(at + 1, text.bytes.count))
      // The letter with its accents; a letter with hundreds of them is shown in part.
      let rest = text.bytes[start..<min(start + 64, text.bytes.count)]
      let letter = String(decoding: rest, as: UTF8.self).first.map { min($0.utf8.count, rest.count) } ?? 0
      report.finding(
        "letters and accents are separate characters", at: text.node, in: start..<start + letter, edit: .text(composed))
    }
  }
}
