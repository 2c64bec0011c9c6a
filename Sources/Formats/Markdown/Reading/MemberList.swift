import JSONText

/// Writes the members of one JSON object, with the commas between them.
struct MemberList {
  private var isEmpty = true

  init(into out: inout ByteBuffer) { out.append(UInt8(ascii: "{")) }

  /// Writes a name; its value follows.
  mutating func name(_ name: StaticString, into out: inout ByteBuffer) {
    if !isEmpty { out.append(UInt8(ascii: ",")) }
    isEmpty = false
    out.append(UInt8(ascii: "\""))
    out.append(name)
    out.append("\":")
  }

  mutating func text(_ name: StaticString, _ text: SourcedText?, into out: inout ByteBuffer) {
    guard let text else { return }
    self.name(name, into: &out)
    text.bytes.withUnsafeBufferPointer { out.appendJSONString($0) }
  }

  mutating func texts(_ name: StaticString, _ texts: [SourcedText], into out: inout ByteBuffer) {
    guard !texts.isEmpty else { return }
    self.name(name, into: &out)
    out.append(UInt8(ascii: "["))
    for (index, text) in texts.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      text.bytes.withUnsafeBufferPointer { out.appendJSONString($0) }
    }
    out.append(UInt8(ascii: "]"))
  }

  /// Writes a value that is JSON already.
  mutating func json(_ name: StaticString, _ value: SourcedText?, into out: inout ByteBuffer) {
    guard let value else { return }
    self.name(name, into: &out)
    value.bytes.withUnsafeBufferPointer { out.append($0) }
  }

  mutating func literal(_ name: StaticString, _ value: StaticString, into out: inout ByteBuffer) {
    self.name(name, into: &out)
    out.append(value)
  }

  /// Writes members that are JSON already, and ends the object.
  mutating func end(_ members: SourcedText?, into out: inout ByteBuffer) {
    if let members, !members.bytes.isEmpty {
      if !isEmpty { out.append(UInt8(ascii: ",")) }
      members.bytes.withUnsafeBufferPointer { out.append($0) }
    }
    out.append(UInt8(ascii: "}"))
  }
}
