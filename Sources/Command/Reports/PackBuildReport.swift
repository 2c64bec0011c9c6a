import FleetKit

/// The report of `pack build`.
struct PackBuildReport: Report {
  private struct Pack: Encodable {
    let name: String
    let version, publisher, licence, previous: String?
    let languages: [String]
    let items: Members<Int>

    init(_ info: PackInfo) {
      (name, version, publisher, licence) = (info.name, info.version?.text, info.publisher, info.licence)
      (previous, languages) = (info.parent?.version.text, info.languages)
      items = Members(ContentType.allCases.map { type in (type.rawValue, info.items.count { $0.contentType == type }) })
    }
  }

  private struct Changes: Encodable { let added, changed, gone: Int }

  private let command = "pack build"
  private let status: ExitStatus
  private let target: String
  private let dryRun, built: Bool
  @IfPresent private var pack: Pack?
  @IfPresent private var changes: Changes?
  private let idsByPlace, bytes: Int
  private let sha256: String?
  private let seconds: Seconds
  private let kinds: Members<TallyReport>
  private let total: TallyReport
  private let losses: LossesReport
  private let findings: FindingsReport
  @TextOnly private var outcome: PackBuild.Outcome

  init(_ outcome: PackBuild.Outcome, target: String, dryRun: Bool, findings: [Diagnostic]) {
    (status, self.target, self.dryRun) = (outcome.status, target, dryRun)
    (built, pack) = (outcome.info != nil && !dryRun, outcome.info.map(Pack.init))
    changes = outcome.changes.map { Changes(added: $0.added, changed: $0.changed, gone: $0.gone) }
    (idsByPlace, bytes, sha256) = (outcome.placeBoundIDs, outcome.bytes, outcome.sha256)
    seconds = Seconds(outcome.seconds)
    (kinds, total) = (TallyReport.kinds(outcome.tally), TallyReport(outcome.tally.total))
    losses = LossesReport(outcome.losses)
    self.findings = FindingsReport(outcome.validation.summary, items: findings)
    self.outcome = outcome
  }

  func render(_ output: OutputOptions) {
    guard let info = outcome.info else {
      if output.quiet { Terminal.say(outcome.validation.summary.sentence) }
      Terminal.say("No pack was built, because some content cannot be published.")
      return
    }
    if output.quiet { return }
    SummaryRenderer.losses(outcome.losses, verbose: output.verbose)
    SummaryRenderer.tally(outcome.tally)
    let version = info.version.map { " \($0)" } ?? ""
    Terminal.say("\(info.name)\(version): \(contents(info))")
    if let parent = info.parent {
      let changes = outcome.changes.map { ": \($0.added) added, \($0.changed) changed, \($0.gone) removed" } ?? ""
      Terminal.say("It follows version \(parent.version)\(changes).")
    }
    if outcome.placeBoundIDs > 0 { Terminal.say(advice(placeBound: outcome.placeBoundIDs)) }
    let target = TerminalEscaping.escape(target)
    let time = Figures.duration(outcome.seconds)
    guard !dryRun else {
      return Terminal.say("Nothing was written (--dry-run); would have written \(target), in \(time).")
    }
    Terminal.say("Wrote \(target), \(Figures.bytes(outcome.bytes)), in \(time).")
    if let sha256 = outcome.sha256 { Terminal.say("SHA-256 \(sha256)") }
  }

  private func advice(placeBound count: Int) -> String {
    (count == 1 ? "1 note has no id; its item's id depends" : "\(count) notes have no id; their items' ids depend")
      + " on the vault's location. Add 'source:' to .fleetkit.yml, or run convert or import with --write-ids."
  }

  private func contents(_ info: PackInfo) -> String {
    let words = ContentType.allCases.compactMap { type -> String? in
      let count = info.items.count { $0.contentType == type }
      let word = type.rawValue.replacing("_", with: " ")
      return count == 0 ? nil : Plural.count(count, word)
    }
    return TerminalEscaping.escape("\(words.joined(separator: ", ")) in \(info.languages.joined(separator: ", "))")
  }
}
