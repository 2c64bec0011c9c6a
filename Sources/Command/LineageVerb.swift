import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit lineage`.
struct LineageVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lineage",
    abstract: "Show the lineage of an item: the original, every intermediate copy, and the item itself.",
    discussion: """
      Name an item by its public id, or an item of a library with --id. For an item that is not public, the lineage of \
      its original is shown.

      EXAMPLES
        fleetkit lineage fire-on-board-0D0939BC --registry https://sail.example.org
        fleetkit lineage anyfleet.sqlite --id 43A324AA
            use the registry that the library belongs to
      """)

  @Argument(help: ArgumentHelp("A public id; with --id, a library.", valueName: "public-id"), completion: .file())
  var name: String

  @Option(name: .long, help: "The item of the library: its id, or the first characters of it.")
  var id: String?

  @OptionGroup(title: "Registry") var registry: RegistryOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func run() throws {
    if id == nil, FileManager.default.fileExists(atPath: name) {
      throw RunFailure(
        .usage, "show the lineage of '\(name)': it is a file, and --id is missing",
        advice: "Run: fleetkit lineage '\(name)' --id ID. To list the ids, run: fleetkit list \(name)")
    }
    let origin = try id.map { try ItemOrigin(of: $0, in: name) }
    if let origin, origin.question == nil {
      return try output.print(OriginalItemReport(id: origin.id, title: origin.title))
    }
    let connection = try registry.connection(for: id == nil ? nil : name)
    let client = try connection.client()
    let lineage = try client.untilInterrupted {
      try RegistryLineage(of: origin?.question ?? name, from: client, at: connection.address.text)
    }
    try output.print(LineageReport(lineage, origin, asked: origin?.question ?? name))
  }
}

/// The report of `lineage`.
struct LineageReport: Report {
  private struct Step: Encodable {
    let title, creator: String?
    let createdAt: Timestamp?
    let current: Bool

    enum CodingKeys: String, CodingKey { case title, creator, createdAt, current = "is_current" }
  }

  private let command = "lineage"
  private let status = ExitStatus.success
  private let asked, id: String?
  private let steps: [Step]
  private let cut: String?
  /// The title of a copy that is not public yet, shown below the item it was copied from.
  @TextOnly private var localTitle: String?

  /// - Parameter origin: the library's item whose lineage is shown; nil if the item was named by its public id.
  init(_ lineage: RegistryLineage, _ origin: ItemOrigin?, asked: String) {
    let isLocal = origin.map { $0.publicID == nil } ?? false
    (self.asked, id, cut) = (asked, origin?.id, lineage.cut)
    steps = lineage.steps.map {
      Step(title: $0.title, creator: $0.creator, createdAt: $0.createdAt, current: $0.isCurrent && !isLocal)
    }
    localTitle = isLocal ? origin?.title : nil
  }

  func render(_ output: OutputOptions) {
    for (depth, step) in steps.enumerated() {
      let creator = step.creator.map { ", \(TerminalEscaping.escape($0))" } ?? ""
      let date = step.createdAt.map { ", \($0.iso8601.prefix(10))" } ?? ""
      let title = step.title.map(TerminalEscaping.escape) ?? "no longer public"
      Terminal.print(indent(depth) + title + creator + date + (step.current ? "  ←" : ""))
    }
    if let localTitle {
      Terminal.print(indent(steps.count) + TerminalEscaping.escape(localTitle) + ", not public  ←")
    }
    if let cut { Terminal.report("The rest was left out: \(TerminalEscaping.escape(cut)).") }
  }

  private func indent(_ depth: Int) -> String {
    depth == 0 ? "" : String(repeating: "   ", count: depth - 1) + "└─ "
  }
}

/// The report of `lineage` for an item that is not a copy and is not public.
struct OriginalItemReport: Report {
  let command = "lineage"
  let status = ExitStatus.success
  let id: String
  let steps: [String] = []
  @TextOnly var title: String

  func render(_ output: OutputOptions) {
    Terminal.report("'\(TerminalEscaping.escape(title))' is not a copy of another item, and is not public.")
  }
}
