import Interchange
import JSONText

/// What became of the records of a run, as the store keeps it.
enum RunCounts {
  /// A JSON object: `changed` first, then the numbers of all kinds together, of each kind, and of rows.
  /// - Parameter marked: items that got another state of publication or synchronisation, and nothing else.
  static func json(_ tally: Tally, keptBeside: Int, marked: Int = 0) -> String {
    var json = ByteBuffer(capacity: 512)
    let total = tally.total
    json.append(utf8: "{\"changed\":\(total.created + total.updated + marked),\(numbers(total))")
    json.append(utf8: ",\"kept_beside\":\(keptBeside)")
    if marked > 0 { json.append(utf8: ",\"marked\":\(marked)") }
    json.append(",\"kinds\":{")
    for (index, kind) in tally.order.enumerated() {
      if index > 0 { json.append(",") }
      json.appendJSONString(kind.name)
      json.append(utf8: ":{\(numbers(tally[kind]))}")
    }
    json.append("}")
    let rows = tally.rows
    if !rows.isEmpty {
      json.append(
        utf8: ",\"rows\":{\"read\":\(rows.read),\"rejected\":\(rows.rejected),\"removed\":\(rows.removed),"
          + "\"moved\":\(rows.moved)}")
    }
    json.append("}")
    return String(decoding: json.bytes, as: UTF8.self)
  }

  private static func numbers(_ tally: KindTally) -> String {
    "\"read\":\(tally.read),\"created\":\(tally.created),\"updated\":\(tally.updated),"
      + "\"unchanged\":\(tally.unchanged),\"rejected\":\(tally.rejected),"
      + "\"skipped\":\(tally.skipped.values.reduce(0, +))"
  }
}
