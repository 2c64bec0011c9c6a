import Diagnostics

/// Text contains no placeholders.
///
/// `TODO`, `TBD`, `FIXME`, `xxx`, `???`, lorem ipsum and [fill in] are reminders for the author. They do not help a
/// crew.
///
/// ```json bad /description /content_data/sections/0/items/0/title
/// {"content_type": "checklist", "title": "Engine", "description": "TODO: describe", "content_data": {"sections": [
///   {"title": "Before", "items": [{"title": "Oil: ??? litres"}]}]}}
/// ```
///
/// ```json bad /content_data/markdown
/// {"content_type": "practice_guide", "title": "Стоянка", "language": "ru", "content_data": {
///   "markdown": "Глубина у стенки: «заполнить» м\n"}}
/// ```
///
/// Filling tanks is a task, and `todo` is a Spanish word:
///
/// ```json good
/// [{"content_type": "checklist", "title": "Вода", "description": "Заполнить баки. Fill in the log.",
///   "content_data": {"sections": []}},
///  {"content_type": "checklist", "title": "TODO EL EQUIPO", "language": "es", "description": "Todo a bordo",
///   "content_data": {"sections": []}}]
/// ```
struct NoPlaceholders: Rule {
  static let code = DiagnosticCode(
    "LNT0412", "placeholder", .warning, "Text contains a placeholder.",
    why: "the crew finds a reminder for the author instead of the information",
    fix: "write the text, or remove the step")

  init(limits: RuleLimits) {}

  mutating func check(_ item: ItemOutline, _ report: RuleReport) {
    item.forEachText(with: [.placeholderWord, .questions]) { text in
      guard let place = Placeholder.first(in: text.bytes.span, todoIsAWord: Self.isIberian(item)) else { return }
      report.finding(
        "\(Quotation.of(text.bytes.span, place)) is a placeholder for missing text", at: text.node, in: place)
    }
  }

  /// Whether the item is in Spanish, Portuguese or a related language, where “todo” means “all”.
  private static func isIberian(_ item: ItemOutline) -> Bool {
    guard let language = item.language, language.kind == .string else { return false }
    return ["es", "pt", "gl", "ca", "as", "ia", "it"].contains(
      UTF8Reader.string(language.inner.span, 0..<min(2, language.inner.count)))
  }
}

/// Finds placeholders, which are reminders for the author, in text.
enum Placeholder {
  /// Words that are placeholders if they are in capitals.
  private static let capitals = ["TODO", "TBD", "FIXME"].map { Array($0.utf8) }
  private static let anyCase = ["xxx", "lorem ipsum", "todo:", "fixme:"].map { Array($0.utf8) }
  /// Words that are placeholders only in brackets or quotation marks. As plain words they describe tasks.
  private static let bracketed = ["заполнить", "дописать", "вставить", "fill in", "insert", "fill this in"]
  private static let brackets: [UInt32: UInt32] = [
    0x5B: 0x5D, 0x3C: 0x3E, 0x28: 0x29, 0x7B: 0x7D, 0xAB: 0xBB, 0x2039: 0x203A,
  ]

  /// Returns the first placeholder in the text.
  static func first(in bytes: Span<UInt8>, todoIsAWord: Bool) -> Range<Int>? {
    var at = 0
    var isBoundary = true
    while at < bytes.count {
      let (scalar, length) = UTF8Reader.scalar(bytes, at)
      if scalar == 0x3F, let end = questions(bytes, at) { return at..<end }
      if isBoundary, scalar < 0x80, let end = word(bytes, at, todoIsAWord: todoIsAWord) { return at..<end }
      if let close = brackets[scalar], let end = bracket(bytes, at + length, close) { return at..<end }
      isBoundary = !WordComparison.isLetter(scalar)
      at += length
    }
    return nil
  }

  /// Returns the end of three or more question marks after a blank. After a word, they express surprise.
  private static func questions(_ bytes: Span<UInt8>, _ at: Int) -> Int? {
    var end = at
    while end < bytes.count, bytes[end] == UInt8(ascii: "?") { end += 1 }
    guard end - at >= 3, at == 0 || bytes[at - 1] <= 0x20 || bytes[at - 1] == UInt8(ascii: ":") else { return nil }
    return end
  }

  private static func word(_ bytes: Span<UInt8>, _ at: Int, todoIsAWord: Bool) -> Int? {
    for word in capitals where WordComparison.occurs(word, bytes, at, folding: false) {
      let end = at + word.count
      if todoIsAWord, word == capitals[0], end >= bytes.count || bytes[end] != UInt8(ascii: ":") { continue }
      return end
    }
    for word in anyCase where WordComparison.occurs(word, bytes, at, folding: true) { return at + word.count }
    return nil
  }

  private static func bracket(_ bytes: Span<UInt8>, _ start: Int, _ close: UInt32) -> Int? {
    // A placeholder in brackets is short, so only a few bytes are read.
    var end = start
    while end < bytes.count, end - start < 60 {
      let (scalar, length) = UTF8Reader.scalar(bytes, end)
      if scalar == close {
        let inner = UTF8Reader.string(bytes, start..<end).lowercased()
        let isNote = bracketed.contains { inner == $0 || inner.hasPrefix($0 + " ") && close != 0x29 }
        return isNote ? end + length : nil
      }
      end += length
    }
    return nil
  }
}
