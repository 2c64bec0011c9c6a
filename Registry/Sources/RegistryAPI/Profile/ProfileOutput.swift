import JSONText
import RegistryModel

extension JSONOutput {
  /// Appends an account for its owner. An account without an address gets a placeholder, because clients require an
  /// address.
  mutating func appendAccount(_ account: Account) {
    let (user, profile) = (account.user, account.profile)
    append("{\"id\":")
    appendID(user.id)
    append(",\"email\":")
    appendJSONString(user.email ?? "\(user.id.text)@users.invalid")
    append(",\"username\":")
    appendJSONString(user.username)
    append(",\"created_at\":")
    appendDate(user.createdAt)
    append(",\"profile_image_url\":null,\"profile_image_thumbnail_url\":null")
    appendTexts(profile)
    append(",\"profile_visibility\":")
    appendJSONString(orNull: profile.visibility)
    append(",\"social_links\":")
    append(profile.socialLinks)
    append(",\"community_memberships\":")
    append(profile.communityMemberships)
    append(UInt8(ascii: "}"))
  }

  /// Appends an account for everybody: without its address, without communities, which are only the owner's claims, and
  /// without profile values that are not public.
  mutating func appendPublicProfile(_ account: Account, _ stats: AuthorStats) {
    let shown = account.profile.isPublic ? account.profile : Profile()
    append("{\"id\":")
    appendID(account.user.id)
    append(",\"username\":")
    appendJSONString(account.user.username)
    appendTexts(shown)
    append(",\"profile_image_url\":null,\"profile_image_thumbnail_url\":null")
    append(",\"is_verified\":false,\"verification_tier\":null,\"created_at\":")
    appendDate(account.user.createdAt)
    append(",\"stats\":{\"total_contributions\":")
    appendNumber(stats.contributions)
    append(",\"average_rating\":null,\"total_forks\":")
    appendNumber(stats.forks)
    append("},\"social_links\":")
    append(shown.socialLinks ?? [])
    append(",\"primary_community\":null}")
  }

  /// Appends the counts of the user's own account; a registry has neither ratings nor days at sea.
  mutating func appendOwnStats(_ account: Account, _ stats: AuthorStats) {
    append("{\"total_contributions\":")
    appendNumber(stats.contributions)
    append(",\"average_rating\":0,\"total_forks\":")
    appendNumber(stats.forks)
    append(",\"communities_joined\":")
    appendNumber(Int64(account.profile.communityMemberships?.count ?? 0))
    append(",\"days_at_sea\":0}")
  }

  private mutating func appendTexts(_ profile: Profile) {
    append(",\"bio\":")
    appendJSONString(orNull: profile.bio)
    append(",\"location\":")
    appendJSONString(orNull: profile.location)
    append(",\"nationality\":")
    appendJSONString(orNull: profile.nationality)
  }

  private mutating func append(_ links: [SocialLink]?) {
    appendList(links) { out, link in
      out.append("{\"id\":")
      out.appendJSONString(link.id)
      out.append(utf8: ",\"platform\":\"\(link.platform.rawValue)\",\"handle\":")
      out.appendJSONString(link.handle)
    }
  }

  private mutating func append(_ memberships: [CommunityMembership]?) {
    appendList(memberships) { out, membership in
      out.append("{\"id\":")
      out.appendJSONString(membership.id)
      out.append(",\"name\":")
      out.appendJSONString(membership.name)
      out.append(",\"icon_url\":")
      out.appendJSONString(orNull: membership.iconURL)
      out.append(utf8: ",\"role\":\"\(membership.role.rawValue)\",\"is_primary\":")
      out.appendBool(membership.isPrimary)
    }
  }

  /// Appends objects as an array, or null; `write` leaves each object open.
  private mutating func appendList<Element>(_ list: [Element]?, _ write: (inout JSONOutput, Element) -> Void) {
    guard let list else { return append("null") }
    append(UInt8(ascii: "["))
    for (index, element) in list.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      write(&self, element)
      append(UInt8(ascii: "}"))
    }
    append(UInt8(ascii: "]"))
  }
}
