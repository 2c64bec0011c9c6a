import FleetKit

/// What it means that a library belongs to another registry or account, for people and as JSON.
struct RebindText {
  let library: String
  let output: OutputOptions

  /// What is asked before it is done.
  static func question(_ plan: RebindPlan, _ library: String) -> String {
    let old = plan.old.map { "\($0.registry) (\($0.username))" } ?? "nobody"
    var words = "\(library) belongs to \(old). "
    if plan.forgets { words += consequences(plan).map { $0 + " " }.joined() }
    if plan.keepsPublished { words += "What is published there counts as published at the new address. " }
    return words + "Make it belong to \(plan.new.registry) (\(plan.new.username))?"
  }

  /// What becomes of items and operations, in sentences.
  private static func consequences(_ plan: RebindPlan) -> [String] {
    var words: [String] = []
    if plan.published > 0 {
      let (items, are, stay) = plan.published == 1 ? ("item", "is", "stays") : ("items", "are", "stay")
      words.append(
        "\(plan.published) \(items) \(are) public there and \(stay) public there; here they become private and pending, "
          + "and 'fleetkit publish' publishes them anew, under new addresses.")
    }
    if plan.waiting > 0 {
      let some = plan.waiting == 1 ? "it" : "\(plan.uncertain) of them"
      let maybe = plan.uncertain > 0 ? "; \(some) may be public at the old one, too" : ""
      words.append(
        "\(plan.waiting) \(plan.waiting == 1 ? "operation waits and goes" : "operations wait and go") to the new one"
          + "\(maybe).")
    }
    if plan.withdrawals > 0 {
      words.append(
        "\(plan.withdrawals) \(plan.withdrawals == 1 ? "withdrawal is" : "withdrawals are") left undone: what was to be "
          + "withdrawn stays public at the old one.")
    }
    if plan.updates > 0 {
      words.append("\(plan.updates) \(plan.updates == 1 ? "change is" : "changes are") left undone there.")
    }
    return words
  }

  /// What was done.
  func say(_ plan: RebindPlan) {
    if output.json { return Terminal.print(json(plan)) }
    if output.quiet { return }
    let whose = "\(plan.new.registry) and the account \(plan.new.username)"
    guard plan.isChange || plan.old == nil else {
      return Terminal.say(TerminalText.escape("\(library) belongs to \(whose) already; nothing else was changed."))
    }
    Terminal.say(TerminalText.escape("\(library) belongs to \(whose) now."))
    guard plan.forgets, let old = plan.old else { return }
    if plan.published > 0 {
      let (items, stay, are) = plan.published == 1 ? ("item", "stays", "is") : ("items", "stay", "are")
      Terminal.say(
        TerminalText.escape(
          "\(plan.published) \(items) \(stay) public at \(old.registry) and \(are) private here: 'fleetkit publish' "
            + "publishes anew."))
    }
    for words in Self.consequences(plan).dropFirst(plan.published > 0 ? 1 : 0) { Terminal.say(words) }
    if plan.leaving > 0 {
      Terminal.say(
        TerminalText.escape(
          "\(plan.leaving) \(plan.leaving == 1 ? "operation" : "operations") for \(old.registry) left the queue and "
            + "\(plan.leaving == 1 ? "is" : "are") kept beside the library."))
    }
  }

  private func json(_ plan: RebindPlan) -> String {
    var json = JSONBuilder()
    json.object { json in
      json.string("command", "queue rebind")
      json.number("status", 0)
      json.string("library", library)
      json.string("registry", plan.new.registry)
      json.string("username", plan.new.username)
      json.string("old_registry", plan.old?.registry)
      json.string("old_username", plan.old?.username)
      json.bool("changed", plan.isChange || plan.old == nil)
      json.number("made_private", plan.forgets ? plan.published : 0)
      json.number("waiting", plan.waiting)
      json.number("withdrawals_undone", plan.forgets ? plan.withdrawals : 0)
      json.number("changes_undone", plan.forgets ? plan.updates : 0)
      json.number("left_the_queue", plan.forgets ? plan.leaving : 0)
    }
    return json.result
  }
}
