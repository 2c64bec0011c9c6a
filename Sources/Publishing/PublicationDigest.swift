import Content
import JSONText

/// What two sides compare to know that they mean the same publication, without sending it.
public enum PublicationDigest {
  /// SHA-256 over the publication's meaning: title, description, type, document, tags and language, length-prefixed.
  ///
  /// Independent of ids of the registry, counts and times of publication. 32 bytes.
  public static func sha256(
    title: String, description: String?, contentType: ContentType, contentData: [UInt8], tags: [String],
    language: String
  ) -> [UInt8] {
    var buffer = ByteBuffer(capacity: contentData.count + 256)
    func part(_ bytes: some Collection<UInt8>, into buffer: inout ByteBuffer) {
      buffer.append(utf8: "\(bytes.count):")
      for byte in bytes { buffer.append(byte) }
    }
    part(title.utf8, into: &buffer)
    if let description { part(description.utf8, into: &buffer) } else { buffer.append("-") }
    part(contentType.rawValue.utf8, into: &buffer)
    part(language.utf8, into: &buffer)
    buffer.append(utf8: "\(tags.count);")
    for tag in tags { part(tag.utf8, into: &buffer) }
    part(contentData, into: &buffer)
    return Digest.sha256(buffer.bytes)
  }
}
