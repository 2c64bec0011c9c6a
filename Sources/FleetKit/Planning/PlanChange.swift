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
      if let text = Self.text(decision, fields: fields) { json.raw("fields", text) }
      if decision.rows > 0 { json.number("rows", decision.rows) }
      if let code = decision.code { json.string("code", code) }
      if let reason = decision.reason { json.string("reason", reason) }
    }
    return json.result
  }

  /// The list of fields as JSON; nil when a change has none.
  private static func text(_ decision: ImportDecision, fields: [PlanFields.Field]) -> String? {
    var json = JSONBuilder()
    switch decision.action {
    case .update where decision.before != nil, .beside where decision.before != nil:
      json.array(nil) { json in
        for field in fields { write(field.pointer, field.label, field.from, field.to, &json) }
      }
    case .conflict where !decision.conflicts.isEmpty:
      // `from` is what the library says, which stays, and `to` what the source says.
      json.array(nil) { json in
        for one in decision.conflicts { write(one.pointer, one.label, one.ours, one.theirs, &json) }
      }
    default: return nil
    }
    return json.result
  }

  /// What differs between the record before and afterwards.
  static func fields(_ decision: ImportDecision) -> [PlanFields.Field] {
    guard let before = decision.before, let after = decision.after else { return [] }
    return PlanFields(before, after).all
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

  /// What a change tells people who read the plan, as a hash: it must be true as well.
  static func said(_ decision: ImportDecision) -> String {
    said(
      type: decision.type, sourceID: decision.sourceID, title: decision.title, place: decision.place,
      code: decision.code, fields: text(decision, fields: fields(decision)))
  }

  static func said(_ change: JSONValue) -> String {
    said(
      type: change["type"]?.string, sourceID: change["source_id"]?.string, title: change["title"]?.string,
      place: change["place"]?.string ?? "", code: change["code"]?.string, fields: change["fields"]?.text)
  }

  private static func said(
    type: String?, sourceID: String?, title: String?, place: String, code: String?, fields: String?
  ) -> String {
    var json = JSONBuilder()
    json.array { json in
      for text in [type, sourceID, title, code, fields] { json.string(nil, text) }
      // The sources of a plan are named in full when it is applied, whatever they were called when it was made.
      let end = place.utf8.lastIndex(of: UInt8(ascii: "/")).map { place.utf8.index(after: $0) }
      json.string(nil, String(place[(end ?? place.startIndex)...]))
    }
    return Digest.hex(Array(json.result.utf8).withUnsafeBufferPointer { Digest.sha256($0) })
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
