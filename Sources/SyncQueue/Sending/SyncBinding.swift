import Interchange

/// Checks that a library belongs to one registry and one account: its publication records mean nothing to any other.
enum SyncBinding {
  /// Refuses a registry or an account that the library does not belong to.
  static func refuseOther(
    _ old: RegistryBinding?, registry: String, userID: String?, path: String, username: String? = nil
  ) throws {
    guard let old else { return }
    if old.registry != registry {
      throw RunFailure(
        .refused, "send the queue of '\(path)': it belongs to \(old.registry), not to \(registry); nothing was sent",
        advice: "If this is intended, run: fleetkit queue rebind '\(path)' --registry \(registry)")
    }
    if let userID, old.userID.lowercased() != userID.lowercased() {
      throw RunFailure(
        .refused,
        "send the queue of '\(path)': it belongs to the account '\(old.username)', but '\(username ?? userID)' is "
          + "signed in; nothing was sent",
        advice: "Sign in as '\(old.username)', or: fleetkit queue rebind '\(path)' --registry \(registry)")
    }
  }
}
