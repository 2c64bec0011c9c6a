import Interchange

/// The unit of a minutes column.
struct MinuteUnit: Sendable, Equatable {
  /// The number of minutes that the number 1 without a unit means: 60 in a column of hours.
  var factor: Double = 1
  /// Whether the column is named just `minutes`, in any language. In such a column, a cell that is not a number of
  /// minutes rejects its row. In a column with another name, the cell is kept as text.
  var isStrict = true
  /// Whether cells may contain times of day, because the column is named `Time` and its header has no unit.
  private var mayHaveClocks = false

  /// Reads the unit in the header of a minutes column, such as `Time (h)` or `Dauer in Stunden`.
  init(header: String) {
    let words = Self.words(header)
    if let unit = words.last { factor = CellValue.units[unit] ?? 1 }
    mayHaveClocks = HeaderVocabulary.entry(HeaderFold.fold(header), in: .steps).map { !$0.isStrong } ?? false
    isStrict = words.count == 1 && factor == 1 && CellValue.units[words[0]] != nil
  }

  /// Returns the number of minutes in a cell, or nil if the number is not clear or a step cannot take that long.
  func steps(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
    if mayHaveClocks, text.count >= 5, text[2] == UInt8(ascii: ":") { return nil }
    guard let minutes = CellValue.minutes(text, factor: factor), CellValue.possibleMinutes.contains(minutes) else {
      return nil
    }
    return minutes
  }

  /// Returns a header without the unit at its end, or nil if it does not end with a unit.
  static func base(ofHeader header: String) -> String? {
    guard header.utf8.count <= 200 else { return nil }
    var words = words(header)
    guard let unit = words.popLast(), CellValue.units[unit] != nil else { return nil }
    if let last = words.last, prepositions.contains(last) { words.removeLast() }
    if words.isEmpty { return names.contains(unit) ? TableColumn.minutes.rawValue : nil }
    return words.joined(separator: " ")
  }

  /// The units that can also be the whole name of a column. `hora` and `час` are not among them, because they may also
  /// mean a time of day.
  private static let names: Set<String> = [
    "hours", "hrs", "std", "stunden", "heures", "horas", "ore", "часы", "часов",
  ]
  private static let prepositions: Set<String> = ["in", "en", "em", "в"]

  private static func words(_ header: String) -> [String] {
    header.prefix(200).lowercased().split { !$0.isLetter }.map(String.init)
  }
}
