/// Reads durations as people type them after a step: `5 mins`, `1 h`, `1 h 30`, `1,5 hours`.
enum StepDuration {
  private static let minutes: Set<String> = [
    "min", "min.", "mins", "mins.", "minute", "minutes", "minuten", "minuto", "minutos", "minuti", "мин", "мин.",
    "минут", "минута", "минуты",
  ]
  private static let hours: Set<String> = [
    "h", "hr", "hrs", "hr.", "hrs.", "hour", "hours", "std", "std.", "stunde", "stunden", "heure", "heures", "hora",
    "horas", "ora", "ore", "ч", "ч.", "час", "часа", "часов",
  ]

  /// Returns the minutes of a duration, as JSON; nil if the text is not a duration, or is longer than a month.
  /// - Parameter text: the duration in lower case.
  static func minutes(_ text: String) -> String? {
    var rest = Substring(text)
    guard let first = number(&rest) else { return nil }
    // `5m`; after a blank, `m` means metres.
    if rest == "m", first.isWhole { return shown(first.value) }
    let unit = word(&rest)
    if minutes.contains(unit) { return rest.isEmpty ? shown(first.value) : nil }
    guard hours.contains(unit) else { return nil }
    if rest.isEmpty { return shown(first.value * 60) }
    // `1 h 30`, `1h30min`
    guard first.isWhole, let second = number(&rest), second.isWhole, second.value < 60 else { return nil }
    let last = word(&rest)
    guard rest.isEmpty, last.isEmpty || last == "m" || minutes.contains(last) else { return nil }
    return shown(first.value * 60 + second.value)
  }

  /// Removes the number at the beginning and returns it.
  private static func number(_ rest: inout Substring) -> (value: Double, isWhole: Bool)? {
    let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == ",") }
    guard digits.count <= 7, let first = digits.first, first.isNumber, digits.last?.isNumber == true,
      let value = Double(digits.replacing(",", with: "."))
    else { return nil }
    rest = rest[digits.endIndex...]
    return (value, !digits.contains { $0 == "." || $0 == "," })
  }

  /// Removes the word at the beginning, with the blanks around it, and returns the word.
  private static func word(_ rest: inout Substring) -> String {
    rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "\u{A0}" }
    let word = rest.prefix { $0.isLetter || $0 == "." }
    rest = rest[word.endIndex...].drop { $0 == " " || $0 == "\t" || $0 == "\u{A0}" }
    return String(word)
  }

  private static func shown(_ minutes: Double) -> String? {
    guard minutes <= 44_640 else { return nil }
    let rounded = (minutes * 100).rounded() / 100
    return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
  }
}
