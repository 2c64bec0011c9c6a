import ArgumentParser
import FleetKit
import Foundation

/// What a row of a table stands for.
struct ShapeFlag: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      """
      What a row stands for: a step of a checklist (steps), a card (cards), or an item (catalogue). 'fleetkit formats \
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
    name: .long,
    help: ArgumentHelp("The column that tells rows apart where there are no ids.", valueName: "header"))
  var key: String?

  @Option(
    name: .long, help: ArgumentHelp("The sheet of a workbook; all that have a header by default.", valueName: "name"))
  var sheet: String?

  @OptionGroup var shape: ShapeFlag

  @OptionGroup var delimiter: DelimiterFlag

  func validate() throws {
    for pair in map where Self.split(pair) == nil {
      throw ValidationError("--map takes HEADER=COLUMN, not '\(pair)'.")
    }
  }

  /// The options of the run.
  var options: TableOptions {
    var options = TableOptions()
    options.map = map.compactMap(Self.split)
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
