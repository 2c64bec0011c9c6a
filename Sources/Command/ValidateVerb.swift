import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit validate`.
struct ValidateVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check content against the schemas and rules that it must pass to be published.",
    discussion: """
      There are three layers: structure (can it be read?), publish (can it be published? with --profile publish), and \
      lint (good seamanship and good text; warnings by default). Every finding has a code, its exact place, why it \
      matters and how to fix it; docs/rules has a page for each rule. Nothing is changed without --fix.

      .fleetkit.yml turns rules off, sets their severities, and excludes paths; the nearest one applies. With \
      --schema, files are checked against that JSON Schema (draft 2020-12) only.

      EXAMPLES
        fleetkit validate content/                     files, bundles, libraries
        fleetkit validate anyfleet.sqlite --profile publish
        fleetkit validate content/ --fail-on warning --report github
        fleetkit validate content/ --report sarif > results.sarif
        fleetkit validate content/ --fix               fix what can be fixed
        fleetkit validate content/ --baseline old.json
            report only new findings
        fleetkit validate --schema boat.schema.json boat.json

      EXIT STATUS
        0   no findings at or above --fail-on
        1   findings
        2   a source cannot be read
        6   a newer FleetKit is needed
        7   locked by another program
        64  wrong usage, configuration or schema
      """)

  @Argument(
    help: "Libraries, bundles, or folders of them; - for standard input.", completion: .file())
  var paths: [String]

  @OptionGroup(title: "Validation") var flags: ValidationFlags
  @OptionGroup(title: "Sources") var source: SourceOptions
  @OptionGroup var reading: ReadingFlags
  @OptionGroup(title: "Selecting records") var selectors: SelectorOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    if output.json, let report = flags.report, report != .jsonl {
      throw ValidationError("--json means --report jsonl and cannot be used with --report \(report.rawValue).")
    }
    if flags.fix, paths.contains("-") {
      throw ValidationError("--fix cannot be used with standard input, which cannot be changed; name the file.")
    }
    if flags.schema != nil, selectors.selection != nil {
      throw ValidationError("Selectors cannot be used with --schema, which checks any JSON, not only records.")
    }
  }

  func run() throws {
    let plan = try ValidationPlan(self)
    let outcome: ValidationOutcome
    if let name = flags.schema {
      let schema = try SchemaFile(name, folder: flags.schemaDir, assertsFormat: flags.assertFormat)
      outcome = try SchemaValidation(schema, options: plan.options).run(paths, report: plan.makeReport())
    } else {
      outcome = try plan.run()
    }
    Progress.clear()
    ExplanationRenderer.print(outcome.explanations)
    for failure in outcome.failures {
      Terminal.complain("fleetkit: " + TerminalEscaping.escape(failure.sentences))
    }
    try plan.conclude(outcome)
    // Findings in a new baseline are accepted.
    let accepted = outcome.status == .findings && outcome.recordedBaseline != nil
    if outcome.status != .success, !accepted { throw ExitCode(outcome.status.rawValue) }
  }
}

/// The options for what `validate` checks and how it reports findings.
struct ValidationFlags: ParsableArguments {
  @Option(name: .long, help: "The checks: structure (readable, good content) or publish (also ready for publication).")
  var profile: ValidationOptions.Profile?

  @Option(
    name: .long, help: "Exit with 1 for findings of at least this severity: error (default), warning, note, none.")
  var failOn: FailOn?

  @Option(name: .long, help: "The report's format: text (default), jsonl, sarif, junit, github.")
  var report: ReportFormat?

  @Option(name: .long, help: "Show at most this many findings, 0 for all. Does not affect counts or the exit status.")
  var maxFindings: Int?

  @Option(name: .long, help: ArgumentHelp("Do not report the findings recorded in this file.", valueName: "file"))
  var baseline: String?

  @Flag(name: .long, help: "Write the current findings to the --baseline file.")
  var updateBaseline = false

  @Option(
    name: .long, help: ArgumentHelp("Use this configuration instead of the nearest .fleetkit.yml.", valueName: "file"))
  var config: String?

  @Flag(name: .long, help: "In JSON files, fix findings that have an unambiguous fix, and list the fixes.")
  var fix = false

  @Flag(name: .long, help: "With --fix: show what would be fixed; change nothing.")
  var dryRun = false

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Check the files against this schema only: a file, or a name such as checklist.", valueName: "schema"))
  var schema: String?

  @Option(
    name: .long,
    help: ArgumentHelp("With --schema: read remote schemas from this folder.", valueName: "dir"))
  var schemaDir: String?

  @Flag(name: .long, help: "With --schema: enforce 'format' instead of treating it as an annotation.")
  var assertFormat = false

  func validate() throws {
    if let maxFindings, maxFindings < 0 {
      throw ValidationError("--max-findings must be 0 or more, not \(maxFindings).")
    }
    if updateBaseline, baseline == nil { throw ValidationError("--update-baseline requires --baseline FILE.") }
    if dryRun, !fix { throw ValidationError("--dry-run requires --fix; without --fix nothing is changed.") }
    if schema == nil {
      if schemaDir != nil { throw ValidationError("--schema-dir requires --schema.") }
      if assertFormat { throw ValidationError("--assert-format requires --schema.") }
    } else if fix {
      throw ValidationError("--fix cannot be used with --schema: a schema does not define fixes.")
    } else if profile != nil {
      throw ValidationError("--profile cannot be used with --schema, which replaces all other checks.")
    } else if config != nil {
      throw ValidationError("--config cannot be used with --schema, which replaces all other checks.")
    }
  }

  /// The values of `--fail-on`.
  enum FailOn: String, CaseIterable, ExpressibleByArgument {
    case error, warning, note, none

    var severity: Severity? {
      switch self {
      case .error: .error
      case .warning: .warning
      case .note: .note
      case .none: nil
      }
    }
  }
}

extension ValidationOptions.Profile: ExpressibleByArgument {}
extension ReportFormat: ExpressibleByArgument {}

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
        for finding in error.diagnostics where !verb.output.quiet { Terminal.report(renderer.render(finding)) }
        throw error.failure
      }
      configurations[path] = configuration
      // One file may apply to several paths.
      let isNew = warned.insert(configuration.path).inserted
      for warning in configuration.warnings where isNew && !verb.output.quiet {
        Terminal.report(TextRenderer(colour: Terminal.usesColour).render(warning))
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
    settings.repository = Self.checkout(around: settings.workingDirectory)
    let output = StandardOutput(isSilent: verb.output.quiet || verb.flags.updateBaseline)
    return format.makeReport(settings) { try output.write($0) }
  }

  /// Returns the folder into which GitHub Actions checked out the repository, if `folder` is inside it. Annotations must
  /// name files relative to it.
  private static func checkout(around folder: String) -> String? {
    guard let path = ProcessInfo.processInfo.environment["GITHUB_WORKSPACE"], path.hasPrefix("/") else { return nil }
    let root = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    return (folder + "/").hasPrefix(root.hasSuffix("/") ? root : root + "/") ? root : nil
  }

  /// Checks the sources, after `--fix` has made its fixes.
  func run() throws -> ValidationOutcome {
    let content = try ContentSources(verb.paths, format: verb.source.fromFormat, configurations: configurations)
    try TableOptionValidation.check(verb.reading.options, content.sources)
    if !verb.output.quiet { printUnchecked(content.leftOut) }
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
  private func printUnchecked(_ leftOut: [ContentSources.UncheckedFile]) {
    for file in leftOut where file.reason == .excluded && verb.paths.contains(file.path) {
      let configuration = configurations[file.path]?.path ?? Configuration.fileName
      Terminal.report(
        "\(TerminalEscaping.shellQuoted(file.path)) was skipped: excluded by \(TerminalEscaping.escape(configuration))."
      )
    }
    let foreign = leftOut.filter { $0.reason == .foreign }.map { TerminalEscaping.shellQuoted($0.path) }
    if !foreign.isEmpty {
      let names =
        foreign.prefix(3).joined(separator: ", ") + (foreign.count > 3 ? " and \(foreign.count - 3) more" : "")
      Terminal.report("Skipped, because it contains no FleetKit content: \(names).")
    }
    for file in leftOut {
      guard case .unread(let what) = file.reason else { continue }
      Terminal.report("\(TerminalEscaping.shellQuoted(file.path)) was skipped: \(TerminalEscaping.escape(what)).")
    }
    let excluded = leftOut.count { $0.reason == .excluded }
    if excluded > 0, verb.output.verbose { Terminal.report("\(excluded) excluded by configuration.") }
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
      Terminal.report(result.reason.map { "left \(line) (\(TerminalEscaping.escape($0)))" } ?? "\(word) \(line)")
    }
    let count = summary.fixed
    let files = summary.changedFiles.count
    Terminal.report(
      count == 0
        ? "Nothing here can be fixed automatically."
        : "\(verb.flags.dryRun ? "Would fix" : "Fixed") \(Plural.count(count, "finding")) in "
          + "\(Plural.count(files, "file"))."
    )
    return summary
  }

  /// Writes the new baseline, if it was requested, and prints the remaining notes about the run.
  fileprivate func conclude(_ outcome: ValidationOutcome) throws {
    if let bytes = outcome.recordedBaseline, let baseline {
      try baseline.write(bytes)
      if !verb.output.quiet {
        let count = outcome.summary.total
        Terminal.report(
          "Wrote the baseline \(TerminalEscaping.shellQuoted(baseline.path)): \(Plural.count(count, "finding")) "
            + "that will not be reported again."
        )
      }
    } else if outcome.unusedBaseline > 0, !verb.output.quiet {
      let count = outcome.unusedBaseline
      Terminal.report(
        "\(Plural.count(count, "finding")) in the baseline did not occur; "
          + "use --update-baseline to remove \(count == 1 ? "it" : "them")."
      )
    }
    // Reports for people contain the summary. For others it is printed on standard error, even if the report went to a
    // file or was suppressed.
    if verb.output.quiet ? outcome.status != .success : ![.text, .github].contains(format) {
      Terminal.report(outcome.summary.sentence)
    }
  }
}

/// The file of `--baseline`.
struct BaselineFile {
  /// The path as the user gave it.
  let path: String
  /// The folder that file names in the baseline are relative to: the repository that contains the baseline, otherwise
  /// the baseline's own folder. So file names do not depend on the current folder.
  private let folder: String
  private let origin = FileManager.default.currentDirectoryPath

  init(_ path: String) {
    self.path = path
    let own = URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent()
    var root = own
    while root.path != "/", !FileManager.default.fileExists(atPath: root.appendingPathComponent(".git").path) {
      root.deleteLastPathComponent()
    }
    folder = root.path == "/" ? own.path : root.path
  }

  /// Collects findings for a new baseline.
  var recorder: Baseline.Recorder { Baseline.Recorder(folder: folder, origin: origin) }

  /// Reads the file.
  /// - Throws: `RunFailure` with status 64 if the file is missing or not a baseline, 2 if it cannot be read.
  func read() throws -> Baseline {
    guard FileManager.default.fileExists(atPath: path) else {
      throw RunFailure(
        .usage, "read the baseline '\(path)': the file does not exist", advice: "To create it, add --update-baseline.")
    }
    let bytes = try contents()
    do throws(BaselineError) {
      return try Baseline(reading: bytes, folder: folder, origin: origin)
    } catch {
      throw RunFailure(.usage, "read the baseline '\(path)': \(error.description)", advice: "Name a baseline file.")
    }
  }

  /// Reads the baseline that is to be overwritten; nil if the file does not exist yet.
  /// - Throws: `RunFailure` with status 4 if the file is not a baseline.
  fileprivate func readForUpdate() throws -> Baseline? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let bytes = try contents()
    if bytes.isEmpty { return nil }
    guard Baseline.isBaseline(bytes) else {
      throw RunFailure(
        .refused, "write the baseline '\(path)': the file exists and is not a baseline; it was not changed",
        advice: "Choose another name.")
    }
    return try? Baseline(reading: bytes, folder: folder, origin: origin)
  }

  private func contents() throws -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw RunFailure(.failed, "read the baseline '\(path)': it cannot be read")
    }
    return [UInt8](data)
  }

  /// Writes the file atomically.
  func write(_ bytes: [UInt8]) throws {
    let file = try AtomicFile(path, overwrites: true)
    let sink = ByteSink(descriptor: file.descriptor, name: path)
    try sink.write(bytes.span)
    try sink.flush()
    try file.publish()
  }
}

/// Standard output for reports. A full disk fails the run; a closed pipe does not.
final class StandardOutput {
  private let sink = ByteSink(descriptor: 1, name: "standard output")
  private var isSilent: Bool

  init(isSilent: Bool) { self.isSilent = isSilent }

  /// Writes bytes immediately.
  /// - Throws: `RunFailure` with status 2 if the disk is full.
  func write(_ bytes: Span<UInt8>) throws {
    if isSilent { return }
    do {
      try sink.write(bytes)
      try sink.flush()
    } catch is BrokenPipe {
      // The findings still count, so the exit status is the same with `| head`.
      isSilent = true
    }
  }
}
