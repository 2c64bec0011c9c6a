import Content
import Foundation
import JSONText
import YAMLText

@testable import Markdown

/// Records for tests of notes and vaults.
enum Notes {
  static func id(_ number: Int) -> String {
    let hex = String(number, radix: 16, uppercase: true)
    return "0A000000-0000-4000-8000-" + String(repeating: "0", count: 12 - hex.count) + hex
  }

  /// A guide as a canonical line.
  /// - Parameter body: its text, escaped as in JSON.
  static func guide(
    _ number: Int = 1, title: String = "Splicing", body: String, extras: String? = nil, language: String = "en"
  ) -> String {
    let head = """
      {"kind":"item","id":"\(id(number))","content_type":"practice_guide","title":"\(title)","description":"Ropes: how to",\
      "tags":["rope work","a,b"],"language":"\(language)","visibility":"private","sync_status":"pending","creator_id":null,\
      "forked_from_id":null,"fork_count":0,"original_author_username":null,"original_author_user_id":null,\
      "original_content_public_id":null,"rating_average":null,"rating_count":0,"is_pinned":false,"pinned_order":null,\
      "created_at":"2026-01-05T10:11:12.345Z","updated_at":null,"published_at":null,"public_id":null,\
      "public_metadata":null,"content_data":{"id":"\(id(number))","title":"\(title)","description":"Ropes: how to",\
      "markdown":"\(body)","tags":["rope work","a,b"],"creatorID":null,"createdAt":"2026-01-05T10:11:12.345Z",\
      "updatedAt":null,"syncStatus":"pending"}
      """
    return head + (extras.map { ",\"extras\":\($0)" } ?? "") + "}"
  }
}

/// Reads guides whose front matter is YAML with the keys that FleetKit writes: a small second reader, so that the
/// writer's wiring can be tried.
struct PlainReader: NoteCheck {
  func line(of text: [UInt8], at path: String) -> [UInt8]? {
    var bytes = text[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    let note = String(decoding: bytes, as: UTF8.self)
    guard let match = note.firstMatch(of: /^---\r?\n(?<yaml>(?s).*?\r?\n)---\r?\n(?<body>(?s).*)$/),
      let yaml = try? YAMLDocument(parsing: String(match.output.yaml)).json.root
    else { return nil }
    func value(_ key: MetadataKey) -> String {
      for name in key.read { if let found = yaml[name] { return found.text } }
      return key.standard
    }
    var line = "{\"kind\":\"item\""
    for member in Shapes.item.members.map(\.nameText) where !["kind", "content_data", "extras"].contains(member) {
      guard let key = MetadataKeys.all.first(where: { $0.home == .envelope && $0.member == member }) else { return nil }
      line += ",\"\(member)\":" + (member == "content_type" ? "\"practice_guide\"" : value(key))
    }
    let document = yaml["document"]
    line += ",\"content_data\":{"
    for member in MetadataKeys.documentMembers {
      let repeated = member.repeats.flatMap { name in MetadataKeys.all.first { $0.member == name } }.map(value)
      line += "\"\(member.name)\":\(document?[member.name]?.text ?? repeated ?? "null"),"
    }
    for (name, value) in document?.members ?? []
    where !MetadataKeys.documentMembers.contains(where: { $0.name == name }) { line += "\"\(name)\":\(value.text)," }
    var body = ByteBuffer()
    body.appendJSONString(String(match.output.body))
    line += "\"markdown\":" + String(decoding: body.bytes, as: UTF8.self) + "}"
    if let extras = yaml["extras"] { line += ",\"extras\":\(extras.text)" }
    return Array((line + "}").utf8)
  }
}
