import Foundation

/// A document as the app decodes it, both on its owner's device and on the device of a user who forks it. Foundation's
/// own decoder accepts only times without fractions, and requires every member that the app needs.
package struct AppDocument: Decodable {
  package struct Section: Decodable {
    package let id: UUID
    package let title: String
    package let icon: String?
    package let description: String?
    package let items: [Item]
    package let isExpandedByDefault: Bool
    package let sortOrder: Int
  }

  package struct Item: Decodable {
    package let id: UUID
    package let title: String
    package let itemDescription: String?
    package let isOptional: Bool
    package let isRequired: Bool
    package let tags: [String]
    package let estimatedMinutes: Int?
    package let sortOrder: Int
  }

  package struct Card: Decodable {
    package let id: UUID
    package let front: String
    package let back: String
    package let tags: [String]
    package let hint: String?
    package let sortOrder: Int
    package let review: Review?
  }

  package struct Review: Decodable {
    package let easeFactor: Double?
    package let lapses: Int?
    package let lastReviewed: Date?
    package let due: Date?
  }

  /// The members of a document that depend on its content type.
  package enum Body {
    case checklist(type: String, [Section])
    case guide(markdown: String)
    case deck([Card])
  }

  package let id: UUID
  package let title: String
  package let description: String?
  package let tags: [String]
  package let creatorID: UUID?
  package let createdAt: Date
  package let updatedAt: Date
  package let syncStatus: String
  package let body: Body

  private enum CodingKeys: CodingKey {
    case id, title, description, tags, creatorID, createdAt, updatedAt, syncStatus
    case checklistType, sections, markdown, cards
  }

  package init(from decoder: Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    id = try members.decode(UUID.self, forKey: .id)
    title = try members.decode(String.self, forKey: .title)
    description = try members.decodeIfPresent(String.self, forKey: .description)
    tags = try members.decode([String].self, forKey: .tags)
    creatorID = try members.decodeIfPresent(UUID.self, forKey: .creatorID)
    createdAt = try members.decode(Date.self, forKey: .createdAt)
    updatedAt = try members.decode(Date.self, forKey: .updatedAt)
    syncStatus = try members.decode(String.self, forKey: .syncStatus)
    if members.contains(.markdown) {
      body = .guide(markdown: try members.decode(String.self, forKey: .markdown))
    } else if members.contains(.cards) {
      body = .deck(try members.decode([Card].self, forKey: .cards))
    } else {
      body = .checklist(
        type: try members.decode(String.self, forKey: .checklistType),
        try members.decode([Section].self, forKey: .sections))
    }
  }

  /// The content type of the document.
  package var contentType: String {
    switch body {
    case .checklist: "checklist"
    case .guide: "practice_guide"
    case .deck: "flashcard_deck"
    }
  }

  /// The app's decoder, which refuses times with fractions.
  package static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }

  /// Decodes a document as the app does.
  package static func decode(_ bytes: [UInt8]) throws -> AppDocument {
    try decoder.decode(AppDocument.self, from: Data(bytes))
  }
}
