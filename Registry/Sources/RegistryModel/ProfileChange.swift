/// A change of an account: nil leaves a value unchanged, `.some(nil)` removes it.
public struct ProfileChange: Sendable, Equatable {
  /// The public name; an account always has one.
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

  /// A change without effect.
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
