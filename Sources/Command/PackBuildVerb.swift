import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit pack build`.
struct PackBuildVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "build",
    abstract: "Build a content pack: checked, reproducible, and without personal data.",
    discussion: """
      pack.yml describes the pack: version, publisher and licence are required; name, description, languages \
      and select are optional. Without --config it is read from the folder that is packed.

      Content is checked against the schemas and the publish rules; if there is an error, no pack is built. The same \
      content gives the same bytes. Checklists, guides, decks and their attachments are included. Personal data is \
      left out and counted: pins, card progress, publication and sync state, accounts, charters and the rest.

      The extension of FILE selects the archive type: .fleetpack, .zip, .tar.gz, or / for a folder.

      EXAMPLES
        fleetkit pack build vault/ --to first-charter.fleetpack
        fleetkit pack build anyfleet.sqlite --config pack.yml --tag safety \\
            --to safety.fleetpack
        fleetkit pack build vault/ --previous first-charter-1.1.0.fleetpack \\
            --to first-charter-1.2.0.fleetpack

      EXIT STATUS
        0   built
        1   findings, nothing built
        2   failed, nothing built
        4   the target exists, or there is no content
        5   the bytes of an attachment do not match its checksum
        64  wrong usage or pack.yml
      """)

  @Argument(
    help: ArgumentHelp("Libraries, bundles, vaults, or folders of them.", valueName: "src"), completion: .file())
  var sources: [String]

  @Option(name: .long, help: ArgumentHelp("The description of the pack (pack.yml).", valueName: "file"))
  var config: String?

  @Option(name: .long, help: ArgumentHelp("The new pack.", valueName: "file"), completion: .file())
  var to: String

  @Option(
    name: .long,
    help: ArgumentHelp("The file of the previous version, which this pack follows.", valueName: "file"),
    completion: .file())
  var previous: String?

  @Flag(name: .long, help: "Replace an existing file.")
  var overwrite = false

  @Flag(name: .long, help: "Do everything except the final write; nothing is changed.")
  var dryRun = false

  @Option(name: .long, help: "Show at most this many findings, 0 for all. Does not affect counts or the exit status.")
  var maxFindings: Int?

  @OptionGroup(title: "Sources") var source: SourceOptions
  @OptionGroup var reading: ReadingFlags
  @OptionGroup(title: "Selecting records") var selectors: SelectorOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    if let maxFindings, maxFindings < 0 {
      throw ValidationError("--max-findings must be 0 or more, not \(maxFindings).")
    }
  }

  func run() throws {
    let plan = try PackBuildPlan(self)
    let report = plan.makeReport()
    let outcome = try plan.build.run(
      report: report, context: RunContext(dryRun: dryRun, reading: reading.options, now: RunContext.currentTime))
    Progress.clear()
    for failure in outcome.validation.failures {
      Terminal.complain("fleetkit: " + TerminalEscaping.escape(failure.sentences))
    }
    try output.print(PackBuildReport(outcome, target: to, dryRun: dryRun, findings: plan.collected))
    if outcome.status != .success { throw ExitCode(outcome.status.rawValue) }
  }
}

/// A build with the options of `fleetkit pack build`: its sources, pack.yml, configuration and report.
struct PackBuildPlan {
  /// The build to run.
  private(set) var build: PackBuild
  private let verb: PackBuildVerb
  /// The findings, for `--json`.
  private let collector = FindingCollector()

  /// The default number of findings shown to people.
  private static let shownToPeople = 200

  init(_ verb: PackBuildVerb) throws {
    self.verb = verb
    var locator = ConfigurationLocator(catalog: RuleCatalog(FindingCodes.all))
    var configurations: [String: Configuration] = [:]
    for path in verb.sources {
      configurations[path] = try Self.read { () throws(ConfigurationError) in try locator.configuration(for: path) }
    }
    let configuration = try Self.packConfiguration(verb)
    let content = try ContentSources(verb.sources, format: verb.source.fromFormat, configurations: configurations)
    try TableOptionValidation.check(verb.reading.options, content.sources)
    build = PackBuild(
      sources: content.sources, configuration: configuration,
      target: Target(verb.to, overwrites: verb.overwrite))
    build.failures = content.failures
    build.configurations = configurations
    build.previous = verb.previous
    build.selection = verb.selectors.selection
    build.maxFindings =
      switch verb.maxFindings {
      case 0: nil
      case nil: verb.output.verbose ? nil : Self.shownToPeople
      case let limit: limit
      }
    build.onProgress = verb.output.quiet ? nil : Progress("Packed").callback
  }

  /// Reads `pack.yml`.
  private static func packConfiguration(_ verb: PackBuildVerb) throws -> PackConfiguration {
    if let file = verb.config { return try read { () throws(ConfigurationError) in try PackConfiguration(file: file) } }
    let folders = verb.sources.filter { Target($0).isFolder }
    let files = folders.map { ($0.hasSuffix("/") ? $0 : $0 + "/") + PackConfiguration.fileName }
      .filter { FileManager.default.fileExists(atPath: $0) }
    guard let file = files.first, files.count == 1 else {
      let why =
        files.isEmpty
        ? "\(PackConfiguration.fileName) is missing"
        : "the sources contain more than one \(PackConfiguration.fileName)"
      throw RunFailure(
        .usage, "build '\(verb.to)': \(why)",
        advice: "Name a file with --config. A minimal one contains: "
          + PackConfiguration.smallest.split(separator: "\n").joined(separator: " / ") + ".")
    }
    return try read { () throws(ConfigurationError) in try PackConfiguration(file: file) }
  }

  /// Reads a configuration, and reports everything that is wrong with it.
  private static func read<Value>(_ body: () throws(ConfigurationError) -> Value) throws -> Value {
    do throws(ConfigurationError) {
      return try body()
    } catch {
      let renderer = TextRenderer(colour: Terminal.usesColour)
      for finding in error.diagnostics.dropFirst() { Terminal.report(renderer.render(finding)) }
      throw error.failure
    }
  }

  /// Returns the report of findings. The findings are printed on standard error like those of `validate`; with
  /// `--json`, they are included in the result.
  func makeReport() -> any FindingReport {
    if verb.output.json { return collector }
    var settings = ReportOptions(toolVersion: FleetKitCommand.configuration.version)
    settings.colour = Terminal.usesColour
    settings.width = min(Terminal.width, 120)
    let isQuiet = verb.output.quiet
    return TextReport(settings) { bytes in
      guard !isQuiet else { return }
      Progress.clear()
      Terminal.report(String(decoding: bytes.last == 0x0A ? bytes.extracting(droppingLast: 1) : bytes))
    }
  }

  /// The findings of a run with `--json`.
  fileprivate var collected: [Diagnostic] { collector.findings }
}

/// Keeps findings for a summary.
final class FindingCollector: FindingReport {
  private(set) var findings: [Diagnostic] = []

  func begin() throws {}
  func add(_ finding: Diagnostic) throws { findings.append(finding) }
  func end(_ summary: ReportSummary) throws {}
}

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
      if output.quiet { Terminal.report(outcome.validation.summary.sentence) }
      Terminal.report("No pack was built, because some content cannot be published.")
      return
    }
    if output.quiet { return }
    SummaryRenderer.losses(outcome.losses, verbose: output.verbose)
    SummaryRenderer.tally(outcome.tally)
    let version = info.version.map { " \($0)" } ?? ""
    Terminal.report("\(info.name)\(version): \(contents(info))")
    if let parent = info.parent {
      let changes = outcome.changes.map { ": \($0.added) added, \($0.changed) changed, \($0.gone) removed" } ?? ""
      Terminal.report("It follows version \(parent.version)\(changes).")
    }
    if outcome.placeBoundIDs > 0 { Terminal.report(advice(placeBound: outcome.placeBoundIDs)) }
    let target = TerminalEscaping.escape(target)
    let time = Figures.duration(outcome.seconds)
    guard !dryRun else {
      return Terminal.report("Nothing was written (--dry-run); \(target) would be written. Built in \(time).")
    }
    Terminal.report("Wrote \(target), \(Figures.bytes(outcome.bytes)), in \(time).")
    if let sha256 = outcome.sha256 { Terminal.report("SHA-256 \(sha256)") }
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
