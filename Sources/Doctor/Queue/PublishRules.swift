import Content
import JSONText

/// What the app demands of an item before anything of it leaves the device.
///
/// Lengths are counted as people count: in characters, not in bytes.
enum PublishRules {
  /// The first rule that a payload breaks, in words and with its place in the payload; nil when it may be sent.
  static func problem(_ payload: JSONValue) -> (words: String, pointer: String)? {
    let title = (payload["title"]?.string ?? "").trimmed.count
    if !(3...100).contains(title) { return ("the title has \(title) characters; 3 to 100 are allowed", "/title") }
    let description = payload["description"]?.string?.count ?? 0
    if description > 500 { return ("the description has \(description) characters; 500 are allowed", "/description") }
    let tags = payload["tags"]?.elements.count ?? 0
    if tags > 10 { return ("there are \(tags) tags; 10 are allowed", "/tags") }
    let document = payload["content_data"]
    for (index, section) in (document?["sections"]?.elements ?? []).enumerated()
    where section["items"]?.elements.isEmpty ?? true {
      let name = section["title"]?.string ?? ""
      return ("the section \"\(name.prefix(60))\" is empty", "/content_data/sections/\(index)/items")
    }
    if payload["content_type"]?.string == ContentType.practiceGuide.rawValue,
      (document?["markdown"]?.string ?? "").trimmed.isEmpty
    {
      return ("the guide has no text", "/content_data/markdown")
    }
    return nil
  }
}
