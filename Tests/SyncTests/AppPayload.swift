import Foundation
import TestSupport
import Testing

/// A payload as the app decodes it: Foundation's own decoder requires every member that the app requires.
enum AppPayload {
  struct Request: Decodable {
    let title: String
    let description: String?
    let contentType: String
    let tags: [String]
    let language: String
    let publicID: String
    let forkedFromID: UUID?
    let document: AppDocument

    private enum CodingKeys: String, CodingKey {
      case title, description, tags, language
      case contentType = "content_type"
      case publicID = "public_id"
      case forkedFromID = "forked_from_id"
      case document = "content_data"
    }
  }

  /// The app's column `publicMetadata`. Its times are seconds since 2001, which is Foundation's default.
  struct Metadata: Decodable {
    let publishedAt: Date
    let publicID: String
    let canFork: Bool
    let authorUsername: String
    let authorUserId: UUID?
  }

  /// Decodes a payload and checks for values that Foundation refuses only on other platforms than Linux.
  static func decode(_ payload: String) throws -> Request {
    let request = try AppDocument.decoder.decode(Request.self, from: Data(payload.utf8))
    #expect(request.contentType == request.document.contentType)
    for match in payload.matches(of: /"(createdAt|updatedAt)":("[^"]*"|[^,}]*)/) {
      #expect(match.output.2.wholeMatch(of: /"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/) != nil, "\(match.output.0)")
    }
    for match in payload.matches(of: /"(id|forked_from_id|creatorID)":"([^"]*)"/) {
      #expect(match.output.2.wholeMatch(of: /[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/) != nil, "\(match.output.0)")
    }
    for name in ["contentData", "contentType", "publicID", "can_fork", "review", "is_required", "content_data\":\""] {
      #expect(!payload.contains("\"\(name)\":") && !payload.contains(name + "{"), "\(name)")
    }
    return request
  }
}
