import ArgumentParser
import FleetKit

/// The option `--delimiter`, the separator of delimited text.
struct DelimiterFlag: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      """
      The CSV separator: comma, semicolon, tab or bar, or the character itself. Applies to the target if it \
      is CSV, otherwise to the sources. In many countries Excel expects a semicolon.
      """, valueName: "delimiter"),
    completion: .list(Self.words.map(\.word)))
  var delimiter: String?

  private static let words: [(word: String, byte: UInt8)] = [
    ("comma", UInt8(ascii: ",")), ("semicolon", UInt8(ascii: ";")), ("tab", 0x09), ("bar", UInt8(ascii: "|")),
  ]

  /// The delimiter; nil if none is given.
  var byte: UInt8? {
    guard let delimiter else { return nil }
    if delimiter == "\\t" { return 0x09 }
    if let byte = delimiter.utf8.first, delimiter.utf8.count == 1 { return Self.words.first { $0.byte == byte }?.byte }
    return Self.words.first { $0.word.utf8.elementsEqual(delimiter.lowercased().utf8) }?.byte
  }

  func validate() throws {
    guard let delimiter, byte == nil else { return }
    throw ValidationError(
      "--delimiter must be comma, semicolon, tab or bar (or , ; \\t |), not '\(TerminalEscaping.escape(delimiter))'.")
  }
}
