import FleetKit
import Foundation

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
      for finding in error.diagnostics.dropFirst() { Terminal.say(renderer.render(finding)) }
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
      Terminal.say(String(decoding: bytes.last == 0x0A ? bytes.dropLast() : bytes[...], as: UTF8.self))
    }
  }

  /// The findings of a run with `--json`.
  var collected: [Diagnostic] { collector.findings }
}

/// Keeps findings for a summary.
final class FindingCollector: FindingReport {
  private(set) var findings: [Diagnostic] = []

  func begin() throws {}
  func add(_ finding: Diagnostic) throws { findings.append(finding) }
  func end(_ summary: ReportSummary) throws {}
}
