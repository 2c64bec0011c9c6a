import Foundation

/// The app's own types for answers about content: the members that it requires, and those that may be null.
/// - Source: the requests, answers and client types of the app's documents
enum AppContent {
  /// The answer to `POST /content/share`.
  struct Published: Codable {
    let id: UUID
    let publicID: String
    let publishedAt: Date
    let authorUsername: String?
    let authorUserID: UUID?
    let canFork: Bool
    let publicURL: String?
    let notes: [Note]?

    enum CodingKeys: String, CodingKey {
      case id, notes
      case publicID = "public_id"
      case publishedAt = "published_at"
      case authorUsername = "author_username"
      case authorUserID = "author_user_id"
      case canFork = "can_fork"
      case publicURL = "public_url"
    }
  }

  /// The deviations of a publication from the request.
  struct Note: Codable {
    let code: String
    let pointer: String
    let message: String
    let why: String
    let fix: String
  }

  /// The answer to `PUT` and `PATCH /content/{public_id}`.
  struct Updated: Codable {
    let id: UUID
    let publicID: String
    let updatedAt: Date

    enum CodingKeys: String, CodingKey {
      case id
      case publicID = "public_id"
      case updatedAt = "updated_at"
    }
  }

  /// An item in the answer to `GET /content/public`, which the app reads as an array.
  struct Listed: Codable {
    let id: UUID
    let title: String
    let description: String?
    let contentType: ContentType
    let tags: [String]
    let publicID: String
    let authorUsername: String?
    let authorUserID: UUID?
    let viewCount: Int
    let forkCount: Int
    let createdAt: Date
    let forkedFromID: UUID?
    let originalAuthorUsername: String?
    let originalAuthorUserID: UUID?
    let originalContentPublicID: String?
    let chainDepth: Int

    enum CodingKeys: String, CodingKey, CaseIterable {
      case id, title, description, tags
      case contentType = "content_type"
      case publicID = "public_id"
      case authorUsername = "author_username"
      case authorUserID = "author_user_id"
      case viewCount = "view_count"
      case forkCount = "fork_count"
      case createdAt = "created_at"
      case forkedFromID = "forked_from_id"
      case originalAuthorUsername = "original_author_username"
      case originalAuthorUserID = "original_author_user_id"
      case originalContentPublicID = "original_content_public_id"
      case chainDepth = "chain_depth"
    }
  }

  enum ContentType: String, Codable {
    case checklist
    case guide = "practice_guide"
    case deck = "flashcard_deck"
  }

  /// The answer to `GET /content/{public_id}`: the members of a listed item, and the document, decoded into the app's
  /// own type.
  struct Item<Document: Codable>: Codable {
    let listed: Listed
    let contentData: Document
    let canFork: Bool
    let updatedAt: Date

    enum CodingKeys: String, CodingKey, CaseIterable {
      case contentData = "content_data"
      case canFork = "can_fork"
      case updatedAt = "updated_at"
    }

    init(from decoder: any Decoder) throws {
      listed = try Listed(from: decoder)
      let members = try decoder.container(keyedBy: CodingKeys.self)
      contentData = try members.decode(Document.self, forKey: .contentData)
      canFork = try members.decode(Bool.self, forKey: .canFork)
      updatedAt = try members.decode(Date.self, forKey: .updatedAt)
    }

    func encode(to encoder: any Encoder) throws {
      try listed.encode(to: encoder)
      var members = encoder.container(keyedBy: CodingKeys.self)
      try members.encode(contentData, forKey: .contentData)
      try members.encode(canFork, forKey: .canFork)
      try members.encode(updatedAt, forKey: .updatedAt)
    }
  }

  /// The answer to `POST /content/{public_id}/fork`.
  struct ForkCount: Codable {
    let forkCount: Int

    enum CodingKeys: String, CodingKey { case forkCount = "fork_count" }
  }

  /// A step in the answer to `GET /content/{id}/lineage`.
  struct ForkStep: Codable {
    let title: String
    let creator: String?
    let createdAt: Date
    let isCurrent: Bool

    enum CodingKeys: String, CodingKey {
      case title, creator
      case createdAt = "created_at"
      case isCurrent = "is_current"
    }
  }

  /// The answer to `GET /content/{id}/stats`.
  struct Stats: Codable {
    let viewsCount: Int
    let forkCount: Int
    let createdAt: Date
    let creator: String?

    enum CodingKeys: String, CodingKey {
      case creator
      case viewsCount = "views_count"
      case forkCount = "fork_count"
      case createdAt = "created_at"
    }
  }

  /// A result in the answer to `POST /content/batch`, with the body for its status.
  struct BatchAnswer<Body: Codable>: Codable {
    let results: [Result]

    struct Result: Codable {
      let status: Int
      let body: Body?
      let etag: String?
    }
  }

  // MARK: Documents

  /// A checklist as the app stores it.
  struct Checklist: Codable {
    let id: UUID
    let title: String
    let description: String?
    let sections: [Section]
    let tags: [String]
    let createdAt: Date
    let updatedAt: Date
    let syncStatus: String

    struct Section: Codable {
      let id: UUID
      let title: String
      let items: [Step]
    }

    struct Step: Codable {
      let id: UUID
      let title: String
      let itemDescription: String?
      let isOptional: Bool
      let isRequired: Bool
      let tags: [String]
      let estimatedMinutes: Int?
      let sortOrder: Int
    }
  }

  /// A guide as the app stores it.
  struct Guide: Codable {
    let id: UUID
    let title: String
    let description: String?
    let markdown: String
    let tags: [String]
    let createdAt: Date
    let updatedAt: Date
    let syncStatus: String
  }

  /// A deck as the app stores it.
  struct Deck: Codable {
    let id: UUID
    let title: String
    let cards: [Card]
    let tags: [String]
    let createdAt: Date
    let updatedAt: Date
    let syncStatus: String

    struct Card: Codable {
      let id: UUID
      let front: String
      let back: String
    }
  }
}
