/// The profile of an account, as its owner wrote it.
///
/// Nothing in a profile is verified, and nothing in it grants any right in the registry: a community role is only the
/// owner's claim.
public struct Profile: Sendable, Equatable {
  /// A text about the person; the only value with line breaks.
  public var bio: String?
  /// The person's home.
  public var location: String?
  /// The person's nationality.
  public var nationality: String?
  /// The profile's visibility, as the client's value; nil means `public`.
  public var visibility: String?
  /// The owner's accounts at other services; nil if never given.
  public var socialLinks: [SocialLink]?
  /// The owner's communities; nil if never given.
  public var communityMemberships: [CommunityMembership]?

  /// Creates an empty profile.
  public init() {}

  /// Whether others may see the profile. Any value except `public` hides it, because an unknown value may mean
  /// anything.
  public var isPublic: Bool { visibility.map { $0.utf8.elementsEqual("public".utf8) } ?? true }
}

/// An account of the owner at another service.
public struct SocialLink: Sendable, Equatable {
  /// The services that the app supports.
  public enum Platform: String, Sendable, CaseIterable {
    case instagram, telegram, other
  }

  /// The link's id, a UUID as the client wrote it.
  public let id: String
  /// The service.
  public let platform: Platform
  /// The owner's name at that service.
  public let handle: String

  /// Makes a link.
  public init(id: String, platform: Platform, handle: String) {
    self.id = id
    self.platform = platform
    self.handle = handle
  }
}

/// A community that the owner claims to belong to. It is shown only to the owner.
public struct CommunityMembership: Sendable, Equatable {
  /// The roles that the app supports.
  public enum Role: String, Sendable, CaseIterable {
    case member, moderator, founder
  }

  /// The client's id of the community.
  public let id: String
  /// The community's name.
  public let name: String
  /// The address of the community's picture (http or https).
  public let iconURL: String?
  /// The role that the owner claims.
  public let role: Role
  /// Whether this is the owner's main community.
  public let isPrimary: Bool

  /// Makes a membership.
  public init(id: String, name: String, iconURL: String?, role: Role, isPrimary: Bool) {
    self.id = id
    self.name = name
    self.iconURL = iconURL
    self.role = role
    self.isPrimary = isPrimary
  }
}
