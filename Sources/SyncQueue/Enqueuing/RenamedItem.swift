import JSONText

/// The title that a run gave an item, recorded in the ledger so that it can be reverted.
struct RenamedItem: Sendable {
  /// The item's id.
  let id: String
  /// The title before the run.
  let from: String
  /// The title after the run.
  let to: String

  init(id: String, from: String, to: String) {
    self.id = id
    self.from = from
    self.to = to
  }

  /// Reads a run's details; nil if the run renamed nothing.
  init?(detail: String) {
    guard let item = (try? JSONDocument(parsing: detail))?.root["renamed"], let id = item["id"]?.string,
      let from = item["from"]?.string, let to = item["to"]?.string
    else { return nil }
    self.init(id: id, from: from, to: to)
  }

  /// The details to record for the run, as a JSON object.
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
