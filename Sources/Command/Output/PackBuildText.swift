import FleetKit

/// What `fleetkit pack build` has to say.
enum PackBuildText {
  /// For people.
  static func say(_ outcome: PackBuild.Outcome, _ verb: PackBuildVerb) {
    guard let info = outcome.info else {
      if verb.output.quiet { Terminal.say(outcome.validation.summary.sentence) }
      Terminal.say("Nothing was built: what is not fit to be published does not go into a pack.")
      return
    }
    if verb.output.quiet { return }
    SummaryText.losses(outcome.losses, verbose: verb.output.verbose)
    SummaryText.tally(outcome.tally)
    let version = info.version.map { " \($0)" } ?? ""
    Terminal.say("\(info.name)\(version): \(contents(info))")
    if let parent = info.parent {
      let changes = outcome.changes.map { ": \($0.added) added, \($0.changed) changed, \($0.gone) gone" } ?? ""
      Terminal.say("It follows version \(parent.version)\(changes).")
    }
    if outcome.placeBoundIDs > 0 { Terminal.say(advice(placeBound: outcome.placeBoundIDs)) }
    let target = TerminalText.escape(verb.to)
    let time = Figures.duration(outcome.seconds)
    guard !verb.dryRun else {
      return Terminal.say("Nothing was written (--dry-run); it would have been \(target), after \(time).")
    }
    Terminal.say("Wrote \(target), \(Figures.bytes(outcome.bytes)), in \(time).")
    if let sha256 = outcome.sha256 { Terminal.say("SHA-256 \(sha256)") }
  }

  private static func advice(placeBound count: Int) -> String {
    (count == 1 ? "1 note says no id; its item's id hangs" : "\(count) notes say no id; their items' ids hang")
      + " on the vault's place: put 'source:' into .fleetkit.yml, or run convert or import with --write-ids."
  }

  private static func contents(_ info: PackInfo) -> String {
    let words = ContentType.allCases.compactMap { type -> String? in
      let count = info.items.count { $0.contentType == type }
      let word = type.rawValue.replacing("_", with: " ")
      return count == 0 ? nil : "\(count) \(word)\(count == 1 ? "" : "s")"
    }
    return TerminalText.escape("\(words.joined(separator: ", ")) in \(info.languages.joined(separator: ", "))")
  }

  /// For programs.
  static func json(_ outcome: PackBuild.Outcome, _ verb: PackBuildVerb, findings: [Diagnostic]) -> String {
    var json = JSONBuilder()
    json.object { json in
      json.string("command", "pack build")
      json.number("status", Int(outcome.status.rawValue))
      json.string("target", verb.to)
      json.bool("dry_run", verb.dryRun)
      json.bool("built", outcome.info != nil && !verb.dryRun)
      if let info = outcome.info { pack(&json, info) }
      if let changes = outcome.changes {
        json.object("changes") { json in
          json.number("added", changes.added)
          json.number("changed", changes.changed)
          json.number("gone", changes.gone)
        }
      }
      json.number("ids_by_place", outcome.placeBoundIDs)
      json.number("bytes", outcome.bytes)
      json.string("sha256", outcome.sha256)
      json.number("seconds", (outcome.seconds * 1000).rounded() / 1000)
      json.object("kinds") { json in
        for kind in outcome.tally.order { SummaryJSON.tally(&json, kind.name, outcome.tally[kind]) }
      }
      SummaryJSON.tally(&json, "total", outcome.tally.total)
      SummaryJSON.losses(&json, outcome.losses)
      let summary = outcome.validation.summary
      json.object("findings") { json in
        json.number("total", summary.total)
        json.number("errors", summary.severities[.error, default: 0])
        json.number("warnings", summary.severities[.warning, default: 0])
        json.number("notes", summary.severities[.note, default: 0])
        json.number("hidden", summary.hidden)
        json.array("items") { json in
          for finding in findings { json.raw(nil, SummaryJSON.text(FindingJSON(finding))) }
        }
      }
    }
    return json.result
  }

  private static func pack(_ json: inout JSONBuilder, _ info: PackInfo) {
    json.object("pack") { json in
      json.string("name", info.name)
      json.string("version", info.version?.text)
      json.string("publisher", info.publisher)
      json.string("licence", info.licence)
      json.string("previous", info.parent?.version.text)
      json.array("languages") { json in
        for language in info.languages { json.string(nil, language) }
      }
      json.object("items") { json in
        for type in ContentType.allCases {
          json.number(type.rawValue, info.items.count { $0.contentType == type })
        }
      }
    }
  }
}
