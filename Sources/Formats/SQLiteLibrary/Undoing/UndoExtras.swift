import JSONText

/// What a journal keeps beside rows.
package struct UndoExtras: Sendable {
  /// When the run began, as the store says: a journal of another store's run of this number is none.
  package var started = ""
  /// Whether the run changed what tables there are, which no journal takes back.
  package var schemaChanged = false
  /// Counters of AUTOINCREMENT that changed: table, before, after; nil for none.
  package var sequences: [(table: String, old: String?, new: String?)] = []
  /// SHA-256 of attachments whose bytes the run brought.
  package var media: [String] = []
  /// The run whose rows in the ledger, where nothing older is known, were made by this one; nil for none.
  package var ledgerRun: Int64?
  /// Numbers of sources and files that the run made: above the first, up to the second.
  package var sources: (Int64, Int64) = (0, 0)
  package var files: (Int64, Int64) = (0, 0)

  init() {}

  /// Reads what `write` made.
  init(_ root: JSONValue) {
    started = root["started"]?.string ?? ""
    schemaChanged = root["schema_changed"]?.bool ?? false
    sequences = (root["sequences"]?.elements ?? []).map { ($0[0]?.string ?? "", $0[1]?.string, $0[2]?.string) }
    media = (root["media"]?.elements ?? []).compactMap(\.string)
    ledgerRun = root["ledger_run"]?.integer
    sources = (root["sources"]?[0]?.integer ?? 0, root["sources"]?[1]?.integer ?? 0)
    files = (root["files"]?[0]?.integer ?? 0, root["files"]?[1]?.integer ?? 0)
  }

  /// Appends everything that is no entry, as JSON.
  func write(
    to out: inout ByteBuffer, tables: [JournalTable], blocks: [(offset: Int, size: Int)], entries: Int
  ) {
    func list<Element>(_ all: [Element], _ write: (Element) -> Void) {
      out.append("[")
      for (index, one) in all.enumerated() {
        if index > 0 { out.append(",") }
        write(one)
      }
      out.append("]")
    }
    func text(_ value: String?) {
      if let value { out.appendJSONString(value) } else { out.append("null") }
    }
    out.append("{\"started\":")
    text(started)
    out.append(utf8: ",\"entries\":\(entries),\"schema_changed\":\(schemaChanged),\"sequences\":")
    list(sequences) { one in list([one.table, one.old, one.new]) { text($0) } }
    out.append(",\"media\":")
    list(media) { text($0) }
    if let ledgerRun { out.append(utf8: ",\"ledger_run\":\(ledgerRun)") }
    out.append(
      utf8: ",\"sources\":[\(sources.0),\(sources.1)],\"files\":[\(files.0),\(files.1)],\"tables\":")
    list(tables) { table in
      out.append("{\"name\":")
      text(table.name)
      out.append(utf8: ",\"beside\":\(table.isBeside),\"rows\":\(table.hasRows),\"columns\":")
      list(table.columns) { text($0) }
      out.append(",\"keys\":")
      list(table.keys) { out.append(utf8: "\($0)") }
      out.append("}")
    }
    out.append(",\"blocks\":")
    list(blocks) { out.append(utf8: "[\($0.offset),\($0.size)]") }
    out.append("}")
  }
}
