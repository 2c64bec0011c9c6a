import JSONText

extension NoteMetadata {
  /// What can be made of front matter that is no YAML: its plain lines, as texts and lists of texts.
  /// - Parameter content: where it lies in the note.
  init(lenient text: UnsafeBufferPointer<UInt8>, content: Range<Int>) {
    var json = ByteBuffer(capacity: content.count * 2 + 64)
    json.append(UInt8(ascii: "{"))
    var seen: Set<[UInt8]> = []
    for entry in LenientFrontMatter.entries(text, content: content) where seen.insert(entry.key.bytes).inserted {
      if seen.count > 1 { json.append(UInt8(ascii: ",")) }
      entry.key.bytes.withUnsafeBufferPointer { json.appendJSONString($0) }
      json.append(UInt8(ascii: ":"))
      if entry.isList {
        json.append(UInt8(ascii: "["))
        for (index, value) in entry.values.enumerated() {
          if index > 0 { json.append(UInt8(ascii: ",")) }
          value.bytes.withUnsafeBufferPointer { json.appendJSONString($0) }
        }
        json.append(UInt8(ascii: "]"))
      } else if let value = entry.values.first, !value.bytes.isEmpty {
        value.bytes.withUnsafeBufferPointer { json.appendJSONString($0) }
      } else {
        json.append("null")
      }
    }
    json.append(UInt8(ascii: "}"))
    self.init(try? JSONDocument(parsing: json.bytes))
  }
}
