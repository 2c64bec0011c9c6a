/// A change to an account: nil leaves a value unchanged, `.some(nil)` removes it.
public struct ProfileChange: Sendable, Equatable {
  /// The public name; an account always has one.
  public var username: String?
  /// The text about the person; see `Profile.bio`.
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
