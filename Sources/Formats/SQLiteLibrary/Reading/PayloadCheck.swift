import Diagnostics
import JSONText

/// Whether a queued operation's payload can be sent, and what is wrong with it.
enum PayloadCheck {
  /// What is wrong, with its place in the payload.
  /// - Parameter needsNoContent: whether the operation only takes something back, or was sent.
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
        (.payloadUndecodable, "'\(name)' is written in camelCase; the registry wants snake_case", "/\(name)"))
    }
    if let data = node.member("content_data") ?? node.member("contentData") {
      if data.kind == .string {
        let name = node.member("content_data") != nil ? "content_data" : "contentData"
        problems.append((.payloadUndecodable, "'\(name)' is a JSON string, not an object", "/\(name)"))
      } else if data.kind != .object {
        problems.append(
          (.payloadUndecodable, "'content_data' is \(RowEncoder.name(of: data)), not an object", "/content_data"))
      } else if data.member("createdAt")?.kind == .number || data.member("updatedAt")?.kind == .number {
        problems.append((.payloadNotForkable, "'createdAt' is a number of seconds", "/content_data/createdAt"))
      }
    } else if problems.isEmpty {
      problems.append((.payloadUndecodable, "'content_data' is missing", ""))
    }
    if problems.isEmpty || !problems.contains(where: { $0.2 == "/publicID" }) {
      if node.member("public_id") == nil, node.member("publicID") == nil {
        problems.append((.payloadUndecodable, "'public_id' is missing", ""))
      } else if let id = node.member("public_id"), id.kind != .string {
        problems.append((.payloadUndecodable, "'public_id' is \(RowEncoder.name(of: id)), no string", "/public_id"))
      }
    }
    return problems
  }
}
