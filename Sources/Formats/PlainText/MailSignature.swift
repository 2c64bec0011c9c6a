/// Finds the signature at the end of a mail. The signature is not part of the list above it.
///
/// - Source: formats/plain-text.md; RFC 3676, 4.3 (`-- `)
enum MailSignature {
  /// The maximum number of non-blank lines in a signature.
  private static let mostLines = 12
  /// The maximum number of lines after a closing such as `Best regards,`.
  private static let mostBelowClosing = 6

  /// Returns the index of the signature's first line; nil if the text has no signature.
  ///
  /// No line of the signature may be an item, and at least one line above the signature must not be blank.
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

  /// The beginnings of lines that mail programs add.
  private static let programs = [
    "sent from my ", "sent from outlook", "sent from mail for", "sent from yahoo", "sent via ", "get outlook for ",
    "von meinem ", "gesendet von ", "gesendet mit ", "envoyé de ", "envoyé depuis ", "enviado desde ", "inviato da ",
    "отправлено с ", "отправлено из ",
  ]

  /// The closings that people write.
  private static let closings: Set<String> = [
    "best regards", "kind regards", "warm regards", "regards", "best wishes", "all the best", "cheers", "sincerely",
    "yours sincerely", "yours", "many thanks", "thanks", "thank you", "fair winds", "mit freundlichen grüßen",
    "freundliche grüße", "viele grüße", "beste grüße", "liebe grüße", "gruß", "cordialement", "bien cordialement",
    "amicalement", "saludos", "un saludo", "saludos cordiales", "cordiali saluti", "saluti", "с уважением",
    "всего доброго", "с наилучшими пожеланиями",
  ]
}

/// Finds unmarked headings in a list: short lines above its items.
enum UnmarkedHeading {
  /// The maximum length of a heading, in Unicode scalars.
  private static let longest = 40

  /// Returns the indexes of the lines that are headings.
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
      // A line directly below an item may continue the item, unless the item is short and the line begins a new group.
      if last.isItem, next == index + 1, last.label.count <= longest, last.indentation >= lines[index].indentation,
        isNewBeginning(lines[index])
      {
        found.insert(index)
      }
    }
    return found
  }

  /// Returns the headings in a list whose items have no marks. A heading is a single line between blank lines, above
  /// several consecutive lines.
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

  private static func isNewBeginning(_ line: TextLine) -> Bool {
    guard let first = line.scalars[line.label].first else { return false }
    return first.properties.isUppercase && line.words.split(separator: " ").count <= 4
  }
}
