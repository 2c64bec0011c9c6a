/// Makes text from content safe for a terminal: control and bidirectional characters are shown, not executed.
public enum TerminalEscaping {
  /// Returns `text` with every control, escape and bidi-override character written as `\u{…}`.
  public static func escape(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
    var safe = ""
    for scalar in text.unicodeScalars {
      if let visible = escape(scalar) { safe += visible } else { safe.unicodeScalars.append(scalar) }
    }
    return safe
  }

  /// Returns lines that are safe to print. Line ends, tabs and FleetKit's own colours are kept, and all other control
  /// characters are written as `\u{…}`. All output goes through this function; single values have been escaped before.
  /// - Parameter colours: whether the lines have colours.
  public static func safe(_ text: String, colours: Bool) -> String {
    replace(text) { scalar, rest in
      if scalar == "\u{1B}", colours, let length = ownColour(rest) { return (String(rest.prefix(length)), length) }
      return (escape(scalar) ?? String(scalar), 1)
    }
  }

  /// Returns JSON that is safe to print: control characters in its strings are written as the equivalent `\uXXXX`.
  public static func safeJSON(_ text: String) -> String {
    replace(text) { scalar, _ in
      let digits = String(scalar.value, radix: 16)
      return ("\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits, 1)
    }
  }

  /// Replaces unsafe characters except line ends and tabs.
  /// - Parameter body: receives the character and the text starting with it; returns the replacement and the number of
  ///   characters that it replaces.
  private static func replace(
    _ text: String, _ body: (UnicodeScalar, Substring.UnicodeScalarView) -> (text: String, count: Int)
  ) -> String {
    func isWanted(_ scalar: UnicodeScalar) -> Bool { scalar == "\n" || scalar == "\t" || !isUnsafe(scalar) }
    var rest = text[...].unicodeScalars
    guard !rest.allSatisfy(isWanted) else { return text }
    var safe = ""
    while let scalar = rest.first {
      if isWanted(scalar) {
        safe.unicodeScalars.append(scalar)
        rest.removeFirst()
      } else {
        let (shown, count) = body(scalar, rest)
        safe += shown
        rest.removeFirst(count)
      }
    }
    return safe
  }

  /// Returns the length of the colour sequence at the beginning of a string; nil if the string does not begin with one
  /// of FleetKit's colours.
  private static func ownColour(_ text: Substring.UnicodeScalarView) -> Int? {
    ["\u{1B}[0m", "\u{1B}[2m", "\u{1B}[31m", "\u{1B}[33m", "\u{1B}[36m"].map(\.unicodeScalars)
      .first { text.starts(with: $0) }?.count
  }

  /// Returns the escape sequence for an unsafe character; nil for a safe one.
  public static func escape(_ scalar: UnicodeScalar) -> String? {
    guard isUnsafe(scalar) else { return nil }
    switch scalar {
    case "\n": return "\\n"
    case "\t": return "\\t"
    default: return "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    }
  }

  private static func isUnsafe(_ scalar: UnicodeScalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }

  /// Returns a file name for a shell, quoted if necessary.
  public static func shellQuoted(_ name: String) -> String {
    let plain = name.unicodeScalars.allSatisfy { scalar in
      scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "/._-+@%,:=".unicodeScalars.contains(scalar)
    }
    return plain && !name.isEmpty ? name : "'" + escape(name).replacing("'", with: "'\\''") + "'"
  }
}

/// Renders findings for people: place, severity, code, message, why, fix.
public struct TextRenderer: Sendable {
  /// Whether to colour the severity.
  public let colour: Bool

  /// Makes a renderer.
  public init(colour: Bool) { self.colour = colour }

  /// Renders one finding in three lines.
  public func render(_ finding: Diagnostic) -> String {
    let severity = paint(finding.severity.description, finding.severity)
    var text = "\(TerminalEscaping.escape(finding.place.description)): \(severity)[\(finding.code.id)] "
    text += TerminalEscaping.escape(finding.message)
    if let title = finding.title { text += " (in “\(TerminalEscaping.escape(title))”)" }
    text += "\n"
    text += "   why: \(TerminalEscaping.escape(finding.why))\n"
    text += "   fix: \(TerminalEscaping.escape(finding.fix))\n"
    return text
  }

  /// Renders the findings of a kind: the first finding in full, and the places of the next ones.
  public func render(_ group: DiagnosticLog.Group) -> String {
    guard let first = group.kept.first else { return "" }
    var text = render(first)
    guard group.count > 1 else { return text }
    let others = group.kept.dropFirst().filter { $0.place.description != first.place.description }
    // All findings are shown if there are only a few and their messages differ.
    let differ =
      group.count <= Self.shownMessages + 1 && others.contains { $0.message != first.message || $0.fix != first.fix }
    let shown = others.prefix(differ ? Self.shownMessages : Self.shownPlaces)
    let rest = group.count - 1 - shown.count
    text += "   \(group.count) of this kind"
    if differ {
      text += ":\n"
      for other in shown {
        let fix = other.fix == first.fix ? "" : " (fix: \(other.fix))"
        text += "   - \(TerminalEscaping.escape("\(Self.place(other, after: first)): \(other.message)\(fix)"))\n"
      }
    } else {
      let places = shown.map { TerminalEscaping.escape(Self.place($0, after: first)) }
      if !places.isEmpty { text += "; also " + places.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "") }
      text += "\n"
    }
    return text
  }

  /// Returns the place of a finding, without the file if it is the first finding's file.
  private static func place(_ finding: Diagnostic, after first: Diagnostic) -> String {
    let text = finding.place.description
    guard finding.place.file == first.place.file, text.hasPrefix(first.place.file + ":") || finding.place.row != nil
    else { return text }
    return String(text.dropFirst(first.place.file.count + (finding.place.row == nil ? 1 : 0)))
  }

  /// The number of places that are listed after the first.
  private static let shownPlaces = 3
  private static let shownMessages = 8

  /// Returns the number of findings of each severity.
  public func summary(of log: DiagnosticLog) -> String {
    Severity.summary { log.count($0) }
  }

  private func paint(_ word: String, _ severity: Severity) -> String {
    guard colour else { return word }
    let code =
      switch severity {
      case .error: "31"
      case .warning: "33"
      case .note: "36"
      }
    return "\u{1B}[\(code)m\(word)\u{1B}[0m"
  }
}
