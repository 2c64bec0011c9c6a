import Content
import JSONText
import Publishing

extension PublishRequest {
  /// The digest of what readers see: title, description, type, tags, language, and the document without its state and
  /// times. Of two requests with the same meaning, only one needs to be sent.
  var meaning: [UInt8] {
    PublicationDigest.sha256(
      title: title, description: description, contentType: contentType, contentData: Self.content(contentData),
      tags: tags, language: language)
  }

  private static func content(_ document: [UInt8]) -> [UInt8] {
    guard let parsed = try? JSONDocument(parsing: document) else { return document }
    return parsed.withRoot { root in
      var out = ByteBuffer(capacity: document.count)
      root.forEachMember { name, value in
        if name.equals("createdAt") || name.equals("updatedAt") || name.equals("syncStatus") { return }
        out.append(name.raw)
        out.append(":")
        out.append(value.raw)
        out.append(",")
      }
      return Array(out.bytes)
    }
  }
}
