import ArgumentParser
import FleetKit
import Foundation

/// What a row of a table stands for.
struct ShapeFlag: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      """
      What a row stands for: a step of a checklist (steps), a card (cards), an item (catalogue), or a trip \
      (charters). 'fleetkit formats \
      --template steps.csv' writes a table of a shape to fill in.
      """, valueName: "shape"),
    completion: .list(TableShape.allCases.map(\.rawValue)))
  var shape: String?

  func validate() throws {
    guard let shape, TableShape(rawValue: shape) == nil else { return }
    let words = TableShape.allCases.map(\.rawValue).joined(separator: ", ")
    throw ValidationError("--shape takes \(words), not '\(shape)'.")
  }
}

/// How tables are read whose headers are not FleetKit's own.
struct TableFlags: ParsableArguments {
  @Option(
    name: .long, parsing: .singleValue,
    help: ArgumentHelp(
      "What a header stands for, 'Шаг=item'; 'Price=' leaves its column out. May be given again.",
      valueName: "header=column"))
  var map: [String] = []

  @Option(
    name: .long, parsing: .singleValue,
    help: ArgumentHelp("A column that is left out. May be given again.", valueName: "header"))
  var dropColumn: [String] = []

  @Flag(
    name: .long,
    help: "The first row is data as all others; --map names columns by their numbers, --map 1=section --map 2=item.")
  var noHeader = false

  @Flag(name: .long, help: "Each column is a section, with the titles of its steps below its name.")
  var matrix = false

  @Option(
    name: .long,
    help: ArgumentHelp("The column that tells rows apart where there are no ids.", valueName: "header"))
  var key: String?

  @Option(
    name: .long, help: ArgumentHelp("The sheet of a workbook; all that have a header by default.", valueName: "name"))
  var sheet: String?

  @OptionGroup var shape: ShapeFlag

  @OptionGroup var delimiter: DelimiterFlag

  func validate() throws {
    if matrix, noHeader || !map.isEmpty || !dropColumn.isEmpty || key != nil {
      throw ValidationError(
        "--matrix says what all columns are; leave out --map, --drop-column, --no-header and --key.")
    }
    for pair in map where Self.split(pair) == nil {
      throw ValidationError("--map takes HEADER=COLUMN, not '\(pair)'.")
    }
  }

  /// The options of the run.
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

  /// A header may have an equals sign in it, a column has none.
  private static func split(_ pair: String) -> (header: String, column: String)? {
    guard let sign = pair.utf8.lastIndex(of: UInt8(ascii: "=")), sign != pair.utf8.startIndex else { return nil }
    let column = pair.utf8[pair.utf8.index(after: sign)...]
    return (
      String(decoding: pair.utf8[..<sign], as: UTF8.self),
      String(decoding: column, as: UTF8.self).trimmingCharacters(in: .whitespaces)
    )
  }
}
