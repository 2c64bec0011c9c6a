import JSONText
import MarkdownSyntax
import MarkdownText
import YAMLText

/// The front matter of a note that a person wrote: the fences as they were typed, and the text between the fences.
struct OriginalFrontMatter: Equatable {
  private var opening: [UInt8]
  private var content: [UInt8]
  private var closing: [UInt8]
  private let isTOML: Bool

  /// Splits front matter into its parts.
  /// - Parameter block: the whole front matter, including the fences. Text without fences is used as the text between
  ///   the fences.
  init(_ block: [UInt8]) {
    let found = block.withUnsafeBufferPointer { FrontMatterBlock($0) }
    guard let found, found.block == 0..<block.count else {
      self.init(content: block, lineEnd: LineEnd.first(in: block) ?? LineEnd.standard)
      return
    }
    self.init(
      opening: Array(block[..<found.content.lowerBound]), content: Array(block[found.content]),
      closing: Array(block[found.content.upperBound...]), isTOML: found.kind == .toml)
  }

  private init(opening: [UInt8], content: [UInt8], closing: [UInt8], isTOML: Bool) {
    self.opening = opening
    self.content = content
    self.closing = closing
    self.isTOML = isTOML
  }

  /// Creates front matter for a note without front matter.
  init(content: [UInt8] = [], lineEnd: [UInt8]) {
    let fence = Array("---".utf8) + lineEnd
    self.init(opening: fence, content: content, closing: fence, isTOML: false)
  }

  /// The whole front matter as it was typed.
  var typed: [UInt8] { opening + content + closing }

  /// The whole front matter, in a form that a body can follow.
  var bytes: [UInt8] {
    let lineEnd = Array(opening.drop { $0 != 0x0D && $0 != 0x0A })
    let end = closing.last == 0x0A || closing.last == 0x0D ? [] : lineEnd
    return opening + content + closing + end
  }

  /// Sets a key, or removes the key if the value is nil, and keeps everything else unchanged.
  /// - Returns: false if the change is not possible.
  mutating func change(_ key: MetadataKey, to value: [UInt8]?) -> Bool {
    if isTOML { return changeTOML(key, to: value) }
    guard var editor = FrontMatterEditor(content) else {
      // Front matter that is not YAML cannot be edited, but an id can be added above its first line. An id can also be
      // added above YAML if the other values stay the same.
      guard let value, key.name == MetadataKeys.id.name else { return false }
      let lineEnd = Array(opening.drop { $0 != 0x0D && $0 != 0x0A })
      let edited = Array("id: ".utf8) + value.dropFirst().dropLast() + lineEnd + content
      if let before = try? YAMLDocument(parsing: String(decoding: content, as: UTF8.self)) {
        guard let after = try? YAMLDocument(parsing: String(decoding: edited, as: UTF8.self)),
          after.json.root.members.count == before.json.root.members.count + 1
        else { return false }
      }
      content = edited
      return true
    }
    defer { content = editor.bytes }
    guard let value else { return key.read.allSatisfy { editor.value(of: $0) == nil || editor.remove($0) } }
    var text = ByteBuffer(capacity: value.count + 16)
    MetadataWriter.write(value, as: key, into: &text)
    let name = key.read.first { editor.value(of: $0) != nil } ?? key.name
    return editor.set(name, String(decoding: text.bytes, as: UTF8.self))
  }

  private mutating func changeTOML(_ key: MetadataKey, to value: [UInt8]?) -> Bool {
    var toml = TOMLFrontMatter(content)
    defer { content = toml.bytes }
    guard var value else { return key.read.allSatisfy { !toml.has($0) || toml.remove($0) } }
    if key.kind == .contentType {
      var word = ByteBuffer(capacity: 32)
      MetadataWriter.write(value, as: key, into: &word)
      value = NoteMetadata.json(String(decoding: word.bytes, as: UTF8.self))
    }
    return toml.set(key.read.first(where: toml.has) ?? key.name, value)
  }
}
