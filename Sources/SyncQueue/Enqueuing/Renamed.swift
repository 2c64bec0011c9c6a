import JSONText

/// The title that a run gave an item, as the ledger keeps it for whoever wants it back.
struct Renamed: Sendable {
  /// The item.
  let id: String
  /// The title that it had.
  let from: String
  /// The title that it got.
  let to: String

  init(id: String, from: String, to: String) {
    self.id = id
    self.from = from
    self.to = to
  }

  /// Reads what a run remembers; nil where it renamed nothing.
  init?(detail: String) {
    guard let item = (try? JSONDocument(parsing: detail))?.root["renamed"], let id = item["id"]?.string,
      let from = item["from"]?.string, let to = item["to"]?.string
    else { return nil }
    self.init(id: id, from: from, to: to)
  }

  /// What the run remembers, as a JSON object.
  var detail: String {
    var out = ByteBuffer(capacity: 256)
    out.append("{\"renamed\":{\"id\":")
    out.appendJSONString(id)
    out.append(",\"from\":")
    out.appendJSONString(from)
    out.append(",\"to\":")
    out.appendJSONString(to)
    out.append("}}")
    return String(decoding: out.bytes, as: UTF8.self)
  }
}
