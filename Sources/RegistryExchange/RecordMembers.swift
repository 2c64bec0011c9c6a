import Content
import JSONText

/// Writes record members as JSON.
enum RecordMembers {
  static func append(_ value: String?, as key: StaticString, to out: inout ByteBuffer) {
    out.append(key)
    if let value { out.appendJSONString(value) } else { out.append("null") }
  }

  static func append(_ values: [String], as key: StaticString, to out: inout ByteBuffer) {
    out.append(key)
    out.append("[")
    for (index, value) in values.enumerated() {
      if index > 0 { out.append(",") }
      out.appendJSONString(value)
    }
    out.append("]")
  }

  static func append(_ time: Timestamp?, as key: StaticString, to out: inout ByteBuffer) {
    out.append(key)
    if let time { out.appendJSONDate(time) } else { out.append("null") }
  }
}
