import Content
import Diagnostics
import JSONText
import SQLiteIO

/// Reports queued operations that cannot work.
enum OperationCheck {
  /// Whether the app marked the operation as sent. The operation is then history, and its spelling no longer matters.
  static func isDone(_ row: RowCursor) -> Bool {
    guard let index = row.map.columns.firstIndex(where: { $0.column == "syncedAt" }), row.positions[index] >= 0
    else { return false }
    return row.statement.storage(at: row.positions[index]) != .null
  }

  /// Whether an operation only withdraws a publication. An unknown operation counts, because it may be a withdrawal.
  static func isWithdrawal(_ row: RowCursor) -> Bool {
    guard let index = row.map.columns.firstIndex(where: { $0.column == "operation" }), row.positions[index] >= 0,
      row.statement.storage(at: row.positions[index]) == .text
    else { return true }
    return !(row.statement.text(at: row.positions[index]) ?? "").hasPrefix("publish")
  }

  static func check(
    _ row: RowCursor, ids: IDNormalizer, encoder: borrowing RowEncoder
  ) throws(SQLiteError) {
    func text(_ column: String) -> String? {
      guard let index = row.map.columns.firstIndex(where: { $0.column == column }), row.positions[index] >= 0
      else { return nil }
      return row.statement.text(at: row.positions[index])
    }
    if text("payload") == nil {
      let isDone = isDone(row)
      encoder.report(
        text("operation") == "unpublish" ? .payloadMissing : .payloadUndecodable,
        "the payload is NULL" + (isDone ? ", and the operation is marked as done" : ""), row, "payload",
        severity: isDone ? .note : nil)
    }
    if let content = text("contentID"), !ids.hasItem(content) {
      encoder.report(.operationWithoutContent, "the item \(content) does not exist", row, "contentID")
    }
  }
}

/// Checks whether a queued operation's payload can be sent.
enum PayloadCheck {
  /// Returns the problems, each with a JSON pointer to its position in the payload.
  /// - Parameter needsNoContent: whether the operation only withdraws a publication or was already sent.
  static func problems(
    _ node: JSONNode, needsNoContent: @autoclosure () -> Bool
  ) -> [(DiagnosticCode, String, String)] {
    guard node.kind == .object else {
      return [(.payloadUndecodable, "the payload is \(RowEncoder.name(of: node)), not an object", "")]
    }
    if PublicIDPayload.isWhole(node) {
      return needsNoContent() ? [] : [(.payloadUndecodable, "'content_data' is missing", "")]
    }
    var problems: [(DiagnosticCode, String, String)] = []
    for name: StaticString in ["contentType", "publicID", "contentData"] where node.member(name) != nil {
      problems.append(
        (.payloadUndecodable, "'\(name)' is written in camelCase; the registry expects snake_case", "/\(name)"))
    }
    if let data = node.member("content_data") ?? node.member("contentData") {
      let name = node.member("content_data") != nil ? "content_data" : "contentData"
      if data.kind == .string {
        problems.append((.payloadUndecodable, "'\(name)' is a JSON string, not an object", "/\(name)"))
      } else if data.kind != .object {
        problems.append(
          (.payloadUndecodable, "'content_data' is \(RowEncoder.name(of: data)), not an object", "/content_data"))
      } else {
        // An early build wrote both times as numbers. Two such numbers count as one defect.
        for problem in ["createdAt", "updatedAt"].compactMap({ problem(ofTime: $0, in: data, at: "/\(name)") })
        where problem.0 != .payloadNotForkable || !problems.contains(where: { $0.0 == problem.0 }) {
          problems.append(problem)
        }
      }
    } else if problems.isEmpty {
      problems.append((.payloadUndecodable, "'content_data' is missing", ""))
    }
    if problems.isEmpty || !problems.contains(where: { $0.2 == "/publicID" }) {
      if node.member("public_id") == nil, node.member("publicID") == nil {
        problems.append((.payloadUndecodable, "'public_id' is missing", ""))
      } else if let id = node.member("public_id"), id.kind != .string {
        problems.append((.payloadUndecodable, "'public_id' is \(RowEncoder.name(of: id)), not a string", "/public_id"))
      }
    }
    return problems
  }

  /// Returns the problem with one of a document's times; nil if the registry accepts the time and other users' apps
  /// can decode it.
  /// - Source: `PayloadDatesAreWholeSeconds`, which checks payloads before they are sent
  private static func problem(
    ofTime name: StaticString, in document: JSONNode, at pointer: String
  ) -> (DiagnosticCode, String, String)? {
    guard let value = document.member(name) else { return nil }
    let place = "\(pointer)/\(name)"
    switch value.kind {
    case .string where Timestamp.isWholeSeconds(value.inner.span): return nil
    case .string: return (.payloadUndecodable, "'\(name)' is not a time in whole seconds", place)
    case .number: return (.payloadNotForkable, "'\(name)' is a number of seconds", place)
    default: return (.payloadUndecodable, "'\(name)' is \(RowEncoder.name(of: value)), not a time", place)
    }
  }
}

/// A payload that contains only a public id: `{"public_id":"…"}`.
///
/// Withdrawals have this form, and so do synced publications whose content is unknown.
package enum PublicIDPayload {
  /// Returns the payload as JSON.
  package static func text(of publicID: String) -> String {
    var out = ByteBuffer(capacity: 128)
    out.append("{\"public_id\":")
    out.appendJSONString(publicID)
    out.append("}")
    return String(decoding: out.bytes, as: UTF8.self)
  }

  /// Whether a payload has exactly this form.
  package static func isWhole(_ payload: JSONNode?) -> Bool {
    payload?.kind == .object && payload?.token.count == 1 && payload?.member("public_id")?.kind == .string
  }

  /// Whether a payload of the queue has exactly this form.
  package static func isWhole(_ payload: String?) -> Bool {
    guard let root = payload.flatMap({ try? JSONDocument(parsing: $0).root }) else { return false }
    return root.kind == .object && root.members.count == 1 && root["public_id"]?.kind == .string
  }
}
