import FleetKit
import Foundation

/// A check with the options of `fleetkit validate`: its configurations, baseline and report.
struct ValidationPlan {
  /// The options of the check.
  var options = ValidationOptions()
  private let verb: ValidateVerb
  private let baseline: BaselineFile?
  /// The configurations, by path on the command line.
  private var configurations: [String: Configuration] = [:]

  /// The default number of findings shown to people.
  private static let shownToPeople = 200

  init(_ verb: ValidateVerb) throws {
    self.verb = verb
    baseline = verb.flags.baseline.map(BaselineFile.init)
    // With --schema, files are checked against that schema only.
    if verb.flags.schema == nil { try configure() }
    options.profile = verb.flags.profile
    if let failOn = verb.flags.failOn { options.failOn = .from(failOn.severity) }
    if let limit = verb.flags.maxFindings {
      options.maxFindings = limit == 0 ? nil : limit
    } else if format == .text, !verb.output.verbose {
      options.maxFindings = Self.shownToPeople
    }
    if verb.flags.updateBaseline {
      options.baseline = try baseline?.readForUpdate()
      options.recorder = baseline?.recorder
    } else {
      options.baseline = try baseline?.read()
    }
  }

  /// Reads the configurations.
  private mutating func configure() throws {
    var locator = ConfigurationLocator(file: verb.flags.config, catalog: RuleCatalog(FindingCodes.all))
    var warned: Set<String?> = []
    for path in verb.paths {
      let configuration: Configuration
      do throws(ConfigurationError) {
        configuration = try locator.configuration(for: path)
      } catch {
        let renderer = TextRenderer(colour: Terminal.usesColour)
        for finding in error.diagnostics where !verb.output.quiet { Terminal.say(renderer.render(finding)) }
        throw error.failure
      }
      configurations[path] = configuration
      // One file may apply to several paths.
      let isNew = warned.insert(configuration.path).inserted
      for warning in configuration.warnings where isNew && !verb.output.quiet {
        Terminal.say(TextRenderer(colour: Terminal.usesColour).render(warning))
      }
    }
  }

  private var format: ReportFormat { verb.output.json ? .jsonl : verb.flags.report ?? .text }

  /// Returns the report on standard output, which is silent with `-q`.
  func makeReport() -> any FindingReport {
    var settings = ReportOptions(
      toolVersion: FleetKitCommand.configuration.version, failOn: options.leastFailing(configurations.values))
    settings.colour = Terminal.usesColour && isatty(1) == 1
    settings.width = min(Terminal.width, 120)
    let output = StandardOutput(isSilent: verb.output.quiet || verb.flags.updateBaseline)
    return format.makeReport(settings) { try output.write($0) }
  }

  /// Checks the sources, after `--fix` has made its fixes.
  func run() throws -> ValidationOutcome {
    let content = try ContentSources(verb.paths, format: verb.source.fromFormat, configurations: configurations)
    try TableOptionValidation.check(verb.reading.options, content.sources)
    if !verb.output.quiet { say(content.leftOut) }
    var run = ValidationRun(sources: content.sources, options: options, configurations: configurations)
    run.failures = content.failures
    run.selection = verb.selectors.selection
    run.reading = verb.reading.options
    run.onProgress = verb.output.quiet ? nil : Progress("Checked").callback
    let fixing = verb.flags.fix ? try fix(run) : nil
    let outcome = try run.run(report: makeReport())
    if run.selection != nil, outcome.summary.records == 0, outcome.failures.isEmpty {
      throw RunFailure(
        .refused, "no record matches the selection; nothing was checked",
        advice: "To see what the selectors match, run 'fleetkit list' with them.")
    }
    return fixing.map { outcome.adding($0.failures) } ?? outcome
  }

  /// Reports the files that are not checked, so that they are not mistaken for valid ones.
  private func say(_ leftOut: [ContentSources.UncheckedFile]) {
    for file in leftOut where file.reason == .excluded && verb.paths.contains(file.path) {
      let configuration = configurations[file.path]?.path ?? Configuration.fileName
      Terminal.say(
        "\(TerminalEscaping.shellQuoted(file.path)) was skipped: excluded by \(TerminalEscaping.escape(configuration))."
      )
    }
    let foreign = leftOut.filter { $0.reason == .foreign }.map { TerminalEscaping.shellQuoted($0.path) }
    if !foreign.isEmpty {
      let names =
        foreign.prefix(3).joined(separator: ", ") + (foreign.count > 3 ? " and \(foreign.count - 3) more" : "")
      Terminal.say("Skipped, because it contains no FleetKit content: \(names).")
    }
    for file in leftOut {
      guard case .unread(let what) = file.reason else { continue }
      Terminal.say("\(TerminalEscaping.shellQuoted(file.path)) was skipped: \(TerminalEscaping.escape(what)).")
    }
    let excluded = leftOut.count { $0.reason == .excluded }
    if excluded > 0, verb.output.verbose { Terminal.say("\(excluded) excluded by configuration.") }
  }

  /// Fixes findings with an unambiguous fix, and reports the fixes.
  private func fix(_ run: ValidationRun) throws -> FixingRun.Summary {
    let summary = try FixingRun(run, isDryRun: verb.flags.dryRun).run()
    Progress.clear()
    if verb.output.quiet { return summary }
    let word = verb.flags.dryRun ? "would fix" : "fixed"
    for result in summary.results {
      let finding = result.finding
      let place = TerminalEscaping.escape(finding.place.description)
      let line = "\(place): [\(finding.code.id)] \(TerminalEscaping.escape(finding.message))"
      Terminal.say(result.reason.map { "left \(line) (\(TerminalEscaping.escape($0)))" } ?? "\(word) \(line)")
    }
    let count = summary.fixed
    let files = summary.changedFiles.count
    Terminal.say(
      count == 0
        ? "Nothing here can be fixed automatically."
        : "\(verb.flags.dryRun ? "Would fix" : "Fixed") \(Plural.count(count, "finding")) in "
          + "\(Plural.count(files, "file"))."
    )
    return summary
  }

  /// Writes the new baseline, if it was requested, and prints the remaining notes about the run.
  func conclude(_ outcome: ValidationOutcome) throws {
    if let bytes = outcome.recordedBaseline, let baseline {
      try baseline.write(bytes)
      if !verb.output.quiet {
        let count = outcome.summary.total
        Terminal.say(
          "Wrote the baseline \(TerminalEscaping.shellQuoted(baseline.path)): \(Plural.count(count, "finding")) "
            + "that will not be reported again."
        )
      }
    } else if outcome.unusedBaseline > 0, !verb.output.quiet {
      let count = outcome.unusedBaseline
      Terminal.say(
        "\(Plural.count(count, "finding")) in the baseline did not occur; "
          + "use --update-baseline to remove \(count == 1 ? "it" : "them")."
      )
    }
    // The summary is printed on standard error even if the report went to a file or was suppressed.
    if verb.output.quiet ? outcome.status != .success : format != .text {
      Terminal.say(outcome.summary.sentence)
    }
  }
}
