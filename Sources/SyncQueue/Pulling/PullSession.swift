import Interchange
import RegistryClient
import SQLiteIO
import SQLiteLibrary

/// A library that changes are about to be pulled into, and its owner. While the session exists, no sync is running on
/// the library.
package final class PullSession {
  /// The user who is signed in.
  package let user: RegistryUser
  private let lock: SyncLock?

  /// Asks the registry who is signed in, and checks that the library belongs to this registry and account. Binds a
  /// library that does not belong to a registry yet, except in a dry run.
  /// - Throws: `RunFailure`: 2 when the file is not a library, 4 when the library belongs to another registry or
  ///   account or its schema is old, 6 when its schema is newer, 7 when a sync is running, 69 and 77 when the registry
  ///   cannot be asked.
  package init(_ library: String, _ registry: any RegistryCalls, at address: String, isDryRun: Bool) throws {
    let store = try QueueStore(library, isDryRun ? .look : .change)
    let old = try store.binding()
    // Another registry is refused before a request is made to it.
    try Self.refuseOther(old, address, nil, library)
    lock = isDryRun ? nil : try SyncLock(of: library)
    do throws(RegistryError) {
      user = try registry.me()
    } catch {
      throw error.failure("pull into '\(library)'", at: address)
    }
    try Self.refuseOther(old, address, user, library)
    if old == nil, !isDryRun {
      try store.bind(to: RegistryBinding(registry: address, userID: user.id, username: user.username))
    }
  }

  private static func refuseOther(
    _ old: RegistryBinding?, _ address: String, _ user: RegistryUser?, _ library: String
  ) throws(RunFailure) {
    guard let old else { return }
    if old.registry != address {
      throw RunFailure(
        .refused, "pull into '\(library)': it belongs to \(old.registry), not to \(address); nothing was changed",
        advice: "If this is intended, run: fleetkit queue rebind '\(library)' --registry \(address)")
    }
    if let user, old.userID.lowercased() != user.id.lowercased() {
      throw RunFailure(
        .refused,
        "pull into '\(library)': it belongs to the account '\(old.username)', but '\(user.username)' is signed in; "
          + "nothing was changed",
        advice: "Sign in as '\(old.username)', or: fleetkit queue rebind '\(library)' --registry \(address)")
    }
  }
}
