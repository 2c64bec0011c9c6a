/// A change of an account: what is nil stays as it is, what is `.some(nil)` is removed.
public struct ProfileChange: Sendable, Equatable {
  /// The name that others see; an account always has one.
  public var username: String?
  /// See `Profile.bio`.
  public var bio: String??
  /// See `Profile.location`.
  public var location: String??
  /// See `Profile.nationality`.
  public var nationality: String??
  /// See `Profile.visibility`.
  public var visibility: String??
  /// See `Profile.socialLinks`.
  public var socialLinks: [SocialLink]??
  /// See `Profile.communityMemberships`.
  public var communityMemberships: [CommunityMembership]??

  /// A change of nothing.
  public init() {}

  /// The profile after the change.
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
