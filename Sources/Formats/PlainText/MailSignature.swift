/// Finds the signature at the end of a mail: it is not a part of the list above.
///
/// - Source: formats/plain-text.md; RFC 3676, 4.3 (`-- `)
enum MailSignature {
  /// How many lines a signature has at most, blank ones aside.
  private static let mostLines = 12
  /// How many lines may follow a closing such as `Best regards,`.
  private static let mostBelowClosing = 6

  /// The first line of the signature; nil if the text has none.
  ///
  /// Nothing below it may be an item, and something that is not blank must be above it.
  static func start(_ lines: [TextLine]) -> Int? {
    var found: Int?
    var below = 0
    for index in lines.indices.reversed() where lines[index].form != .blank {
      let words = lines[index].words
      let isDivider = words == "--"
      if !isDivider, lines[index].isItem || below >= mostLines || lines[index].label.count > 80 { break }
      let isStart =
        isDivider || programs.contains { words.hasPrefix($0) }
        || below <= mostBelowClosing && closings.contains(words)
      if isStart { found = index }
      below += 1
    }
    guard let found, lines[..<found].contains(where: { !$0.isEmpty }) else { return nil }
    return found
  }

  /// What programs add.
  private static let programs = [
    "sent from my ", "sent from outlook", "sent from mail for", "sent from yahoo", "sent via ", "get outlook for ",
    "von meinem ", "gesendet von ", "gesendet mit ", "envoyé de ", "envoyé depuis ", "enviado desde ", "inviato da ",
    "отправлено с ", "отправлено из ",
  ]

  /// What people end a mail with.
  private static let closings: Set<String> = [
    "best regards", "kind regards", "warm regards", "regards", "best wishes", "all the best", "cheers", "sincerely",
    "yours sincerely", "yours", "many thanks", "thanks", "thank you", "fair winds", "mit freundlichen grüßen",
    "freundliche grüße", "viele grüße", "beste grüße", "liebe grüße", "gruß", "cordialement", "bien cordialement",
    "amicalement", "saludos", "un saludo", "saludos cordiales", "cordiali saluti", "saluti", "с уважением",
    "всего доброго", "с наилучшими пожеланиями",
  ]
}

/// Finds headings of a list that have no mark: short lines above its items.
enum UnmarkedHeading {
  /// The longest heading, in scalars.
  private static let longest = 40

  /// The lines that are headings.
  static func find(_ lines: [TextLine]) -> Set<Int> {
    var found: Set<Int> = []
    for index in lines.indices where isShort(lines[index]) {
      guard let next = lines[(index + 1)...].firstIndex(where: { !$0.isEmpty }), lines[next].isItem,
        lines[index].indentation <= lines[next].indentation
      else { continue }
      guard index > 0, let last = lines[..<index].last, !last.isEmpty else {
        found.insert(index)
        continue
      }
      // Right below an item, a line may go on with it: only a new beginning below a short one does not.
      if last.isItem, next == index + 1, last.label.count <= longest, last.indentation >= lines[index].indentation,
        beginsAnew(lines[index])
      {
        found.insert(index)
      }
    }
    return found
  }

  /// The headings of a list whose items have no marks: lines alone between blank ones, above several that follow each
  /// other.
  static func findAmongBare(_ lines: [TextLine]) -> Set<Int> {
    var found: Set<Int> = []
    for index in lines.indices.dropLast() where isShort(lines[index]) {
      guard index == 0 || lines[index - 1].isEmpty, lines[index + 1].isEmpty,
        let next = lines[(index + 1)...].firstIndex(where: { !$0.isEmpty }), lines[next].form == .text,
        next + 1 < lines.count, lines[next + 1].form == .text
      else { continue }
      found.insert(index)
    }
    return found
  }

  private static func isShort(_ line: TextLine) -> Bool {
    guard line.form == .text, line.label.count <= longest, let last = line.scalars[line.label].last else {
      return false
    }
    return !".,;!?".unicodeScalars.contains(last)
  }

  private static func beginsAnew(_ line: TextLine) -> Bool {
    guard let first = line.scalars[line.label].first else { return false }
    return first.properties.isUppercase && line.words.split(separator: " ").count <= 4
  }
}
