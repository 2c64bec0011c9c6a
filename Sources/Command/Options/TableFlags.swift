import ArgumentParser
import FleetKit
import Foundation

/// The option `--shape`, the meaning of a table's rows.
struct ShapeFlag: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      """
      What each row is: a checklist step (steps), a card (cards), an item (catalogue), or a charter (charters). \
      'fleetkit formats --template steps.csv' writes a table to fill in.
      """, valueName: "shape"),
    completion: .list(TableShape.allCases.map(\.rawValue)))
  var shape: String?

  func validate() throws {
    guard let shape, TableShape(rawValue: shape) == nil else { return }
    let words = TableShape.allCases.map(\.rawValue).joined(separator: ", ")
    throw ValidationError("--shape must be \(words), not '\(shape)'.")
  }
}

/// The options for reading tables with headers other than FleetKit's.
struct TableFlags: ParsableArguments {
  @Option(
    name: .long, parsing: .singleValue,
    help: ArgumentHelp(
      "Map a header to a column, e.g. 'Шаг=item'; 'Price=' leaves the column out. May be repeated.",
      valueName: "header=column"))
  var map: [String] = []

  @Option(
    name: .long, parsing: .singleValue,
    help: ArgumentHelp("Leave this column out. May be repeated.", valueName: "header"))
  var dropColumn: [String] = []

  @Flag(
    name: .long,
    help: "The first row is data, not a header. Map columns by number: --map 1=section --map 2=item.")
  var noHeader = false

  @Flag(name: .long, help: "Each column is a section, with its name in the first row and its steps' titles below.")
  var matrix = false

  @Option(
    name: .long,
    help: ArgumentHelp("The column that identifies rows without an id.", valueName: "header"))
  var key: String?

  @Option(
    name: .long,
    help: ArgumentHelp("Read only this sheet of a workbook (default: every sheet with a header).", valueName: "name"))
  var sheet: String?

  @OptionGroup var shape: ShapeFlag

  @OptionGroup var delimiter: DelimiterFlag

  func validate() throws {
    if matrix, noHeader || !map.isEmpty || !dropColumn.isEmpty || key != nil {
      throw ValidationError(
        "--matrix cannot be used with --map, --drop-column, --no-header or --key.")
    }
    for pair in map where Self.split(pair) == nil {
      throw ValidationError("--map must be HEADER=COLUMN, not '\(pair)'.")
    }
  }

  /// The run's table options.
  var options: TableOptions {
    var options = TableOptions()
    options.map = map.compactMap(Self.split) + dropColumn.map { ($0, "") }
    options.noHeader = noHeader
    options.matrix = matrix
    options.key = key
    options.sheet = sheet
    options.shape = shape.shape
    options.delimiter = delimiter.byte
    return options
  }

  /// Splits at the last equals sign, because a header may contain an equals sign but a column name never does.
  private static func split(_ pair: String) -> (header: String, column: String)? {
    guard let sign = pair.utf8.lastIndex(of: UInt8(ascii: "=")), sign != pair.utf8.startIndex else { return nil }
    let column = pair.utf8[pair.utf8.index(after: sign)...]
    return (
      String(decoding: pair.utf8[..<sign], as: UTF8.self),
      String(decoding: column, as: UTF8.self).trimmingCharacters(in: .whitespaces)
    )
  }
}
