import Content
import HTTPTypes
import Hummingbird
import JSONText
import NIOCore
import RegistryModel

extension HTTPField.Name {
  static let idempotencyKey = Self.known("Idempotency-Key")
  static let idempotencyReplayed = Self.known("Idempotency-Replayed")
  static let link = Self.known("Link")
  static let nextCursor = Self.known("X-Next-Cursor")
  static let ownerID = Self.known("X-Owner-Id")
  static let contentDigest = Self.known("X-Content-Digest")

  /// Returns a header name of this interface. `Date` would only be used for a misspelt name, which a test would detect.
  private static func known(_ name: String) -> HTTPField.Name { HTTPField.Name(name) ?? .date }
}

extension Response {
  /// The media type of answers that are not problems.
  static let jsonType = "application/json"

  /// Makes a JSON answer.
  static func json(
    _ status: HTTPResponse.Status = .ok, _ body: borrowing JSONOutput, headers: HTTPFields = HTTPFields()
  ) -> Response {
    var fields = headers
    fields[.contentType] = jsonType
    var buffer = ByteBufferAllocator().buffer(capacity: body.count)
    buffer.writeBytes(UnsafeRawBufferPointer(body.bytes))
    return Response(status: status, headers: fields, body: .init(byteBuffer: buffer))
  }

  /// Returns the answer to a client that already has the item. Its length would be the item's length (RFC 9110, 8.6),
  /// so the answer has none.
  static func notModified(_ headers: HTTPFields) -> Response {
    var response = Response(status: .notModified, headers: headers)
    response.headers[.contentLength] = nil
    return response
  }

  /// Makes an answer from stored bytes.
  init(_ answer: StoredAnswer, replayed: Bool = false) {
    var fields = HTTPFields()
    for header in answer.headers {
      if let name = HTTPField.Name(header.name) { fields[name] = header.value }
    }
    if replayed { fields[.idempotencyReplayed] = "true" }
    // A 204 answer has neither body nor length (RFC 9110, 15.3.5).
    let body = answer.status == 204 ? ResponseBody() : ResponseBody(byteBuffer: .init(bytes: answer.body))
    self.init(status: .init(code: answer.status), headers: fields, body: body)
    if answer.status == 204 { headers[.contentLength] = nil }
  }
}

extension StoredAnswer {
  /// Makes a JSON answer.
  init(status: Int, json: borrowing JSONOutput, headers: [Header] = []) {
    self.init(
      status: status, headers: [Header(name: "Content-Type", value: "application/json")] + headers,
      body: json.copy(0..<json.count))
  }

  /// Makes the answer for a problem.
  init(_ problem: Problem) {
    self.init(
      status: problem.status.code, headers: [Header(name: "Content-Type", value: "application/problem+json")],
      body: problem.body)
  }
}

/// The buffer that answers are written to; it is not NIO's `ByteBuffer`.
typealias JSONOutput = JSONText.ByteBuffer

extension JSONText.ByteBuffer {
  /// Appends a string, or null.
  mutating func appendJSONString(orNull text: String?) {
    if let text { appendJSONString(text) } else { append("null") }
  }

  /// Appends an id in quotes, or null. Ids contain nothing that needs an escape.
  mutating func appendID(_ id: RegistryID?) {
    guard let id else { return append("null") }
    append(UInt8(ascii: "\""))
    append(utf8: id.text)
    append(UInt8(ascii: "\""))
  }

  /// Appends true or false.
  mutating func appendBool(_ value: Bool) {
    if value { append("true") } else { append("false") }
  }

  /// Appends a number in decimal.
  mutating func appendNumber(_ value: Int64) {
    if value >= 0, value < 10 { return append(UInt8(truncatingIfNeeded: 0x30 + value)) }
    append(utf8: String(value))
  }

  /// Appends strings as an array.
  mutating func appendStrings(_ texts: [String]) {
    append(UInt8(ascii: "["))
    var isFirst = true
    for text in texts {
      if !isFirst { append(UInt8(ascii: ",")) }
      isFirst = false
      appendJSONString(text)
    }
    append(UInt8(ascii: "]"))
  }

  /// Appends bytes unchanged.
  mutating func append(raw bytes: [UInt8]) {
    append(bytes.span)
  }

  /// Appends `"YYYY-MM-DDTHH:MM:SSZ"` without the fraction, like `Timestamp.wholeSeconds` but without creating strings.
  mutating func appendDate(_ date: Timestamp) {
    let seconds = min(max(date.milliseconds, -62_167_219_200_000), 253_402_300_799_999)
    var days = seconds / 86_400_000
    var rest = seconds % 86_400_000
    if rest < 0 {
      rest += 86_400_000
      days -= 1
    }
    // Converts days to a civil date with Howard Hinnant's era-based algorithm, in which years start in March.
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    append(UInt8(ascii: "\""))
    appendTwo(year / 100)
    appendTwo(year % 100)
    append(UInt8(ascii: "-"))
    appendTwo(month)
    append(UInt8(ascii: "-"))
    appendTwo(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    append(UInt8(ascii: "T"))
    appendTwo(rest / 3_600_000)
    append(UInt8(ascii: ":"))
    appendTwo(rest / 60_000 % 60)
    append(UInt8(ascii: ":"))
    appendTwo(rest / 1000 % 60)
    append("Z\"")
  }

  /// Appends a date, or null.
  mutating func appendDate(orNull date: Timestamp?) {
    if let date { appendDate(date) } else { append("null") }
  }

  private mutating func appendTwo(_ value: Int64) {
    append(UInt8(truncatingIfNeeded: 0x30 + value / 10 % 10))
    append(UInt8(truncatingIfNeeded: 0x30 + value % 10))
  }
}
