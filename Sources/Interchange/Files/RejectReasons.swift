import Content
import JSONText

/// The lines of the file of reasons that lies beside rejected records.
enum RejectReasons {
  /// The first line of a table: the file that its rows are in, and what reading them again needs to know.
  static func head(of file: String, origin: String) -> String {
    var line = ByteBuffer()
    line.append("{\"rejects\":")
    line.appendJSONString(file)
    line.append(",\"origin\":")
    line.append(utf8: origin.isEmpty ? "{}" : origin)
    line.append("}\n")
    return String(decoding: line.bytes, as: UTF8.self)
  }

  /// Why a record, or rows, were rejected.
  /// - Parameters:
  ///   - number: which of its file it is, from 1; headers do not count.
  ///   - file: the file that rows are in; nil for records, which have one file.
  static func line(of record: RejectedRecord, number: Int, file: String?) -> String {
    var line = ByteBuffer()
    line.append("{")
    if let file {
      line.append("\"rejects\":")
      line.appendJSONString(file)
      line.append(",")
    }
    line.append("\"record\":")
    line.append(utf8: String(number))
    if file != nil, record.rows > 1 {
      line.append(",\"rows\":")
      line.append(utf8: String(record.rows))
    }
    line.append(",\"kind\":")
    line.appendJSONString(record.kind.name)
    line.append(",\"place\":")
    line.appendJSONString(record.place)
    switch record.after {
    case .unknown: break
    case .first: line.append(",\"after\":null")
    case .behind(let step):
      line.append(",\"after\":")
      line.appendJSONString(step)
    }
    if !record.above.isEmpty {
      line.append(",\"above\":{")
      for (index, entry) in record.above.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { line.append(",") }
        line.appendJSONString(entry.key)
        line.append(":")
        line.appendJSONString(entry.value)
      }
      line.append("}")
    }
    line.append(",\"reasons\":[")
    for (index, reason) in record.reasons.enumerated() {
      if index > 0 { line.append(",") }
      line.append("{\"code\":")
      line.appendJSONString(reason.code)
      line.append(",\"message\":")
      line.appendJSONString(reason.message)
      line.append(",\"place\":")
      line.appendJSONString(reason.place)
      line.append("}")
    }
    line.append("]}\n")
    return String(decoding: line.bytes, as: UTF8.self)
  }
}
