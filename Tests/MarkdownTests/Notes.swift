import Foundation

/// Records for the tests of notes and vaults.
enum Notes {
  /// Writes a note and creates its folder.
  static func put(_ text: String, _ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  static func id(_ number: Int) -> String {
    let hex = String(number, radix: 16, uppercase: true)
    return "0A000000-0000-4000-8000-" + String(repeating: "0", count: 12 - hex.count) + hex
  }

  /// Returns a guide as a canonical line.
  /// - Parameter body: the guide's text, escaped as in JSON.
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
