import Foundation
import Testing

/// The answers about accounts as the app decodes them: with the same members, the same types, and the same required
/// members.
///
/// - Source: facts about the app's client, "What the app's current client requires of a service".
enum AppTypes {
  /// The answer to a sign-in and to a refresh.
  struct Tokens: Decodable {
    let accessToken: String
    let refreshToken: String
    let tokenType: String
    let expiresIn: Int
    let user: User

    enum CodingKeys: String, CodingKey {
      case accessToken = "access_token"
      case refreshToken = "refresh_token"
      case tokenType = "token_type"
      case expiresIn = "expires_in"
      case user
    }
  }

  /// The user's own account.
  struct User: Decodable, Equatable {
    let id: String
    let email: String
    let username: String?
    let createdAt: String
    let profileImageURL: String?
    let profileImageThumbnailURL: String?
    let bio: String?
    let location: String?
    let nationality: String?
    let profileVisibility: String?
    let socialLinks: [SocialLink]?
    let communityMemberships: [CommunityMembership]?

    enum CodingKeys: String, CodingKey {
      case id, email, username, bio, location, nationality
      case createdAt = "created_at"
      case profileImageURL = "profile_image_url"
      case profileImageThumbnailURL = "profile_image_thumbnail_url"
      case profileVisibility = "profile_visibility"
      case socialLinks = "social_links"
      case communityMemberships = "community_memberships"
    }
  }

  struct SocialLink: Codable, Equatable {
    enum Platform: String, Codable { case instagram, telegram, other }
    let id: UUID
    let platform: Platform
    let handle: String
  }

  struct CommunityMembership: Codable, Equatable {
    enum Role: String, Codable { case member, moderator, founder }
    let id: String
    let name: String
    let iconURL: String?
    let role: Role
    let isPrimary: Bool

    enum CodingKeys: String, CodingKey {
      case id, name, role
      case iconURL = "icon_url"
      case isPrimary = "is_primary"
    }
  }

  /// The app's request to change an account; nil values are left out.
  struct ProfileUpdate: Encodable {
    var username: String?
    var bio: String?
    var location: String?
    var nationality: String?
    var profileVisibility: String?
    var socialLinks: [SocialLink]?
    var communityMemberships: [CommunityMembership]?

    enum CodingKeys: String, CodingKey {
      case username, bio, location, nationality
      case profileVisibility = "profile_visibility"
      case socialLinks = "social_links"
      case communityMemberships = "community_memberships"
    }
  }

  /// The public profile of a user.
  struct PublicProfile: Decodable {
    struct Stats: Decodable {
      let totalContributions: Int
      let averageRating: Double?
      let totalForks: Int

      enum CodingKeys: String, CodingKey {
        case totalContributions = "total_contributions"
        case averageRating = "average_rating"
        case totalForks = "total_forks"
      }
    }

    let id: UUID
    let username: String
    let bio: String?
    let location: String?
    let nationality: String?
    let profileImageURL: String?
    let profileImageThumbnailURL: String?
    let isVerified: Bool
    let verificationTier: String?
    let createdAt: Date
    let stats: Stats
    let socialLinks: [SocialLink]
    let primaryCommunity: CommunityMembership?

    enum CodingKeys: String, CodingKey {
      case id, username, bio, location, nationality, stats
      case profileImageURL = "profile_image_url"
      case profileImageThumbnailURL = "profile_image_thumbnail_url"
      case isVerified = "is_verified"
      case verificationTier = "verification_tier"
      case createdAt = "created_at"
      case socialLinks = "social_links"
      case primaryCommunity = "primary_community"
    }
  }

  /// The counts of the user's own account.
  struct OwnStats: Decodable {
    let totalContributions: Int
    let averageRating: Double
    let totalForks: Int
    let communitiesJoined: Int
    let daysAtSea: Int

    enum CodingKeys: String, CodingKey {
      case totalContributions = "total_contributions"
      case averageRating = "average_rating"
      case totalForks = "total_forks"
      case communitiesJoined = "communities_joined"
      case daysAtSea = "days_at_sea"
    }
  }
}

extension HTTPAnswer {
  /// Decodes the body as the app does on the oldest system that it supports: dates are ISO 8601, and a fraction of a
  /// second, which newer decoders accept, is an error.
  func decode<Value: Decodable>(
    _ type: Value.Type, status: Int = 200, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Value {
    try #require(self.status == status, "\(text)", sourceLocation: sourceLocation)
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    _ = try decoder.decode(type, from: Data(body))
    decoder.dateDecodingStrategy = .custom { decoder in
      let text = try decoder.singleValueContainer().decode(String.self)
      guard text.isPlainTime, let date = ISO8601DateFormatter().date(from: text) else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: decoder.codingPath, debugDescription: "no date in whole seconds: \(text)"))
      }
      return date
    }
    return try decoder.decode(type, from: Data(body))
  }
}

extension AppTypes.User {
  /// Whether the app can show the time: whole seconds, UTC.
  var hasPlainTime: Bool { createdAt.isPlainTime }
}

extension String {
  /// Whether this is a time in whole seconds, UTC.
  fileprivate var isPlainTime: Bool {
    wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z/) != nil
  }
}

extension AppTypes.ProfileUpdate {
  /// The request's body.
  func body() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
}
