import Interchange

extension DelimitedSource {
  /// Opens what the options are for: with the delimiter that the user names, as rejects of a table, or as it is found.
  package static func opening(_ source: Source, _ options: TableOptions) throws -> DelimitedSource {
    if let delimiter = options.delimiter { return try DelimitedSource(source, delimiter: delimiter, isSaid: true) }
    return try options.retry.map { try rejects(source, of: $0.table) } ?? DelimitedSource(source)
  }

  /// Opens rejected rows that are read again, as whoever saved them last wrote them.
  ///
  /// A spreadsheet program that opened the file may have saved it with another delimiter: the header tells, which is
  /// known, and the delimiter of the table that the rows are from decides only where nothing else does.
  /// - Throws: `RunFailure` when it cannot be read, is no text, or has not the header of the table any more.
  package static func rejects(_ source: Source, of table: TableOrigin) throws -> DelimitedSource {
    let own = table.delimiter?.utf8.first
    let found = try DelimitedSource(source, preferred: own)
    let columns = table.columns.map(\.trimmingBlanks).filter { !$0.isEmpty }
    if columns.isEmpty { return found }
    var tried: Set<UInt8> = []
    for delimiter in [own, found.dialect.delimiter].compactMap({ $0 }) + DelimitedDialect.delimiters
    where tried.insert(delimiter).inserted {
      let text = delimiter == found.dialect.delimiter ? found : try DelimitedSource(source, delimiter: delimiter)
      let header = text.firstCells.map { Array($0.utf8) }
      if columns.allSatisfy({ header.contains(Array($0.utf8)) }) { return text }
    }
    let header = found.firstCells
    let known = Set(header.map { Array($0.utf8) })
    let missing = columns.filter { !known.contains(Array($0.utf8)) }
    func list(_ names: [String]) -> String {
      names.prefix(12).map { "'\($0)'" }.joined(separator: ", ") + (names.count > 12 ? " …" : "")
    }
    throw RunFailure(
      .failed,
      "read the rejects '\(found.name)': the header has no \(list(missing)); it is \(list(header)), and that of the "
        + "table was \(list(columns))",
      advice: "Give the file the header that the import wrote, with any delimiter, in UTF-8.")
  }

  /// The cells of the first row, without blanks around them; empty where there is none.
  private var firstCells: [String] {
    var row = TableRow()
    guard (try? rows().next(into: &row)) == true else { return [] }
    return row.cells.indices.map { String(decoding: row.text($0), as: UTF8.self).trimmingBlanks }
  }
}

extension String {
  /// Without blanks on either side, as cells of headers are compared.
  fileprivate var trimmingBlanks: String {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte &- 0x09 < 5 }
    let text = utf8.drop(while: isBlank)
    return String(decoding: text.reversed().drop(while: isBlank).reversed(), as: UTF8.self)
  }
}
