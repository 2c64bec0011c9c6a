/// The answer to a request.
package struct HTTPAnswer: Sendable, Equatable {
  /// The status, such as 200.
  package var status: Int
  /// The header fields in their order, with names in lower case.
  package var fields: [Field]
  /// The body; empty when there was none.
  package var body: [UInt8]

  /// One header field.
  package struct Field: Sendable, Equatable {
    /// The name in lower case.
    package var name: String
    /// The value without leading and trailing spaces.
    package var value: String

    /// Creates an instance from its members.
    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Creates an instance from its members.
  package init(status: Int, fields: [Field] = [], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// Parses the head as it was received, skipping the status line.
  package init(status: Int, head: UnsafeBufferPointer<UInt8>, body: [UInt8]) {
    var fields: [Field] = []
    for line in head.split(separator: UInt8(ascii: "\n")).dropFirst() {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      fields.append(
        Field(name: Self.text(line[line.startIndex..<colon]).lowercased(), value: Self.text(line[(colon + 1)...])))
    }
    self.init(status: status, fields: fields, body: body)
  }

  /// Returns the first value of the field with a lower-case name; nil when there is none.
  package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

  private static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    let isBlank = { (byte: UInt8) in byte <= 0x20 }
    let start = bytes.firstIndex { !isBlank($0) } ?? bytes.endIndex
    let end = bytes.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
    return String(decoding: bytes[start..<max(start, end)], as: UTF8.self)
  }
}
