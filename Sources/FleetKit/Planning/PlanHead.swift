import FleetKitCore
import Interchange
import Merging

/// What a plan says before its changes.
struct PlanHead {
  /// The number of the form that this FleetKit writes.
  static let version = 1

  /// The library's absolute path.
  var library = ""
  /// What the library was; nil when it was not there.
  var fingerprint: LibraryFingerprint?
  /// The last run that had changed it; nil for none.
  var run: Int64?
  var sources = PlanSources(files: [])
  /// What was asked for.
  var request = ImportRequest(json: "{}")
  /// The time that stands in for times that the sources do not say.
  var now = Timestamp(milliseconds: 0)
  /// What becomes of the records, in numbers.
  var counts = "{}"

  /// Numbers of all kinds together, of each kind, and of rows.
  static func counts(_ tally: Tally, losses: Int) -> String {
    var json = JSONBuilder()
    json.object { json in
      write(tally.total, &json)
      json.number("losses", losses)
      json.object("kinds") { json in
        for kind in tally.order { json.object(kind.name) { write(tally[kind], &$0) } }
      }
      if !tally.rows.isEmpty { json.rows(tally.rows) }
    }
    return json.result
  }

  /// What two runs must have in common: the numbers of every kind.
  static func kinds(_ counts: String) -> [String: String] {
    guard let kinds = (try? JSONDocument(parsing: counts))?.root["kinds"] else { return [:] }
    return Dictionary(kinds.members.map { ($0.name, $0.value.text) }, uniquingKeysWith: { first, _ in first })
  }

  private static func write(_ tally: KindTally, _ json: inout JSONBuilder) {
    json.number("read", tally.read)
    json.number("created", tally.created)
    json.number("updated", tally.updated)
    json.number("unchanged", tally.unchanged)
    json.number("rejected", tally.rejected)
    json.number("skipped", tally.skipped.values.reduce(0, +))
  }
}
