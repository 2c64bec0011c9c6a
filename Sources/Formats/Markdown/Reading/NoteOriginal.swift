import JSONText
import MarkdownText

/// What a record keeps of its note as it was typed, so that the note can be written back unchanged.
/// - Source: formats/markdown.md, "What a record keeps of a note"
struct NoteOriginal {
  /// The note's path in its vault.
  let path: String
  let encoding: TextEncoding
  let hadBOM: Bool
  /// Whether the note has no id, so that it follows from the vault and the path.
  let hasDerivedID: Bool
  /// Whether the note may stand anywhere, because whoever wrote what it lies in chose the place.
  var isAnywhere = false

  /// Whether the note is what FleetKit would write of its record, at the place where it would write it.
  func isCanonical(
    _ note: ParsedNote, _ text: UnsafeBufferPointer<UInt8>, _ around: NoteJSON.Surroundings
  ) -> Bool {
    // What FleetKit writes says all of this; most notes of people do not, and nobody looks further.
    guard encoding == .utf8, !hadBOM, note.frontMatter != nil, note.metadata.type != nil, note.metadata.title != nil,
      ["id", "language", "created_at", "updated_at"].allSatisfy({ note.metadata.member($0) != nil }),
      let line = CanonicalLine.of(note, text, around),
      let record = line.withUnsafeBufferPointer({ NoteRecord($0) }),
      isAnywhere || VaultPath.isUsual(path, for: record),
      let written = NoteText(check: nil).text(of: record, at: path)
    else { return false }
    return written.elementsEqual(text)
  }

  /// The inside of `extras.markdown`.
  /// - Parameter keepsBody: whether the body is kept as well. That of a guide is the guide itself, so only its hash is.
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
