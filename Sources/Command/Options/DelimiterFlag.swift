import ArgumentParser
import FleetKit

/// What stands between the cells of a delimited text.
struct DelimiterFlag: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      """
      What separates the cells of CSV: comma, semicolon, tab or bar, or the character itself. Of the file that is \
      written, where that is CSV, else of those that are read. Excel of many countries wants a semicolon.
      """, valueName: "delimiter"),
    completion: .list(Self.words.map(\.word)))
  var delimiter: String?

  private static let words: [(word: String, byte: UInt8)] = [
    ("comma", UInt8(ascii: ",")), ("semicolon", UInt8(ascii: ";")), ("tab", 0x09), ("bar", UInt8(ascii: "|")),
  ]

  /// The delimiter; nil when nobody says one.
  var byte: UInt8? {
    guard let delimiter else { return nil }
    if delimiter == "\\t" { return 0x09 }
    if let byte = delimiter.utf8.first, delimiter.utf8.count == 1 { return Self.words.first { $0.byte == byte }?.byte }
    return Self.words.first { $0.word.utf8.elementsEqual(delimiter.lowercased().utf8) }?.byte
  }

  func validate() throws {
    guard let delimiter, byte == nil else { return }
    throw ValidationError(
      "--delimiter takes comma, semicolon, tab or bar (or , ; \\t |), not '\(TerminalText.escape(delimiter))'.")
  }
}
