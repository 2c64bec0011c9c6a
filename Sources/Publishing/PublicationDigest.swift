import Content
import JSONText

/// A digest that two sides compare to verify that they have the same publication, without transferring it.
public enum PublicationDigest {
  /// Returns the SHA-256 of the publication's content: title, description, type, language, tags and document.
  ///
  /// The digest does not depend on registry ids, counts, or publication times. Every value is preceded by its length in
  /// bytes (`3:abc`; `-` for no description; `2;` before two tags), so that different publications never give the same
  /// input bytes.
  /// - Parameter contentData: the canonical document, `PublishRequest.contentData`.
  /// - Returns: 32 bytes.
  public static func sha256(
    title: String, description: String?, contentType: ContentType, contentData: [UInt8], tags: [String],
    language: String
  ) -> [UInt8] {
    var buffer = ByteBuffer(capacity: contentData.count + title.utf8.count + 512)
    append(title, to: &buffer)
    if let description { append(description, to: &buffer) } else { buffer.append("-") }
    append(contentType.rawValue, to: &buffer)
    append(language, to: &buffer)
    append(tags.count, UInt8(ascii: ";"), to: &buffer)
    for tag in tags { append(tag, to: &buffer) }
    append(contentData.count, UInt8(ascii: ":"), to: &buffer)
    contentData.withUnsafeBufferPointer { buffer.append($0) }
    return Digest.sha256(buffer.bytes)
  }

  private static func append(_ text: String, to buffer: inout ByteBuffer) {
    var text = text
    text.withUTF8 {
      append($0.count, UInt8(ascii: ":"), to: &buffer)
      buffer.append($0)
    }
  }

  private static func append(_ count: Int, _ mark: UInt8, to buffer: inout ByteBuffer) {
    buffer.append(utf8: String(count))
    buffer.append(mark)
  }
}

extension PublishRequest {
  /// The digest that two sides compare to verify that they have the same publication; see `PublicationDigest`.
  public var digest: [UInt8] {
    PublicationDigest.sha256(
      title: title, description: description, contentType: contentType, contentData: contentData, tags: tags,
      language: language)
  }
}
