import ArgumentParser
import FleetKit

/// `fleetkit init`.
struct InitVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Set up content checks in a repository: a configuration, a hook and a workflow.",
    discussion: """
      Writes .fleetkit.yml, .pre-commit-config.yaml and .github/workflows/validate-content.yml. Existing files are \
      not changed. In the hook and the workflow you have to fill in the address of FleetKit's releases; \
      docs/validating-in-ci.md explains both.

      EXAMPLES
        fleetkit init                         for content in ./content/
        fleetkit init --content vault         for content in ./vault/
        fleetkit init ~/sailing --dry-run     show what would be written

      EXIT STATUS
        0   done, or nothing to do
        2   the folder does not exist, or cannot be written
        64  wrong usage
      """)

  @Argument(
    help: ArgumentHelp("The repository (default: the current folder).", valueName: "folder"), completion: .directory)
  var folder: String = "."

  @Option(
    name: .long, help: ArgumentHelp("The folder in the repository that contains the content.", valueName: "folder"),
    completion: .directory)
  var content: String = "content"

  @Flag(name: .long, help: "Show what would be written; write nothing.")
  var dryRun = false

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    let setup = try ProjectSetup(in: folder, content: content, version: FleetKitCommand.configuration.version)
    try output.print(InitReport(try setup.run(dryRun: dryRun), folder: folder, content: content, dryRun: dryRun))
  }
}

/// The report of `init`.
private struct InitReport: Report {
  private struct File: Encodable {
    let path: String
    let written: Bool
  }

  private let command = "init"
  private let status = ExitStatus.success
  private let folder: String
  private let dryRun: Bool
  private let files: [File]
  @TextOnly private var content: String

  init(_ files: [ProjectSetup.File], folder: String, content: String, dryRun: Bool) {
    (self.folder, self.dryRun) = (folder, dryRun)
    self.content = content
    self.files = files.map { File(path: $0.path, written: $0.isWritten) }
  }

  func render(_ output: OutputOptions) {
    if output.quiet { return }
    for file in files {
      let action = !file.written ? "Already exists:" : dryRun ? "Would write" : "Wrote"
      Terminal.report("\(action) \(file.path)")
    }
    guard files.contains(where: \.written) else { return }
    if dryRun { return Terminal.report("Nothing was written (--dry-run).") }
    let waiting = files.filter { $0.written && ProjectSetup.asksForAddress($0.path) }.map(\.path)
    if !waiting.isEmpty {
      let checksum = waiting.contains { $0.hasSuffix(".yml") && $0.contains("workflows/") }
      Terminal.report(
        "Replace https://example.org/fleetkit in \(waiting.joined(separator: " and "))"
          + "\(checksum ? ", and the checksum in the workflow" : "").")
    }
    Terminal.report(
      "Put content into \(content)/, then run: fleetkit validate \(TerminalEscaping.shellQuoted(content))")
  }
}
