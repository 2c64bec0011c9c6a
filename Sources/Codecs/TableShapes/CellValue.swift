import Content
import Diagnostics
import Interchange
import JSONText

/// Parses the cell texts that people write for yes and no, minutes, languages and similar values.
///
/// - Source: formats/tables.md, "Four shapes"
enum CellValue {
  // MARK: Yes and no

  /// Returns whether a cell means yes, or nil if it means neither yes nor no. An empty cell means no.
  @inline(__always)
  static func bool(_ text: Span<UInt8>) -> Bool? {
    if text.isEmpty { return false }
    return parseFlag(text)
  }

  private static func parseFlag(_ text: Span<UInt8>) -> Bool? {
    if text.count == 1 {
      switch text[0] {
      case 0x31, 0x2B, 0x78, 0x58, 0x79, 0x59, 0x76, 0x56, 0x74, 0x54: return true  // 1 + x y v t
      case 0x30, 0x2D, 0x6E, 0x4E, 0x66, 0x46: return false  // 0 - n f
      default: return nil
      }
    }
    if is3(text, "yes") || is3(text, "true") { return true }
    if is3(text, "no") || is3(text, "false") { return false }
    guard text.count <= 40 else { return nil }
    return words[String(decoding: text).lowercased()]
  }

  /// Returns whether ASCII text equals a word, ignoring case.
  private static func is3(_ text: Span<UInt8>, _ word: StaticString) -> Bool {
    guard text.count == word.utf8CodeUnitCount else { return false }
    for index in 0..<text.count where text[index] | 0x20 != word.utf8Start[index] { return false }
    return true
  }

  /// Returns whether a cell means yes in a column that marks steps as required or as optional, or nil if it means
  /// neither yes nor no.
  ///
  /// The name of one of these columns does not mean yes in the other column.
  static func flag(_ text: Span<UInt8>, isOptional: Bool) -> Bool? {
    if let value = bool(text) { return value }
    guard text.count <= 40 else { return nil }
    let word = String(decoding: text).lowercased()
    return (isOptional ? optionalWords : requiredWords).contains(word) ? true : nil
  }

  private static let requiredWords: Set<String> = [
    "required", "mandatory", "must", "обязательно", "pflicht", "erforderlich", "obligatoire", "requis", "obligatorio",
    "requerido", "obbligatorio",
  ]
  private static let optionalWords: Set<String> = [
    "optional", "if needed", "необязательно", "по желанию", "если нужно", "optionnel", "facultatif", "opcional",
    "facultativo", "opzionale", "facoltativo",
  ]

  private static let words: [String: Bool] = [
    "ja": true, "wahr": true, "oui": true, "vrai": true, "sí": true, "sì": true, "si": true, "verdadero": true,
    "vero": true, "sim": true, "verdadeiro": true, "evet": true, "ναι": true,
    "nein": false, "falsch": false, "non": false, "faux": false, "falso": false, "não": false, "hayır": false,
    "όχι": false,
    "да": true, "д": true, "истина": true, "✓": true, "✔": true, "✔\u{FE0F}": true, "☑": true, "☑\u{FE0F}": true,
    "✅": true, "☒": true, "х": true, "on": true, "1.0": true, "[x]": true, "[х]": true,
    "нет": false, "н": false, "ложь": false, "✗": false, "✘": false, "☐": false, "❌": false, "–": false, "—": false,
    "off": false, "0.0": false, "[ ]": false, "n/a": false, "none": false,
  ]

  // MARK: Minutes

  /// The numbers of minutes that a step can take. A larger number is a date or a typing error.
  static let possibleMinutes: ClosedRange<Int64> = 0...100_000

  /// Returns the whole number of minutes that a string such as `5`, `5 min`, `1:30`, `1 h 15 min` or `1 h 30` means, or
  /// nil if its meaning is not clear.
  /// - Parameter factor: the number of minutes that the number 1 without a unit means.
  static func minutes(_ text: Span<UInt8>, factor: Double = 1) -> Int64? {
    let mayBeGrouped = text.count > 4 && text[text.count - 4] == UInt8(ascii: ".") && text[0] != UInt8(ascii: "0")
    if factor == 1, !mayBeGrouped, let whole = integer(text) { return whole }
    guard text.count <= 40 else { return nil }
    var total = 0.0
    var parts = 0
    var smallest = Double.infinity
    var rest = Substring(String(decoding: text).lowercased())
    if rest.contains(":") {
      // 1:30 h
      let unit = rest.reversed().prefix { $0.isLetter }.count
      if units[String(rest.suffix(unit))] == 60 {
        rest = rest.dropLast(unit)
        while rest.last == " " || rest.last == "\u{A0}" { rest.removeLast() }
      }
      return clock(rest)
    }
    while true {
      rest = rest.drop { $0 == " " || $0 == "\u{A0}" || $0 == "," || $0 == "~" || $0 == "≈" }
      if rest.isEmpty { break }
      let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == ",") }
      guard let number = Double(digits.replacing(",", with: ".")), parts < 2, !isGrouped(digits) else { return nil }
      rest = rest[digits.endIndex...].drop { $0 == " " || $0 == "\u{A0}" }
      let unit = rest.prefix { $0.isLetter || $0 == "'" || $0 == "′" || $0 == "." }
      rest = rest[unit.endIndex...]
      let word = unit.last == "." ? String(unit.dropLast()) : String(unit)
      // A number without a unit must be the only part or follow hours.
      let bare: Double? = parts == 0 ? factor : smallest == 60 ? 1 : nil
      guard let counted = word.isEmpty ? bare : units[word], counted < smallest else { return nil }
      if word.isEmpty { guard rest.allSatisfy({ $0 == " " || $0 == "\u{A0}" }) else { return nil } }
      total += number * counted
      smallest = counted
      parts += 1
    }
    guard parts > 0, total < 1e9, total == total.rounded() else { return nil }
    return Int64(total)
  }

  /// Returns whether a separator before three digits may separate thousands: some people read `1,000` as a thousand,
  /// others as one.
  private static func isGrouped(_ digits: Substring) -> Bool {
    guard let sign = digits.firstIndex(where: { $0 == "." || $0 == "," }), digits.first != "0" else { return false }
    return digits[sign...].utf8.count == 4
  }

  /// The units of time, in minutes.
  static let units: [String: Double] = [
    "m": 1, "min": 1, "mins": 1, "minute": 1, "minutes": 1, "minuten": 1, "minuto": 1, "minutos": 1, "minuti": 1,
    "'": 1, "′": 1, "м": 1, "мин": 1, "минута": 1, "минуты": 1, "минут": 1, "минутах": 1,
    "h": 60, "hr": 60, "hrs": 60, "hour": 60, "hours": 60, "std": 60, "stunde": 60, "stunden": 60, "heure": 60,
    "heures": 60, "hora": 60, "horas": 60, "ora": 60, "ore": 60, "ч": 60, "час": 60, "часа": 60, "часов": 60,
    "часы": 60, "часах": 60,
  ]

  /// Parses hours and minutes, to which spreadsheets add seconds.
  private static func clock(_ text: Substring) -> Int64? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3,
      parts.allSatisfy({ (1...3).contains($0.utf8.count) && $0.utf8.allSatisfy { $0 &- 0x30 < 10 } }),
      let hours = Int64(parts[0]), let minutes = Int64(parts[1]), minutes < 60,
      parts.count == 2 || parts[2].utf8.allSatisfy({ $0 == 0x30 })
    else { return nil }
    return hours * 60 + minutes
  }

  /// Parses a whole number, which may end with `.0` because spreadsheets write whole numbers that way.
  static func integer(_ text: Span<UInt8>) -> Int64? {
    var at = 0
    let isNegative = text.first == UInt8(ascii: "-")
    if isNegative { at = 1 }
    let first = at
    var value: Int64 = 0
    while at < text.count, text[at] &- 0x30 < 10, at - first < 17 {
      value = value * 10 + Int64(text[at] &- 0x30)
      at += 1
    }
    guard at > first else { return nil }
    if at < text.count {
      guard text[at] == UInt8(ascii: "."), at + 1 < text.count else { return nil }
      for index in at + 1..<text.count where text[index] != 0x30 { return nil }
    }
    return isNegative ? -value : value
  }

  // MARK: Words

  /// Returns the language code for text that has the form of a language code or is the name of a language, or nil for
  /// any other text.
  static func language(_ text: Span<UInt8>) -> String? {
    let word = String(decoding: text)
    if let code = languages[word.lowercased()] { return code }
    let parts = word.split(separator: "-", omittingEmptySubsequences: false)
    let isTag =
      parts.allSatisfy { (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(isLetterOrDigit) }
      && parts.first.map { (2...3).contains($0.utf8.count) && $0.utf8.allSatisfy { $0 > 0x39 } } ?? false
    return isTag && word.utf8.count <= 35 ? word : nil
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26
  }

  private static let languages: [String: String] = [
    "english": "en", "английский": "en", "русский": "ru", "russian": "ru", "deutsch": "de", "german": "de",
    "français": "fr", "french": "fr", "español": "es", "spanish": "es", "italiano": "it", "italian": "it",
    "ελληνικά": "el", "greek": "el", "türkçe": "tr", "turkish": "tr", "hrvatski": "hr", "croatian": "hr",
  ]

  /// Returns the checklist type for text that is the app's word for a type, a common name of a type, or any word in the
  /// form of a type, which a later version of the app may define. Returns nil for any other text.
  static func checklistType(_ text: Span<UInt8>) -> String? {
    let word = String(decoding: text)
    if checklistTypes.contains(word) { return word }
    let folded = HeaderFold.fold(word)
    if let known = checklistTypes.first(where: { HeaderFold.fold($0) == folded }) { return known }
    if let known = checklistWords[folded] { return known }
    let isWord = word.utf8.count <= 64 && word.utf8.allSatisfy { $0 == 0x5F || $0 &- 0x61 < 26 || $0 &- 0x30 < 10 }
    return isWord ? word : nil
  }

  /// The checklist types that the app defines.
  static let checklistTypes: [String] = [
    Checklist.ChecklistType.general, Checklist.ChecklistType.preCharter, Checklist.ChecklistType.checkIn,
    Checklist.ChecklistType.daily, Checklist.ChecklistType.postCharter, Checklist.ChecklistType.emergency,
    Checklist.ChecklistType.maintenance, Checklist.ChecklistType.safety, Checklist.ChecklistType.provisioning,
  ]

  private static let checklistWords: [String: String] = Dictionary(
    [
      "checklist": "general", "чек-лист": "general", "общий": "general", "общее": "general",
      "before charter": "pre_charter", "перед чартером": "pre_charter", "до чартера": "pre_charter",
      "handover": "check_in", "приёмка": "check_in", "приём": "check_in", "every day": "daily",
      "ежедневно": "daily", "ежедневный": "daily", "after charter": "post_charter", "check out": "post_charter",
      "после чартера": "post_charter", "сдача": "post_charter", "авария": "emergency", "аварийный": "emergency",
      "экстренный": "emergency", "обслуживание": "maintenance", "ремонт": "maintenance", "безопасность": "safety",
      "продукты": "provisioning", "закупка": "provisioning", "закупки": "provisioning", "провизия": "provisioning",
    ].map { (HeaderFold.fold($0), $1) }, uniquingKeysWith: { first, _ in first })

  /// Returns the content type for a word that notes or the app use, or nil for any other text.
  static func contentType(_ text: Span<UInt8>) -> ContentType? {
    contentWords[HeaderFold.fold(String(decoding: text))]
  }

  private static let contentWords: [String: ContentType] = Dictionary(
    [
      (ContentType.checklist, "checklist, check list, list, чек-лист, список, checklists"),
      (.practiceGuide, "practice_guide, guide, note, article, руководство, заметка, статья, guides"),
      (.flashcardDeck, "flashcard_deck, deck, flashcards, cards, колода, карточки, decks"),
    ].flatMap { type, words in words.split(separator: ",").map { (HeaderFold.fold(String($0)), type) } },
    uniquingKeysWith: { first, _ in first })
}

extension TableRow {
  /// The texts of the cells, trimmed of blanks, as they are used to compare headers.
  package var trimmedTexts: [String] {
    cells.indices.map { String(decoding: trimmed($0).span) }
  }

  /// Returns the text of a cell, trimmed of blanks and line ends. It is valid until the row changes.
  @inline(__always)
  func trimmed(_ cell: Int) -> UnsafeBufferPointer<UInt8> {
    let text = text(cell)
    return text.extracting(CellScanner.trimmed(text.span))
  }
}

/// Examines the text of a cell in place.
enum CellScanner {
  /// Returns the range of the text without blanks and line ends around it.
  @inline(__always)
  static func trimmed(_ text: Span<UInt8>) -> Range<Int> {
    var start = 0
    var end = text.count
    while start < end, let length = blank(text, start) { start += length }
    while end > start {
      if isBlank(text[end - 1]) {
        end -= 1
      } else if end - start >= 2, text[end - 2] == 0xC2, text[end - 1] == 0xA0 {
        end -= 2
      } else {
        break
      }
    }
    return start..<end
  }

  @inline(__always) private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte &- 0x09 < 5 }

  /// Returns the length of the blank at an index, or nil for other bytes. No-break spaces count as blanks, because
  /// text that was copied from the web contains them.
  @inline(__always)
  private static func blank(_ text: Span<UInt8>, _ at: Int) -> Int? {
    if isBlank(text[at]) { return 1 }
    return text.count - at >= 2 && text[at] == 0xC2 && text[at + 1] == 0xA0 ? 2 : nil
  }

  /// Returns text for a message, shortened if it is long.
  static func shown(_ text: Span<UInt8>) -> String {
    // A scalar has at most four bytes, so the bytes that are cut here would be cut below anyway.
    shown(String(decoding: text.extracting(first: 61 * 4)))
  }

  /// Returns the beginning of a string, for messages.
  static func shown(_ text: String) -> String {
    Diagnostic.beginning(of: text)
  }
}

/// Parses and writes tags in one cell. The tags are separated by semicolons if the cell contains a semicolon, otherwise
/// by commas, so that `pots, pans;` is a single tag.
enum CellTags {
  /// Calls `body` with the range of each tag, trimmed of blanks.
  @inline(__always)
  static func forEach(_ text: Span<UInt8>, _ body: (Range<Int>) -> Void) {
    if text.isEmpty { return }
    let separator: UInt8 = text.contains(UInt8(ascii: ";")) ? UInt8(ascii: ";") : UInt8(ascii: ",")
    var start = 0
    for at in 0...text.count where at == text.count || text[at] == separator {
      let tag = CellScanner.trimmed(text.extracting(start..<at))
      if !tag.isEmpty { body(start + tag.lowerBound..<start + tag.upperBound) }
      start = at + 1
    }
  }

  /// Appends the tags as an array of strings.
  @inline(__always)
  static func append(_ text: Span<UInt8>, into out: inout ByteBuffer) {
    out.append(UInt8(ascii: "["))
    let open = out.count
    forEach(text) { tag in
      if out.count != open { out.append(UInt8(ascii: ",")) }
      out.appendJSONString(text.extracting(tag))
    }
    out.append(UInt8(ascii: "]"))
  }

  /// Returns the cell that holds the tags, or nil if no cell can hold all tags unchanged.
  static func cell(_ tags: [[UInt8]]) -> [UInt8]? {
    let hasComma = tags.contains { $0.contains(UInt8(ascii: ",")) }
    for tag in tags {
      let isPlain = !tag.isEmpty && CellScanner.trimmed(tag.span).count == tag.count
      if !isPlain || tag.contains(UInt8(ascii: ";")) { return nil }
    }
    let text = Array(tags.joined(separator: Array((hasComma ? "; " : ", ").utf8)))
    return hasComma && tags.count == 1 ? text + [UInt8(ascii: ";")] : text
  }
}

extension CellTags {
  /// Returns the cell that preserves the tags as well as possible if no cell can hold them unchanged.
  static func nearest(_ tags: [[UInt8]]) -> [UInt8] {
    let plain = tags.map { tag in
      tag[CellScanner.trimmed(tag.span)].map { $0 == UInt8(ascii: ";") ? UInt8(ascii: ",") : $0 }
    }
    return cell(plain.filter { !$0.isEmpty }) ?? []
  }
}

/// The unit of a minutes column.
struct MinuteUnit: Sendable, Equatable {
  /// The number of minutes that the number 1 without a unit means: 60 in a column of hours.
  var factor: Double = 1
  /// Whether the column is named just `minutes`, in any language. In such a column, a cell that is not a number of
  /// minutes rejects its row. In a column with a different name, the cell is kept as text.
  var isStrict = true
  /// Whether cells may contain times of day, because the column is named `Time` and its header has no unit.
  private var mayHaveClocks = false

  /// Reads the unit in the header of a minutes column, such as `Time (h)` or `Dauer in Stunden`.
  init(header: String) {
    let words = Self.words(header)
    if let unit = words.last { factor = CellValue.units[unit] ?? 1 }
    mayHaveClocks = HeaderVocabulary.entry(HeaderFold.fold(header), in: .steps).map { !$0.isStrong } ?? false
    isStrict = words.count == 1 && factor == 1 && CellValue.units[words[0]] != nil
  }

  /// Returns the number of minutes in a cell, or nil if the number is not clear or a step cannot take that long.
  func steps(_ text: Span<UInt8>) -> Int64? {
    if mayHaveClocks, text.count >= 5, text[2] == UInt8(ascii: ":") { return nil }
    guard let minutes = CellValue.minutes(text, factor: factor), CellValue.possibleMinutes.contains(minutes) else {
      return nil
    }
    return minutes
  }

  /// Returns a header without the unit at its end, or nil if it does not end with a unit.
  static func base(ofHeader header: String) -> String? {
    guard header.utf8.count <= 200 else { return nil }
    var words = words(header)
    guard let unit = words.popLast(), CellValue.units[unit] != nil else { return nil }
    if let last = words.last, prepositions.contains(last) { words.removeLast() }
    if words.isEmpty { return names.contains(unit) ? TableColumn.minutes.rawValue : nil }
    return words.joined(separator: " ")
  }

  /// The units that can also be the whole name of a column. `hora` and `час` are not among them, because they may also
  /// mean a time of day.
  private static let names: Set<String> = [
    "hours", "hrs", "std", "stunden", "heures", "horas", "ore", "часы", "часов",
  ]
  private static let prepositions: Set<String> = ["in", "en", "em", "в"]

  private static func words(_ header: String) -> [String] {
    header.prefix(200).lowercased().split { !$0.isLetter }.map(String.init)
  }
}
