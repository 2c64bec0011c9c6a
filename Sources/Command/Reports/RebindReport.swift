import FleetKit

/// The report of `queue rebind`, and its confirmation question.
struct RebindReport: Report {
  let command = "queue rebind"
  let status = ExitStatus.success
  let library, registry, username: String
  let oldRegistry, oldUsername: String?
  let changed: Bool
  let madePrivate, waiting, withdrawalsUndone, changesUndone, leftTheQueue: Int
  @TextOnly var plan: RebindPlan

  init(_ plan: RebindPlan, library: String) {
    (self.library, registry, username) = (library, plan.new.registry, plan.new.username)
    (oldRegistry, oldUsername) = (plan.old?.registry, plan.old?.username)
    (changed, waiting) = (plan.isChange || plan.old == nil, plan.waiting)
    (madePrivate, withdrawalsUndone) = plan.forgets ? (plan.published, plan.withdrawals) : (0, 0)
    (changesUndone, leftTheQueue) = plan.forgets ? (plan.updates, plan.leaving) : (0, 0)
    self.plan = plan
  }

  /// Returns the confirmation question.
  static func question(_ plan: RebindPlan, _ library: String) -> String {
    let old = plan.old.map { "\($0.registry) (\($0.username))" } ?? "no registry"
    var words = "\(library) belongs to \(old). "
    if plan.forgets { words += consequences(plan).map { $0 + " " }.joined() }
    if plan.keepsPublished { words += "Items published there count as published at the new address. " }
    return words + "Make it belong to \(plan.new.registry) (\(plan.new.username))?"
  }

  /// Describes what happens to items and operations.
  private static func consequences(_ plan: RebindPlan) -> [String] {
    var words: [String] = []
    if plan.published > 0 {
      let (items, are, stay) = plan.published == 1 ? ("item", "is", "stays") : ("items", "are", "stay")
      words.append(
        "\(plan.published) \(items) \(are) public there and \(stay) public there; here they become private and "
          + "pending, and 'fleetkit publish' publishes them again, under new addresses.")
    }
    if plan.waiting > 0 {
      let some = plan.waiting == 1 ? "it" : "\(plan.uncertain) of them"
      let maybe = plan.uncertain > 0 ? "; \(some) may also be public at the old registry" : ""
      words.append(
        "\(plan.waiting) \(plan.waiting == 1 ? "operation waits and goes" : "operations wait and go") "
          + "to the new registry\(maybe).")
    }
    if plan.withdrawals > 0 {
      words.append(
        "\(plan.withdrawals) \(plan.withdrawals == 1 ? "withdrawal is" : "withdrawals are") not carried out: the items "
          + "stay public at the old registry.")
    }
    if plan.updates > 0 {
      words.append("\(plan.updates) \(plan.updates == 1 ? "change is" : "changes are") not sent to the old registry.")
    }
    return words
  }

  /// Prints the result.
  func render(_ output: OutputOptions) {
    if output.quiet { return }
    let owner = "\(plan.new.registry) and the account \(plan.new.username)"
    guard changed else {
      return Terminal.say(TerminalEscaping.escape("\(library) already belongs to \(owner); nothing else was changed."))
    }
    Terminal.say(TerminalEscaping.escape("\(library) now belongs to \(owner)."))
    guard plan.forgets, let old = plan.old else { return }
    if plan.published > 0 {
      let (items, stay, are) = plan.published == 1 ? ("item", "stays", "is") : ("items", "stay", "are")
      Terminal.say(
        TerminalEscaping.escape(
          "\(plan.published) \(items) \(stay) public at \(old.registry) and \(are) private here. To publish again, "
            + "run 'fleetkit publish'."))
    }
    for words in Self.consequences(plan).dropFirst(plan.published > 0 ? 1 : 0) { Terminal.say(words) }
    if plan.leaving > 0 {
      Terminal.say(
        TerminalEscaping.escape(
          "\(plan.leaving) \(plan.leaving == 1 ? "operation" : "operations") for \(old.registry) left the queue and "
            + "\(plan.leaving == 1 ? "is" : "are") kept next to the library."))
    }
  }

}
