import Content
import JSONText

/// Writes one value of a record behind its key in the front matter, on one line.
enum MetadataText {
  /// Appends a value.
  /// - Parameter value: JSON as a canonical record has it.
  static func write(_ value: [UInt8], as key: MetadataKey, into out: inout ByteBuffer) {
    guard let document = try? JSONDocument(parsing: value) else { return }
    document.withNode(document.root.tokenIndex) { write($0, as: key, into: &out) }
  }

  /// Appends a key and its value as a line of front matter.
  static func writeLine(_ value: [UInt8], as key: MetadataKey, into out: inout ByteBuffer) {
    out.append(utf8: key.name)
    out.append(": ")
    write(value, as: key, into: &out)
    out.append("\n")
  }

  /// Appends a key and its value as a line of front matter.
  static func writeLine(_ node: JSONNode, as key: MetadataKey, into out: inout ByteBuffer) {
    out.append(utf8: key.name)
    out.append(": ")
    write(node, as: key, into: &out)
    out.append("\n")
  }

  private static func write(_ node: JSONNode, as key: MetadataKey, into out: inout ByteBuffer) {
    switch (key.kind, node.kind) {
    case (.contentType, .string):
      let type = node.string.flatMap(ContentType.init(rawValue:))
      out.append(utf8: type.map(MetadataKeys.word) ?? "")
    case (.date, .string) where isTime(node.inner): out.append(node.inner)
    default: out.append(utf8: YAMLScalar.value(node))
    }
  }

  private static let form = Array("0000-00-00T00:00:00.000Z".utf8)

  /// Whether a text is a time as records have it, which every YAML reader takes for a time or a text.
  private static func isTime(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    text.count == form.count
      && zip(text, form).allSatisfy { byte, shape in
        shape == UInt8(ascii: "0") ? byte >= 0x30 && byte <= 0x39 : byte == shape
      }
  }
}
