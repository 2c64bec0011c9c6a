import Content
import JSONText
import Publishing

/// The queued payload of a publication or an update: the publish request without `can_fork`.
package struct PublishPayload: Sendable {
  /// The payload, one JSON object.
  package let text: String
  /// The request that the payload contains, as a registry parses it.
  package let request: PublishRequest

  init(_ request: PublishRequest) {
    self.request = request
    var out = ByteBuffer(capacity: request.contentData.count + 1024)
    out.append("{\"title\":")
    out.appendJSONString(request.title)
    if let description = request.description {
      out.append(",\"description\":")
      out.appendJSONString(description)
    }
    out.append(",\"content_type\":")
    out.appendJSONString(request.contentType.rawValue)
    out.append(",\"content_data\":")
    request.contentData.withUnsafeBufferPointer { out.append($0) }
    out.append(",\"tags\":[")
    for (index, tag) in request.tags.enumerated() {
      if index > 0 { out.append(",") }
      out.appendJSONString(tag)
    }
    out.append("],\"language\":")
    out.appendJSONString(request.language)
    out.append(",\"public_id\":")
    out.appendJSONString(request.publicID)
    if let parent = request.forkedFromID {
      out.append(",\"forked_from_id\":")
      // Ids are written as in the app, in upper case; registries accept both cases.
      out.appendJSONString(parent.uppercased())
    }
    out.append("}")
    text = String(decoding: out.bytes, as: UTF8.self)
  }
}
