import Foundation

/// A document as the app of whoever forks it decodes it: Foundation's decoder, times without fractions, and nothing
/// optional that the app wants.
enum AppDocument {
  struct Checklist: Decodable {
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

    let head: Head
    let checklistType: String
    let sections: [Section]

    private enum CodingKeys: CodingKey { case checklistType, sections }

    init(from decoder: Decoder) throws {
      head = try Head(from: decoder)
      let members = try decoder.container(keyedBy: CodingKeys.self)
      checklistType = try members.decode(String.self, forKey: .checklistType)
      sections = try members.decode([Section].self, forKey: .sections)
    }
  }

  struct Guide: Decodable {
    let head: Head
    let markdown: String

    private enum CodingKeys: CodingKey { case markdown }

    init(from decoder: Decoder) throws {
      head = try Head(from: decoder)
      markdown = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .markdown)
    }
  }

  struct Deck: Decodable {
    struct Card: Decodable {
      let id: UUID
      let front: String
      let back: String
      let tags: [String]
      let hint: String?
      let sortOrder: Int
      let review: Review?
    }

    struct Review: Decodable {
      let easeFactor: Double?
      let lapses: Int?
      let lastReviewed: Date?
      let due: Date?
    }

    let head: Head
    let cards: [Card]

    private enum CodingKeys: CodingKey { case cards }

    init(from decoder: Decoder) throws {
      head = try Head(from: decoder)
      cards = try decoder.container(keyedBy: CodingKeys.self).decode([Card].self, forKey: .cards)
    }
  }

  /// What all three have.
  struct Head: Decodable {
    let id: UUID
    let title: String
    let description: String?
    let tags: [String]
    let creatorID: UUID?
    let createdAt: Date
    let updatedAt: Date
    let syncStatus: String
  }

  /// Decodes a document as the app does.
  static func decode<Document: Decodable>(_ type: Document.Type, _ bytes: [UInt8]) throws -> Document {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(type, from: Data(bytes))
  }
}
