import Foundation
import Testing

/// A payload as the app decodes it, by Foundation's own decoder: strict about every member that the app wants.
enum AppPayload {
  struct Request: Decodable {
    let title: String
    let description: String?
    let contentType: String
    let tags: [String]
    let language: String
    let publicID: String
    let forkedFromID: UUID?
    let document: Document

    private enum CodingKeys: String, CodingKey {
      case title, description, tags, language
      case contentType = "content_type"
      case publicID = "public_id"
      case forkedFromID = "forked_from_id"
      case document = "content_data"
    }
  }

  struct Document: Decodable {
    let id: UUID
    let title: String
    let description: String?
    let tags: [String]
    let createdAt: Date
    let updatedAt: Date
    let syncStatus: String
    let checklistType: String?
    let sections: [Section]?
    let markdown: String?
    let cards: [Card]?
  }

  struct Section: Decodable {
    let id: UUID
    let title: String
    let icon: String?
    let description: String?
    let items: [Item]
    let isExpandedByDefault: Bool
    let sortOrder: Int
  }

  struct Item: Decodable {
    let id: UUID
    let title: String
    let itemDescription: String?
    let isOptional: Bool
    let isRequired: Bool
    let tags: [String]
    let estimatedMinutes: Int?
    let sortOrder: Int
  }

  struct Card: Decodable {
    let id: UUID
    let front: String
    let back: String
    let tags: [String]
  }

  /// The app's column `publicMetadata`: seconds since 2001, which is Foundation's own way with dates.
  struct Metadata: Decodable {
    let publishedAt: Date
    let publicID: String
    let canFork: Bool
    let authorUsername: String
    let authorUserId: UUID?
  }

  /// Decodes a payload and looks for what no decoder on Linux would refuse.
  static func decode(_ payload: String) throws -> Request {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let request = try decoder.decode(Request.self, from: Data(payload.utf8))
    switch request.contentType {
    case "checklist": #expect(request.document.sections != nil && request.document.checklistType != nil)
    case "practice_guide": #expect(request.document.markdown != nil)
    case "flashcard_deck": #expect(request.document.cards != nil)
    default: Issue.record("the type \(request.contentType)")
    }
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
