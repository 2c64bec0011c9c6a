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

  /// The first number that two runs do not have in common, in words; nil when there is none.
  static func difference(_ planned: String, _ now: String) -> String? {
    difference((try? JSONDocument(parsing: planned))?.root, (try? JSONDocument(parsing: now))?.root, at: "/counts")
  }

  private static func difference(_ planned: JSONValue?, _ now: JSONValue?, at pointer: String) -> String? {
    guard let planned, let now, planned.kind == .object, now.kind == .object else {
      let texts = (planned?.text ?? "not there", now?.text ?? "not there")
      return texts.0.utf8.elementsEqual(texts.1.utf8)
        ? nil : "\(pointer) is \(texts.0) in the plan and would now be \(texts.1)"
    }
    if let twice = planned.duplicateName { return "\(pointer) has \(twice.text) twice" }
    for (name, value) in now.members {
      if let found = difference(planned[name], value, at: "\(pointer)/\(name)") { return found }
    }
    for (name, value) in planned.members where now[name] == nil {
      return difference(value, nil, at: "\(pointer)/\(name)")
    }
    return nil
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
