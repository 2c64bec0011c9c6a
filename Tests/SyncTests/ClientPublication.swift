import JSONText

/// Publish requests for the client tests.
enum ClientPublication {
  /// Returns a request for a guide: one JSON object in UTF-8.
  static func guide(_ slug: String, title: String = "Fog") -> [UInt8] {
    var body = ByteBuffer(capacity: 512)
    body.append(#"{"title":"#)
    body.appendJSONString(title)
    body.append(
      ##","description":"What to do.","content_type":"practice_guide","content_data":{"markdown":"# Fog"},"tags":["fog"],"##
    )
    body.append(#""language":"en","public_id":"#)
    body.appendJSONString(slug)
    body.append("}")
    return body.copy(0..<body.count)
  }
}
