import JSONText
import MarkdownText

/// The original of a note as it was typed, which the record keeps so that the note can be written back unchanged.
/// - Source: formats/markdown.md, "What a record keeps of a note"
struct NoteOriginal {
  /// The note's path in its vault.
  let path: String
  let encoding: TextEncoding
  let hadBOM: Bool
  /// Whether the note has no id, so that the id is derived from the vault and the path.
  let hasDerivedID: Bool

  /// Whether a record contains all content of a note, so that without the original only the note's spelling is lost.
  ///
  /// The result is true for every note that FleetKit rendered. It is false if the note has YAML comments, keys that are
  /// not members, values that cannot be used, or body text that is in no value of the record.
  static func isAllSaid(_ note: ParsedNote, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let range = note.frontMatter, note.yamlError == nil, note.metadata.member("id") != nil,
      note.metadata.problems.allSatisfy({ $0.code == .misspelledFrontMatter && !$0.isAboutKey }), !note.hasUnusedText
    else { return false }
    // The continuation lines of a multi-line value must not look like other keys either.
    let areMembers = text[range].split(separator: 0x0A).allSatisfy { line in
      let name = String(decoding: line.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
      return MetadataKeys.key(spelled: name)?.name == name
    }
    // A comment has a `#` that is in no value.
    return areMembers && text[range].count { $0 == UInt8(ascii: "#") } == note.metadata.numberSigns
  }

  /// Returns the members of `extras.markdown` without the braces.
  /// - Parameter keepsBody: whether the body is also kept. The body of a guide is the guide itself, so only its hash is
  ///   kept.
  func members(of note: ParsedNote, _ text: UnsafeBufferPointer<UInt8>, keepsBody: Bool? = nil) -> [UInt8] {
    var json = ByteBuffer(capacity: 512)
    json.append("\"path\":")
    json.appendJSONString(path)
    if let range = note.frontMatterBlock {
      json.append(",\"front_matter\":")
      json.appendJSONString(UnsafeBufferPointer(rebasing: text[range]))
    }
    var isGuide = false
    if case .guide = note.content { isGuide = true }
    let body = UnsafeBufferPointer(rebasing: text[note.body])
    if keepsBody ?? !isGuide {
      json.append(",\"text\":")
      json.appendJSONString(body)
    } else {
      json.append(",\"text_hash\":")
      json.appendJSONString(String(decoding: NoteSupplement.hash(body), as: UTF8.self))
    }
    if hasDerivedID { json.append(",\"derived_id\":true") }
    if hadBOM { json.append(",\"bom\":true") }
    if encoding != .utf8 {
      json.append(",\"encoding\":")
      json.appendJSONString(encoding.rawValue)
    }
    return Array(json.bytes)
  }
}
