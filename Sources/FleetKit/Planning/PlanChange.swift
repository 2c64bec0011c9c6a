import FleetKitCore
import Interchange
import Merging

/// One change as a plan has it.
enum PlanChange {
  /// A JSON object in one line.
  static func json(_ decision: ImportDecision, fields: [PlanFields.Field]) -> String {
    var json = JSONBuilder()
    json.object { json in
      json.string("action", decision.action.rawValue)
      json.string("kind", decision.kind.name)
      if let type = decision.type { json.string("type", type) }
      json.string("id", decision.id)
      if let id = decision.sourceID { json.string("source_id", id) }
      json.string("title", decision.title)
      json.string("place", decision.place)
      json.string("before", decision.before.map { Digest.hex(Digest.sha256($0)) })
      json.string("after", decision.hashAfter)
      if decision.action == .update || decision.action == .beside, decision.before != nil { write(fields, &json) }
      if decision.action == .conflict { write(decision.conflicts, &json) }
      if decision.rows > 0 { json.number("rows", decision.rows) }
      if let code = decision.code { json.string("code", code) }
      if let reason = decision.reason { json.string("reason", reason) }
    }
    return json.result
  }

  private static func write(_ fields: [PlanFields.Field], _ json: inout JSONBuilder) {
    json.array("fields") { json in
      for field in fields { write(field.pointer, field.label, field.from, field.to, &json) }
    }
  }

  /// Of a conflict, `from` is what the library says, which stays, and `to` what the source says.
  private static func write(_ conflicts: [MergeConflict], _ json: inout JSONBuilder) {
    guard !conflicts.isEmpty else { return }
    json.array("fields") { json in
      for conflict in conflicts { write(conflict.pointer, conflict.label, conflict.ours, conflict.theirs, &json) }
    }
  }

  private static func write(
    _ pointer: String, _ label: String, _ from: String?, _ to: String?, _ json: inout JSONBuilder
  ) {
    json.object { json in
      json.string("pointer", pointer)
      json.string("label", label)
      if let from { json.raw("from", oneLine(from)) }
      if let to { json.raw("to", oneLine(to)) }
    }
  }

  /// A change stands in one line. Between the tokens of JSON a space says the same as a line end, and inside of them
  /// there is none.
  private static func oneLine(_ json: String) -> String {
    guard json.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return json }
    return String(decoding: json.utf8.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }, as: UTF8.self)
  }

  /// What two plans of the same import have in common: what is done with which record, and the bytes before and after.
  static func key(
    action: String, kind: String, id: String, before: String?, after: String?, rows: Int
  ) -> String {
    var json = JSONBuilder()
    json.array { json in
      json.string(nil, action)
      json.string(nil, kind)
      json.string(nil, id)
      json.string(nil, before)
      json.string(nil, after)
      json.number(nil, rows)
    }
    return json.result
  }
}
