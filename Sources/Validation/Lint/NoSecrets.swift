import Diagnostics

/// A text contains no password, code or key.
///
/// Everyone can read published texts, and exported texts are stored in files. The rule reports values after words like
/// `password`, `PIN`, `пароль` and `door code`, service keys with known prefixes, and private keys. The finding does
/// not repeat the value. Words that are not secret can be allowed in `.fleetkit.yml`.
///
/// ```json bad /content_data/sections/0/items/0/title /content_data/sections/0/items/1/title
/// {"content_type": "checklist", "title": "Arriving", "content_data": {"sections": [
///   {"title": "Marina", "items": [{"title": "Wi-Fi password: hunter2"}, {"title": "Gate code 4711#, closes at ten"}]}]}}
/// ```
///
/// ```json bad /content_data/sections/0/items/0/title /content_data/sections/0/items/1/title
/// {"content_type": "checklist", "title": "Приход", "language": "ru", "content_data": {"sections": [
///   {"title": "Марина", "items": [{"title": "Пароль от вайфая: Nadezhda77"}, {"title": "Код замка — 1954"}]}]}}
/// ```
///
/// Mentioning passwords is allowed:
///
/// ```json good
/// {"content_type": "checklist", "title": "Arriving", "content_data": {"sections": [
///   {"title": "Marina", "items": [
///     {"title": "Password for the Wi-Fi: ask the office"}, {"title": "Clevis pin 10 mm, error code 12, PIN ____"},
///     {"title": "Код ошибки: 1204. Пароль: спросить у базы"}]}]}}
/// ```
struct NoSecrets: Rule {
  static let code = DiagnosticCode(
    "LNT0601", "secret", .error, "A text contains what looks like a password, a code or a key.",
    why: "anyone who gets the file can use the secret, and everyone can read published texts",
    fix: "remove the secret, and change it if the text was ever shared")

  private let knownWords: Set<String>

  init(limits: RuleLimits) { knownWords = Set(limits.knownWords.map { $0.lowercased() }) }

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    item.forEachText(with: .secretWord) { text in
      var left = 3
      var at = 0
      while left > 0, let secret = SecretFinder.next(in: text.bytes, from: at) {
        at = secret.value.upperBound
        guard !isKnown(UTF8Reader.string(text.bytes, secret.value)), !isKnown(secret.word) else { continue }
        left -= 1
        report.finding(
          secret.isKey
            ? "\(Quotation.of(secret.word)) looks like the beginning of a key"
            : "\(Quotation.of(secret.word)) is followed by what looks like the secret itself",
          at: text.node, in: secret.value, label: secret.isKey ? "a key?" : "the secret itself?")
        // One finding per text is enough, except in a long guide, which may contain several secrets.
        if text.role != .markdown { return }
      }
    }
  }

  private func isKnown(_ text: String) -> Bool { !knownWords.isEmpty && knownWords.contains(text.lowercased()) }
}
