import Content
import JSONText
import SQLiteIO

/// Writes any stored value as JSON: blobs, and text that JSON cannot hold, as `{"$hex":"…"}`.
enum StoredValue {
  static func append(_ statement: SQLiteStatement, position: Int, into out: inout ByteBuffer) {
    switch statement.storage(at: position) {
    case .null: out.append("null")
    case .integer: out.append(utf8: String(statement.integer(at: position)))
    case .real:
      let value = statement.double(at: position)
      out.append(utf8: value.isFinite ? "\(value)" : value < 0 ? "-1e999" : "1e999")
    case .text:
      append(text: statement.bytes(at: position), into: &out)
    case .blob: appendHex(statement.blob(at: position), into: &out)
    }
  }

  static func append(text: UnsafeBufferPointer<UInt8>, into out: inout ByteBuffer) {
    if UTF8Check.firstInvalid(in: text) == nil, !MarkRuns.isTooLong(in: text) { return out.appendJSONString(text) }
    appendHex(text, into: &out)
  }

  private static func appendHex(_ bytes: UnsafeBufferPointer<UInt8>, into out: inout ByteBuffer) {
    out.append("{\"$hex\":\"")
    out.append(utf8: Digest.hex(Array(bytes)))
    out.append("\"}")
  }
}
