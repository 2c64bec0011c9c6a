import Diagnostics

/// Tells whether a finding is one that was there before: a hash of what stays when lines and elements move.
///
/// 128 bits (FNV-1a), 32 digits. Its parts are the code, the file's name, the record, the row, the pointer with `*` for
/// every index, and the message without its counts; never a line or a column. Whoever makes two findings collide hides one of them in
/// their own baseline, so a cryptographic hash would protect nobody.
package struct Fingerprint {
  private var hash: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D

  /// Starts with nothing hashed.
  package init() {}

  /// The fingerprint of a finding whose file reports name `file`: the same whatever the message counts.
  package static func of(_ finding: Diagnostic, file: String) -> String {
    of(finding, message: withoutCounts(finding.message), file: file)
  }

  /// The fingerprint with the message as it is, which baselines contain that older versions wrote.
  package static func withCounts(of finding: Diagnostic, file: String) -> String {
    of(finding, message: finding.message, file: file)
  }

  private static func of(_ finding: Diagnostic, message: String, file: String) -> String {
    var print = Fingerprint()
    print.add(finding.code.id)
    print.add(file)
    print.add(finding.place.member)
    print.add(finding.record)
    print.add(finding.place.row?.table)
    print.add(finding.place.row?.id)
    print.add(finding.place.row?.column)
    print.add(withoutIndices(finding.place.pointer))
    print.add(message)
    return print.digits
  }

  /// The hash so far as 32 digits.
  package var digits: String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }

  /// Adds a part. Its length comes first, so that no two lists of parts give the same bytes.
  mutating func add(_ part: String?) {
    guard let part else { return add(bytes: "-".utf8) }
    add(bytes: "\(part.utf8.count):".utf8)
    add(bytes: part.utf8)
  }

  /// Adds bytes.
  package mutating func add(bytes: some Sequence<UInt8>) {
    // The prime of 128-bit FNV, 2^88 + 0x13B.
    for byte in bytes { hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013B }
  }

  /// A message with `#` for every number, and with one form of words that change with a number. What it quotes stays.
  static func withoutCounts(_ message: String) -> String {
    var text = ""
    var word = ""
    var isQuoted = false
    func endWord() {
      text += isQuoted ? word : withoutNumber(word)
      word = ""
    }
    for character in message.unicodeScalars {
      if character == "“" || character == "”" {
        endWord()
        isQuoted = character == "“"
      }
      if character.properties.isAlphabetic || character.properties.numericType != nil {
        word.unicodeScalars.append(character)
      } else {
        endWord()
        text.unicodeScalars.append(character)
      }
    }
    endWord()
    return text
  }

  /// The same for `notes` and `note`, `have` and `has`, `1` and `22`.
  private static func withoutNumber(_ word: String) -> String {
    if !word.isEmpty, word.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) { return "#" }
    switch word {
    case "a", "an", "one": return "#"
    case "are": return "is"
    case "have": return "has"
    case "were": return "was"
    case "they", "them": return "it"
    case "their": return "its"
    default: break
    }
    if word.hasSuffix("ies") { return word.dropLast(3) + "y" }
    return word.utf8.count > 3 && word.hasSuffix("s") ? String(word.dropLast()) : word
  }

  /// `/0/items/3/title` as `/*/items/*/title`.
  package static func withoutIndices(_ pointer: String) -> String {
    pointer.split(separator: "/", omittingEmptySubsequences: false).map { step in
      !step.isEmpty && step.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? "*" : step
    }.joined(separator: "/")
  }
}
