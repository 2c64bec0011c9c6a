import Interchange

extension TableTemplate {
  /// Writes the template of a shape as a table.
  /// - Throws: `RunFailure` when it cannot be written.
  package static func write(_ shape: TableShape, to sink: any TableSink) throws {
    try sink.begin(TableWriting.name(of: shape), columns: columns(shape))
    for texts in rows(shape).dropFirst() {
      var row = TableRow()
      for text in texts {
        row.cells.append(TableRow.Cell(start: row.bytes.count, length: text.utf8.count))
        row.bytes.append(utf8: text)
      }
      try sink.write(row)
    }
    try sink.end()
  }
}
