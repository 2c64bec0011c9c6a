import FleetKit

/// A lineage as a small tree, and as JSON.
struct LineageText {
  let output: OutputOptions

  /// - Parameter origin: the item of a library that it was asked for; nil when it was named by its public id.
  func say(_ lineage: RegistryLineage, _ origin: ItemOrigin?, asked: String) {
    // A copy that is not public yet stands below what it is a copy of.
    let isLocal = origin.map { $0.publicID == nil } ?? false
    if output.json { return Terminal.print(json(lineage, origin, asked, isLocal)) }
    for (depth, step) in lineage.steps.enumerated() {
      let creator = step.creator.map { ", \(TerminalText.escape($0))" } ?? ""
      let date = step.createdAt.map { ", \($0.iso8601.prefix(10))" } ?? ""
      let mark = step.isCurrent && !isLocal ? "  ←" : ""
      Terminal.print(
        Self.indent(depth) + (step.title.map(TerminalText.escape) ?? "no longer public") + creator + date + mark)
    }
    if isLocal, let origin {
      Terminal.print(Self.indent(lineage.steps.count) + TerminalText.escape(origin.title) + ", not public  ←")
    }
    if let cut = lineage.cut { Terminal.say("The rest was left out: \(TerminalText.escape(cut)).") }
  }

  /// An item that comes from nobody else's work, and is not public.
  func say(ownWork origin: ItemOrigin) {
    if output.json {
      var json = JSONBuilder()
      json.object { json in
        json.string("command", "lineage")
        json.number("status", 0)
        json.string("id", origin.id)
        json.array("steps") { _ in }
      }
      return Terminal.print(json.result)
    }
    Terminal.say("'\(TerminalText.escape(origin.title))' is a copy of nobody's work, and is not public.")
  }

  private static func indent(_ depth: Int) -> String {
    depth == 0 ? "" : String(repeating: "   ", count: depth - 1) + "└─ "
  }

  private func json(_ lineage: RegistryLineage, _ origin: ItemOrigin?, _ asked: String, _ isLocal: Bool) -> String {
    var json = JSONBuilder()
    json.object { json in
      json.string("command", "lineage")
      json.number("status", 0)
      json.string("asked", asked)
      json.string("id", origin?.id)
      json.array("steps") { json in
        for step in lineage.steps {
          json.object { json in
            json.string("title", step.title)
            json.string("creator", step.creator)
            json.string("created_at", step.createdAt?.iso8601)
            json.bool("is_current", step.isCurrent && !isLocal)
          }
        }
      }
      json.string("cut", lineage.cut)
    }
    return json.result
  }
}
