import Content

/// An account with its profile.
public struct Account: Sendable, Equatable {
  /// The user.
  public let user: User
  /// The owner's profile.
  public let profile: Profile

  /// The profile as everybody may see it: empty if its owner hides it.
  public var publicProfile: Profile { profile.isPublic ? profile : Profile() }

  /// Makes an account.
  public init(user: User, profile: Profile) {
    self.user = user
    self.profile = profile
  }
}

/// The counts of a user's publications.
public struct AuthorStats: Sendable, Equatable {
  /// The number of items that are public now.
  public let contributions: Int64
  /// The sum of the items' fork counts.
  public let forks: Int64

  /// Makes the counts.
  public init(contributions: Int64, forks: Int64) {
    self.contributions = contributions
    self.forks = forks
  }
}

/// A person who has signed in. Public endpoints return only the username.
public struct User: Sendable, Equatable {
  /// The registry's own id, `sub` in access tokens.
  public let id: RegistryID
  /// Apple's stable id of the person (`sub`); for a test sign-in, `test:` and the address.
  public let appleID: String
  /// The address, when Apple provided one.
  public let email: String?
  /// The unique username, made from the local part of the address or else random.
  public let username: String
  /// The time of the first sign-in.
  public let createdAt: Timestamp
  /// The time of the account's last change.
  public let updatedAt: Timestamp

  /// Creates an instance from its members.
  public init(
    id: RegistryID, appleID: String, email: String?, username: String, createdAt: Timestamp, updatedAt: Timestamp
  ) {
    self.id = id
    self.appleID = appleID
    self.email = email
    self.username = username
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }
}

/// The profile of an account, as its owner wrote it.
///
/// Nothing in a profile is verified, and nothing in it grants any right in the registry: a community role is only the
/// owner's claim.
public struct Profile: Sendable, Equatable {
  /// What the person writes about themselves; the only value with line breaks.
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

/// A change to an account: nil leaves a value unchanged, `.some(nil)` removes it.
public struct ProfileChange: Sendable, Equatable {
  /// The public name; an account always has one.
  public var username: String?
  /// What the person writes about themselves; see `Profile.bio`.
  public var bio: String??
  /// The person's home; see `Profile.location`.
  public var location: String??
  /// The person's nationality; see `Profile.nationality`.
  public var nationality: String??
  /// The profile's visibility; see `Profile.visibility`.
  public var visibility: String??
  /// The owner's accounts at other services; see `Profile.socialLinks`.
  public var socialLinks: [SocialLink]??
  /// The owner's communities; see `Profile.communityMemberships`.
  public var communityMemberships: [CommunityMembership]??

  /// Creates a change without effect.
  public init() {}

  /// Returns the profile after the change.
  public func applied(to profile: Profile) -> Profile {
    var changed = profile
    if let bio { changed.bio = bio }
    if let location { changed.location = location }
    if let nationality { changed.nationality = nationality }
    if let visibility { changed.visibility = visibility }
    if let socialLinks { changed.socialLinks = socialLinks }
    if let communityMemberships { changed.communityMemberships = communityMemberships }
    return changed
  }
}

/// A sign-in: a family of refresh tokens that came from it, one of which is valid.
public struct Session: Sendable, Equatable {
  /// The registry's own id, `sid` in access tokens.
  public let id: RegistryID
  /// The user who signed in.
  public let userID: RegistryID
  /// The time of the sign-in.
  public let createdAt: Timestamp
  /// When the currently valid refresh token expires.
  public let expiresAt: Timestamp

  /// How long, in seconds, an exchanged refresh token returns the same successor again, for clients that did not
  /// receive the answer.
  public static let grace: Int64 = 60

  /// Creates an instance from its members.
  public init(id: RegistryID, userID: RegistryID, createdAt: Timestamp, expiresAt: Timestamp) {
    self.id = id
    self.userID = userID
    self.createdAt = createdAt
    self.expiresAt = expiresAt
  }
}
