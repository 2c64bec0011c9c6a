import JSONText

/// What a record carries beside its members: originals that were recovered, and columns that nobody knows.
struct RecordExtras {
  /// Originals that could not be taken as they are, by column; they go to `extras.raw`.
  var raws: [(column: String, json: [UInt8])] = []
  /// Values of unknown columns, by table; they go to `extras.columns`.
  var columns: [(table: String, column: String, json: [UInt8])] = []

  /// Forgets the record before.
  mutating func removeAll() {
    if !raws.isEmpty { raws.removeAll(keepingCapacity: true) }
    if !columns.isEmpty { columns.removeAll(keepingCapacity: true) }
  }

  /// Writes `,"extras":{…}` when there is something to keep.
  func write(into out: inout ByteBuffer, other: [UInt8]? = nil) {
    guard !raws.isEmpty || !columns.isEmpty || other != nil else { return }
    out.append(",\"extras\":{")
    var first = true
    func key(_ text: String, _ first: inout Bool, _ out: inout ByteBuffer) {
      if !first { out.append(UInt8(ascii: ",")) }
      first = false
      out.appendJSONString(text)
      out.append(UInt8(ascii: ":"))
    }
    if !raws.isEmpty {
      key("raw", &first, &out)
      out.append(UInt8(ascii: "{"))
      var inner = true
      for (column, json) in raws {
        key(column, &inner, &out)
        json.withUnsafeBufferPointer { out.append($0) }
      }
      out.append(UInt8(ascii: "}"))
    }
    if !columns.isEmpty {
      key("columns", &first, &out)
      out.append(UInt8(ascii: "{"))
      var table = ""
      var inner = true
      for column in columns {
        if column.table != table {
          if !table.isEmpty { out.append(UInt8(ascii: "}")) }
          var outer = table.isEmpty
          key(column.table, &outer, &out)
          out.append(UInt8(ascii: "{"))
          table = column.table
          inner = true
        }
        key(column.column, &inner, &out)
        column.json.withUnsafeBufferPointer { out.append($0) }
      }
      out.append("}}")
    }
    if let other {
      key("other_body", &first, &out)
      other.withUnsafeBufferPointer { out.append($0) }
    }
    out.append(UInt8(ascii: "}"))
  }
}
