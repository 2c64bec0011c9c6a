import Content
import HTTPTypes
import Hummingbird
import JSONText
import Publishing
import RegistryModel

/// An error in the form that a client receives: `application/problem+json` (RFC 9457) with a stable code, and findings
/// with places.
public struct Problem: Error, Sendable {
  /// The HTTP status.
  public let status: HTTPResponse.Status
  /// A stable code for programs: `public_id_taken`.
  public let code: String
  /// One sentence for people, which states what is wrong and what to do. It contains nothing internal or personal.
  public let detail: String
  /// Findings about the body, with places.
  public var findings: [IntakeFinding] = []
  /// Findings about query parameters, written after the others.
  public var parameterFindings: [ParameterFinding] = []
  /// Additional headers of the answer: `Retry-After`, `Allow`.
  public var headers = HTTPFields()

  /// Makes a problem.
  public init(
    _ status: HTTPResponse.Status, _ code: String, _ detail: String, findings: [IntakeFinding] = [],
    headers: HTTPFields = HTTPFields()
  ) {
    self.status = status
    self.code = code
    self.detail = detail
    self.findings = findings
    self.headers = headers
  }

  /// The body, one JSON object.
  public var body: [UInt8] {
    var out = JSONOutput(capacity: 256 + 256 * findings.count)
    write(into: &out)
    return out.copy(0..<out.count)
  }

  /// Writes the body.
  func write(into out: inout JSONOutput) {
    out.append("{\"type\":\"about:blank\",\"title\":")
    out.appendJSONString(status.reasonPhrase)
    out.append(utf8: ",\"status\":\(status.code),\"code\":")
    out.appendJSONString(code)
    out.append(",\"detail\":")
    out.appendJSONString(detail)
    if !findings.isEmpty || !parameterFindings.isEmpty {
      out.append(",\"findings\":[")
      var isFirst = true
      func next(_ out: inout JSONOutput) {
        if !isFirst { out.append(UInt8(ascii: ",")) }
        isFirst = false
      }
      for finding in findings {
        next(&out)
        finding.write(into: &out)
      }
      for finding in parameterFindings {
        next(&out)
        finding.finding.write(parameter: finding.parameter, into: &out)
      }
      out.append(UInt8(ascii: "]"))
    }
    out.append(UInt8(ascii: "}"))
  }
}

extension IntakeFinding {
  /// Writes the finding as a JSON object.
  func write(parameter: String? = nil, into out: inout JSONOutput) {
    out.append("{\"code\":")
    out.appendJSONString(code)
    if let parameter {
      out.append(",\"parameter\":")
      out.appendJSONString(parameter)
    }
    out.append(",\"pointer\":")
    out.appendJSONString(pointer.description)
    out.append(",\"message\":")
    out.appendJSONString(message)
    out.append(",\"why\":")
    out.appendJSONString(why)
    out.append(",\"fix\":")
    out.appendJSONString(fix)
    out.append(UInt8(ascii: "}"))
  }
}

extension Problem: HTTPResponseError {
  /// Returns the answer; an answer to HEAD has no body.
  public func response(from request: Request, context: some RequestContext) throws -> Response {
    var fields = headers
    fields[.contentType] = "application/problem+json"
    let response = Response(status: status, headers: fields, body: .init(byteBuffer: .init(bytes: body)))
    // An answer to HEAD has no body (RFC 9110, 9.3.2); for errors, the router makes the answers itself.
    return request.method == .head ? response.createHeadResponse() : response
  }
}

extension Problem {
  /// The problem for a name that no item has.
  static var notFound: Problem {
    Problem(.notFound, "not_found", "Nothing is published under that name: check the slug or the id.")
  }

  /// The problem for a name or id that no account has.
  static var noSuchUser: Problem {
    Problem(.notFound, "not_found", "No account has that name or id: check how it is written.")
  }

  /// The problem for a username that is taken.
  static var usernameTaken: Problem {
    Problem(
      .conflict, "username_taken", "This `username` is taken: choose another. Nothing was changed.",
      findings: [
        IntakeFinding(
          code: "REG0406", pointer: JSONPointer([.member("username")]),
          message: "`username` is taken by another account, or still credits work of a deleted one",
          why: "usernames are unique without regard to case", fix: "choose another name")
      ])
  }

  /// The problem for a path without a route.
  static var noRoute: Problem {
    Problem(.notFound, "not_found", "Nothing is at this path: the paths are described at /openapi.json.")
  }

  /// The problem for a fork of an item that must not be forked.
  static var forkForbidden: Problem {
    Problem(.forbidden, "fork_forbidden", "The author of this item does not allow forks: it can only be read.")
  }

  /// Returns the problem for a body whose content is not accepted, with every finding.
  static func invalidContent(_ findings: [IntakeFinding]) -> Problem {
    Problem(
      .unprocessableContent, "invalid_content",
      findings.count == 1
        ? "The content is not accepted: see the finding for what to do."
        : "The content is not accepted: see the \(findings.count) findings for what to do.", findings: findings)
  }

  /// Returns the problem for parameters that are not accepted.
  static func invalidParameters(_ findings: [ParameterFinding]) -> Problem {
    var problem = Problem(
      .unprocessableContent, "invalid_parameter",
      "A parameter has a value that is not allowed: the findings name it and the allowed values.")
    problem.parameterFindings = findings
    return problem
  }

  /// Returns the problem for a body that is not JSON, or not unambiguous JSON.
  static func invalidJSON(_ finding: IntakeFinding) -> Problem {
    Problem(.badRequest, "invalid_json", "The body cannot be read as JSON: \(finding.message).", findings: [finding])
  }

  /// Creates the problem for an operation that was refused.
  /// - Parameter base: the position of the request in the body: empty, except for an operation in a batch.
  init(_ refusal: OperationResult.Refusal, base: JSONPointer = JSONPointer()) {
    switch refusal {
    case .publicIDTaken:
      self.init(
        .conflict, "public_id_taken",
        "This `public_id` is taken, perhaps in another letter case or by an unpublished item: choose another."
      )
    case .notFound: self = .notFound
    case .notOwner:
      self.init(
        .forbidden, "not_owner", "This item belongs to another account: only its owner can change or unpublish it.")
    case .preconditionFailed:
      self.init(
        .preconditionFailed, "precondition_failed",
        "The item does not meet `If-Match` or `If-None-Match`: read it again, then repeat the change.")
    case .forkingForbidden:
      self = .invalidContent([
        IntakeFinding(
          code: "REG0204", pointer: base.appending(.member("forked_from_id")),
          message: "`forked_from_id` names an item whose author does not allow forks",
          why: "its author decided so when it was published", fix: "publish your own work, without `forked_from_id`")
      ])
    case .typeWithoutDocument:
      self = .invalidContent([
        IntakeFinding(
          code: "REG0202", pointer: base.appending(.member("content_type")),
          message: "`content_type` differs from the item's, and no `content_data` of that type is given",
          why: "each type has its own rules for documents",
          fix: "send `content_data` of the new type too, or leave `content_type` out")
      ])
    }
  }
}

/// The reason why a query parameter is not accepted.
public struct ParameterFinding: Sendable, Equatable {
  /// The parameter's name, as the documentation spells it.
  public let parameter: String
  /// The finding; its pointer is empty, because a query is not JSON.
  public let finding: IntakeFinding

  /// Makes a finding.
  public init(_ parameter: String, code: String = "REG0101", message: String, why: String, fix: String) {
    self.parameter = parameter
    finding = IntakeFinding(code: code, pointer: JSONPointer(), message: message, why: why, fix: fix)
  }
}
