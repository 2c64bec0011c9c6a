import Interchange

/// The consequences of binding a library to another registry or account.
package struct RebindPlan: Sendable, Equatable {
  /// The current binding; nil while there is none.
  package var old: RegistryBinding?
  /// The new binding.
  package var new: RegistryBinding
  /// Whether the new registry is the same service under a new address, with the same items.
  package var keepsPublished: Bool
  /// The number of items that are public at the old registry and become private here.
  package var published = 0
  /// The number of waiting publications that may have reached the old registry.
  package var uncertain = 0
  /// The number of waiting operations that move to the new registry.
  package var waiting = 0
  /// The number of withdrawals that only the old registry can carry out and has not carried out.
  package var withdrawals = 0
  /// The number of changes that only the old registry can carry out and has not carried out.
  package var updates = 0
  /// The number of operations that leave the queue, including sent ones.
  package var leaving = 0

  init(_ old: RegistryBinding?, _ new: RegistryBinding, keepsPublished: Bool) {
    self.old = old
    self.new = new
    self.keepsPublished = keepsPublished
  }

  /// Whether the registry or the account really changes.
  package var isChange: Bool { old.map { !$0.isSame(as: new) } ?? false }
  /// Whether the publication records become invalid.
  package var forgets: Bool { isChange && !keepsPublished }
  /// The number of operations that would be left undone.
  package var undone: Int { withdrawals + updates }

  /// Refuses a plan that would lose operations.
  /// - Parameter force: whether operations that only the old registry can carry out may be left undone.
  package func refuse(_ path: String, force: Bool) throws(RunFailure) {
    guard isChange, let old else { return }
    if keepsPublished, old.userID.lowercased() != new.userID.lowercased() {
      throw RunFailure(
        .refused,
        "rebind '\(path)' and keep its publications: '\(new.username)' at \(new.registry) is a different account from "
          + "'\(old.username)' at \(old.registry), so the items are not its own; nothing was changed",
        advice: "Leave out --keep-published; the items then become private here and can be published again.")
    }
    guard undone > 0, !force, !keepsPublished else { return }
    let what = [
      withdrawals == 0 ? nil : withdrawals == 1 ? "1 withdrawal" : "\(withdrawals) withdrawals",
      updates == 0 ? nil : updates == 1 ? "1 change" : "\(updates) changes",
    ].compactMap { $0 }
    throw RunFailure(
      .refused,
      "rebind '\(path)': \(what.joined(separator: " and ")) for \(old.registry) \(undone == 1 ? "was" : "were") not "
        + "sent, and no other registry can do this; nothing was changed",
      advice: "Send them first, signed in as '\(old.username)': fleetkit sync '\(path)' --retry-failed; or leave them "
        + "undone with --force.")
  }
}

extension RegistryBinding {
  /// Whether both bindings name the same registry and the same account, regardless of the account's name.
  package func isSame(as other: RegistryBinding) -> Bool {
    registry == other.registry && userID.lowercased() == other.userID.lowercased()
  }
}
