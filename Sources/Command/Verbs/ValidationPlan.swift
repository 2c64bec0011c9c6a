import FleetKit
import Foundation

/// The words of `fleetkit validate`, put together: options, configuration, baseline, report.
struct ValidationPlan {
  /// What is looked for.
  var options = ValidationOptions()
  private let verb: ValidateVerb
  /// What the user configured, by the path on the command line.
  private var configurations: [String: Configuration] = [:]

  /// How many findings people see when they do not say how many.
  private static let shownToPeople = 200

  init(_ verb: ValidateVerb) throws {
    self.verb = verb
    // With a schema of their own, files are held against it and nothing else.
    if verb.flags.schema == nil { try configure() }
    if let profile = verb.flags.profile { options.profile = profile }
    if let failOn = verb.flags.failOn { options.failOn = failOn.severity }
    options.recordsBaseline = verb.flags.updateBaseline
    if let limit = verb.flags.maxFindings {
      options.maxFindings = limit == 0 ? nil : limit
    } else if format == .text, !verb.output.verbose {
      options.maxFindings = Self.shownToPeople
    }
    if let path = verb.flags.baseline, !verb.flags.updateBaseline { options.baseline = try Self.baseline(path) }
  }

  /// Reads what the user configured. Of several configurations the strictest says what is checked and what fails.
  private mutating func configure() throws {
    var locator = ConfigurationLocator(file: verb.flags.config, catalog: RuleCatalog(FindingCodes.all))
    var failOn: [Severity?] = []
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
      if configuration.profile == .publish { options.profile = .publish }
      failOn.append(configuration.failOn.severity)
      // One file may hold for many paths.
      let isNew = warned.insert(configuration.path).inserted
      for warning in configuration.warnings where isNew && !verb.output.quiet {
        Terminal.say(TextRenderer(colour: Terminal.usesColour).render(warning))
      }
    }
    options.failOn = failOn.compactMap(\.self).min()
  }

  private var format: ReportFormat { verb.output.json ? .jsonl : verb.flags.report ?? .text }

  private static func baseline(_ path: String) throws -> Baseline {
    guard FileManager.default.fileExists(atPath: path) else {
      throw RunFailure(
        .usage, "read the baseline '\(path)': there is no such file", advice: "--update-baseline writes it.")
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw RunFailure(.failed, "read the baseline '\(path)': it cannot be read")
    }
    do throws(BaselineError) {
      return try Baseline(reading: [UInt8](data), folder: FileManager.default.currentDirectoryPath)
    } catch {
      throw RunFailure(
        .usage, "read the baseline '\(path)': \(error.description)", advice: "--update-baseline writes it anew.")
    }
  }

  /// The report, on standard output; silent with `-q`.
  func makeReport() -> any FindingReport {
    var settings = ReportOptions(toolVersion: FleetKitCommand.configuration.version, failOn: options.failOn)
    settings.colour = Terminal.usesColour && isatty(1) == 1
    settings.width = min(Terminal.width, 120)
    let output = StandardOutput(isSilent: verb.output.quiet)
    return format.makeReport(settings) { try output.write($0) }
  }

  /// One name for each file, whatever links and folders lead to it.
  private static func identity(_ path: String) -> String {
    guard path != "-", let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// Checks the sources, after `--fix` has put right what it can.
  func run() throws -> ValidationOutcome {
    var sources = try SourceList(verb.paths, format: verb.source.fromFormat)
    let excluded = sources.entries.filter { configurations[$0.root]?.excludes($0.source.path) ?? false }
    sources.removeAll { configurations[$0.root]?.excludes($0.source.path) ?? false }
    // `content content/a.json` means every file once: twice, each of its ids would be taken by itself.
    var known: Set<String> = []
    sources.removeAll { !known.insert(Self.identity($0.source.path)).inserted }
    for entry in excluded where entry.root == entry.source.path && !verb.output.quiet {
      let file = configurations[entry.root]?.path ?? Configuration.fileName
      Terminal.say("\(TerminalText.shellQuoted(entry.root)) is left out: \(TerminalText.escape(file)) excludes it.")
    }
    var run = ValidationRun(sources: sources, options: options, configurations: configurations)
    run.selection = verb.selectors.selection
    run.onProgress = verb.output.quiet ? nil : Progress("Checked").callback
    let fixing = verb.flags.fix ? try fix(run) : nil
    let outcome = try run.run(report: makeReport())
    return fixing.map { outcome.adding($0.failures) } ?? outcome
  }

  /// Puts right what has one right answer, and says what it did.
  private func fix(_ run: ValidationRun) throws -> FixingRun.Summary {
    let summary = try FixingRun(run, isDryRun: verb.flags.dryRun).run()
    Progress.clear()
    if verb.output.quiet { return summary }
    let word = verb.flags.dryRun ? "would fix" : "fixed"
    for result in summary.results {
      let finding = result.finding
      let place = TerminalText.escape(finding.place.description)
      let line = "\(place): [\(finding.code.id)] \(TerminalText.escape(finding.message))"
      Terminal.say(result.reason.map { "left \(line) (\(TerminalText.escape($0)))" } ?? "\(word) \(line)")
    }
    let count = summary.fixed
    let files = summary.changedFiles.count
    Terminal.say(
      count == 0
        ? "Nothing has one right answer that could be written."
        : "\(verb.flags.dryRun ? "Would fix" : "Fixed") \(count) finding\(count == 1 ? "" : "s") in \(files) file\(files == 1 ? "" : "s")."
    )
    return summary
  }

  /// Writes the new baseline, when one was asked for.
  func writeBaseline(_ outcome: ValidationOutcome) throws {
    if let bytes = outcome.recordedBaseline, let path = verb.flags.baseline {
      let file = try AtomicFile(path, overwrites: true)
      let sink = ByteSink(descriptor: file.descriptor, name: path)
      try bytes.withUnsafeBufferPointer { try sink.write($0) }
      try sink.flush()
      try file.publish()
      if !verb.output.quiet { Terminal.say("Wrote the baseline \(TerminalText.shellQuoted(path)).") }
    } else if outcome.unusedBaseline > 0, !verb.output.quiet {
      let count = outcome.unusedBaseline
      Terminal.say(
        "\(count) finding\(count == 1 ? "" : "s") of the baseline did not occur; --update-baseline drops \(count == 1 ? "it" : "them")."
      )
    }
  }
}
