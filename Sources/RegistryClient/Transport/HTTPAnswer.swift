/// The answer to a request.
package struct HTTPAnswer: Sendable, Equatable {
  /// The status, 200.
  package var status: Int
  /// Names in lower case and values, in their order.
  package var fields: [Field]
  /// The body; empty when there was none.
  package var body: [UInt8]

  /// One line of the head.
  package struct Field: Sendable, Equatable {
    /// In lower case.
    package var name: String
    /// Without blanks at its ends.
    package var value: String

    /// Makes it from its parts.
    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Makes it from its parts.
  package init(status: Int, fields: [Field] = [], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// Parses the head as it was received: the status line is skipped.
  package init(status: Int, head: UnsafeBufferPointer<UInt8>, body: [UInt8]) {
    var fields: [Field] = []
    for line in head.split(separator: UInt8(ascii: "\n")).dropFirst() {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      fields.append(
        Field(name: Self.text(line[line.startIndex..<colon]).lowercased(), value: Self.text(line[(colon + 1)...])))
    }
    self.init(status: status, fields: fields, body: body)
  }

  /// The first value of a name in lower case; nil when there is none.
  package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

  private static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    let isBlank = { (byte: UInt8) in byte <= 0x20 }
    let start = bytes.firstIndex { !isBlank($0) } ?? bytes.endIndex
    let end = bytes.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
    return String(decoding: bytes[start..<max(start, end)], as: UTF8.self)
  }
}
