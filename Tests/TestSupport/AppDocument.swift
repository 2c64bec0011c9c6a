import Foundation

/// A document as the app decodes it, also the app of whoever forks it: Foundation's own decoder, times without
/// fractions, and nothing optional that the app wants.
public struct AppDocument: Decodable {
  public struct Section: Decodable {
    public let id: UUID
    public let title: String
    public let icon: String?
    public let description: String?
    public let items: [Item]
    public let isExpandedByDefault: Bool
    public let sortOrder: Int
  }

  public struct Item: Decodable {
    public let id: UUID
    public let title: String
    public let itemDescription: String?
    public let isOptional: Bool
    public let isRequired: Bool
    public let tags: [String]
    public let estimatedMinutes: Int?
    public let sortOrder: Int
  }

  public struct Card: Decodable {
    public let id: UUID
    public let front: String
    public let back: String
    public let tags: [String]
    public let hint: String?
    public let sortOrder: Int
    public let review: Review?
  }

  public struct Review: Decodable {
    public let easeFactor: Double?
    public let lapses: Int?
    public let lastReviewed: Date?
    public let due: Date?
  }

  /// What a document has that the other types do not have.
  public enum Body {
    case checklist(type: String, [Section])
    case guide(markdown: String)
    case deck([Card])
  }

  public let id: UUID
  public let title: String
  public let description: String?
  public let tags: [String]
  public let creatorID: UUID?
  public let createdAt: Date
  public let updatedAt: Date
  public let syncStatus: String
  public let body: Body

  private enum CodingKeys: CodingKey {
    case id, title, description, tags, creatorID, createdAt, updatedAt, syncStatus
    case checklistType, sections, markdown, cards
  }

  public init(from decoder: Decoder) throws {
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

  /// The content type of which it is the document.
  public var contentType: String {
    switch body {
    case .checklist: "checklist"
    case .guide: "practice_guide"
    case .deck: "flashcard_deck"
    }
  }

  /// The app's decoder: it refuses times with fractions.
  public static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }

  /// Decodes a document as the app does.
  public static func decode(_ bytes: [UInt8]) throws -> AppDocument {
    try decoder.decode(AppDocument.self, from: Data(bytes))
  }
}
