import HTTPTypes
import Hummingbird
import JSONText
import Publishing

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
