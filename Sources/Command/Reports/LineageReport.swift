import FleetKit

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
    if let cut { Terminal.say("The rest was left out: \(TerminalEscaping.escape(cut)).") }
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
    Terminal.say("'\(TerminalEscaping.escape(title))' is not a copy of another item, and is not public.")
  }
}
