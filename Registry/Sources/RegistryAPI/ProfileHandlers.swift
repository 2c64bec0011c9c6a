import HTTPTypes
import Hummingbird
import JSONText
import RegistryModel
import RegistryStore

/// Handles the routes for profiles.
struct ProfileHandlers: Sendable {
  /// A length that exceeds the length of any name that an account has ever had.
  private static let longestName = 100

  let registry: Registry

  /// Handles `GET /users/{username}`: returns a user's public profile.
  func named(_ request: Request, _ context: RegistryContext) async throws -> Response {
    try await answer(request, account(context))
  }

  /// Returns the account that a path names.
  func account(_ context: RegistryContext) async throws -> Account {
    guard let name = context.parameters.get("username"), name.utf8.count <= Self.longestName,
      let account = try await registry.store.account(.username(name))
    else { throw Problem.noSuchUser }
    return account
  }

  /// Handles `GET /users/by-id/{id}`: returns a user's public profile, by the user's id.
  func byID(_ request: Request, _ context: RegistryContext) async throws -> Response {
    guard let id = context.parameters.get("id").flatMap(RegistryID.init),
      let account = try await registry.store.account(.id(id))
    else { throw Problem.noSuchUser }
    return try await answer(request, account)
  }

  private func answer(_ request: Request, _ account: Account) async throws -> Response {
    var out = JSONOutput(capacity: 1024)
    out.appendPublicProfile(account, try await registry.store.stats(of: account.user.id))
    return .publicRead(request, out)
  }

  /// Handles `GET /profile/stats`: returns the counts of the caller's own account.
  func stats(_ request: Request) async throws -> Response {
    let principal = try await principal(of: request, registry)
    guard let account = try await registry.store.account(.id(principal.userID)) else {
      throw Problem(refusing: .revoked)
    }
    var out = JSONOutput(capacity: 256)
    out.appendOwnStats(account, try await registry.store.stats(of: account.user.id))
    return .json(.ok, out, headers: [.cacheControl: "no-store"])
  }
}

/// The routes for profiles.
enum ProfileRoutes {
  /// Adds the routes. `/users/me` is not one of them: it is the caller's own account, not a username.
  static func add(to routes: some RouterMethods<RegistryContext>, _ registry: Registry) {
    let handlers = ProfileHandlers(registry: registry)
    routes.get("users/{username}") { request, context in try await handlers.named(request, context) }
    routes.get("users/by-id/{id}") { request, context in try await handlers.byID(request, context) }
    routes.get("profile/stats") { request, _ in try await handlers.stats(request) }
  }
}

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
    let shown = account.publicProfile
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
