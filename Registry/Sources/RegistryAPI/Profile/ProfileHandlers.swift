import HTTPTypes
import Hummingbird
import JSONText
import RegistryModel
import RegistryStore

/// Handles the routes for profiles.
struct ProfileHandlers: Sendable {
  /// A length greater than that of any name that an account has ever had.
  private static let longestName = 100

  let registry: Registry

  /// Handles `GET /users/{username}`: returns a user's public profile.
  func named(_ context: RegistryContext) async throws -> Response {
    guard let name = context.parameters.get("username"), name.utf8.count <= Self.longestName else {
      throw Problem.noSuchUser
    }
    return try await answer(.username(name))
  }

  /// Handles `GET /users/by-id/{id}`: returns a user's public profile, by the user's id.
  func byID(_ context: RegistryContext) async throws -> Response {
    guard let id = context.parameters.get("id").flatMap(RegistryID.init) else { throw Problem.noSuchUser }
    return try await answer(.id(id))
  }

  private func answer(_ name: AccountName) async throws -> Response {
    guard let account = try await registry.store.account(name) else { throw Problem.noSuchUser }
    var out = JSONOutput(capacity: 1024)
    out.appendPublicProfile(account, try await registry.store.stats(of: account.user.id))
    return .json(.ok, out)
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
