import Content
import Interchange
import JSONText

/// The reason why a call to a registry failed. Each case states what may have happened at the registry.
public enum RegistryError: Error, Sendable, Equatable {
  /// The registry was not reached: no network, unknown host, or connection refused. It never received the request.
  case unreachable(String)
  /// A server was reached, but no trusted TLS connection to it could be made. The registry never received the request,
  /// and trying again does not help.
  case insecure(String, advice: String)
  /// No answer arrived in time. The registry may have carried out the request.
  case timedOut(String)
  /// The connection was reset or closed before the answer was complete. The registry may have carried out the request.
  case broken(String)
  /// An answer arrived, but not one that a registry gives: a proxy's page, or JSON of another shape.
  case unreadable(String)
  /// The registry refused the request; the value has its reason.
  case refused(RegistryRefusal)
  /// No user is signed in, or the session has ended and could not be renewed. The registry did nothing.
  case signInNeeded(String)
}

extension RegistryError {
  /// Returns the error as a run failure.
  /// - Parameters:
  ///   - doing: the action that failed: `sign in to https://sail.example.org`.
  ///   - address: the registry that was called, for advice on signing in; nil if the message contains it.
  public func failure(_ doing: String, at address: String? = nil) -> RunFailure {
    switch self {
    case .broken where Interruption.isRequested: RunFailure(.interrupted, "\(doing): interrupted")
    case .unreachable(let words), .timedOut(let words), .broken(let words):
      RunFailure(.unreachable, "\(doing): \(words)", advice: "Try again later; nothing is lost.")
    case .insecure(let words, let advice): RunFailure(.unreachable, "\(doing): \(words)", advice: advice)
    case .unreadable(let words):
      RunFailure(.unreachable, "\(doing): \(words)", advice: "Check that the address is the registry's.")
    case .signInNeeded(let words):
      RunFailure(.signInNeeded, "\(doing): \(words)", advice: RegistryRefusal.signIn(to: address))
    case .refused(let refusal): refusal.failure(doing, at: address)
    }
  }
}

extension RegistryRefusal {
  /// The registry's reason as part of a sentence: without its full stop and its advice, because callers add their own
  /// advice.
  package var reason: String {
    var text = detail[...]
    func trim() { while let last = text.last, last == "." || last == " " { text.removeLast() } }
    trim()
    switch status {
    case 401:
      for advice in [". Sign in again", ": sign in again"] where text.hasSuffix(advice) {
        text.removeLast(advice.count)
      }
    case 429, 503:
      if let advice = text.range(of: ". Try again in ", options: .backwards) { text = text[..<advice.lowerBound] }
    default: break
    }
    trim()
    return String(text)
  }

  /// Returns the error as a run failure.
  /// - Parameter address: the registry that was called; nil if the message contains it.
  public func failure(_ doing: String, at address: String? = nil) -> RunFailure {
    switch status {
    case 401: return RunFailure(.signInNeeded, "\(doing): \(reason)", advice: Self.signIn(to: address))
    case 429, 500...599:
      let wait = retryAfter.map { "Try again in \(Int(min($0, 1_000_000).rounded(.up))) s." } ?? "Try again later."
      return RunFailure(.unreachable, "\(doing): \(reason)", advice: wait)
    default:
      let places = findings.prefix(3).map { "\($0.pointer.isEmpty ? "" : $0.pointer + " ")\($0.message)" }
      return RunFailure(.failed, "\(doing): \(detail)\(places.isEmpty ? "" : " (\(places.joined(separator: "; ")))")")
    }
  }

  static func signIn(to address: String?) -> String {
    "Sign in with: fleetkit login --registry \(address ?? "URL")"
  }
}

/// An answer with status 400 or above, in the form of RFC 9457 if it comes from a registry.
public struct RegistryRefusal: Sendable, Equatable {
  /// A problem in one place of a request.
  public struct Finding: Sendable, Equatable {
    /// The code of the finding, `SCH0403`.
    public var code: String
    /// A JSON Pointer into the body; empty for the whole body.
    public var pointer: String
    /// The problem, in one sentence.
    public var message: String

    /// Creates an instance from its members.
    public init(code: String, pointer: String, message: String) {
      self.code = code
      self.pointer = pointer
      self.message = message
    }
  }

  /// The status of the answer, 400 to 599.
  public var status: Int
  /// The registry's code for programs, `public_id_taken`; nil if the body has no code.
  public var code: String?
  /// The reason, one sentence for people.
  public var detail: String
  /// The problems with their places; empty if the answer names none.
  public var findings: [Finding]
  /// How long to wait before the next request, in seconds; nil if the answer does not specify it.
  public var retryAfter: Double?

  /// Creates an instance from its members.
  public init(
    status: Int, code: String? = nil, detail: String, findings: [Finding] = [], retryAfter: Double? = nil
  ) {
    self.status = status
    self.code = code
    self.detail = detail
    self.findings = findings
    self.retryAfter = retryAfter
  }
}

extension RegistryRefusal {
  /// The maximum length of a detail, in characters.
  private static let length = 400

  /// Reads an answer with status 400 or above, from a registry or from a proxy that answers with an HTML page.
  init(_ answer: HTTPAnswer, now: Timestamp) {
    self.init(status: answer.status, body: answer.body)
    retryAfter = answer["retry-after"].flatMap { HTTPDate.seconds(until: $0, from: answer["date"], now: now) }
  }

  /// Reads a problem as defined by RFC 9457, or any other body.
  init(status: Int, body: [UInt8]) {
    let phrase = "the registry answered \(status)\(Self.phrases[status].map { " (\($0))" } ?? "")"
    self.init(status: status, detail: phrase)
    guard let root = try? JSONDocument(parsing: body).root, root.kind == .object else {
      let message = Self.plain(body)
      if !message.isEmpty { detail += ": \(message)" }
      return
    }
    code = root["code"]?.string.map { Self.clean($0) }
    // FastAPI services write a string or a list into this member.
    if let message = (root["detail"]?.string ?? root["title"]?.string).map({ Self.clean($0) }), !message.isEmpty {
      detail = message
    }
    findings = (root["findings"]?.elements ?? []).prefix(1000).compactMap { finding in
      guard let code = finding["code"]?.string, let message = finding["message"]?.string else { return nil }
      return Finding(
        code: Self.clean(code), pointer: Self.clean(finding["pointer"]?.string ?? ""), message: Self.clean(message))
    }
  }

  /// Returns the text of a page, without its markup.
  private static func plain(_ body: [UInt8]) -> String {
    var isTag = false
    var text = ""
    for character in String(decoding: body.prefix(16 << 10), as: UTF8.self) {
      switch character {
      case "<": isTag = true
      case ">" where isTag:
        isTag = false
        text += " "
      default: if !isTag { text.append(character) }
      }
    }
    return clean(text)
  }

  /// Returns a message as one line of at most 400 characters, without terminal control characters.
  private static func clean(_ text: String) -> String {
    var line = ""
    var count = 0
    for scalar in text.unicodeScalars {
      let isBlank = scalar.properties.isWhitespace
      if isBlank ? line.isEmpty || line.hasSuffix(" ") : isControl(scalar) { continue }
      guard count < length else { return line + "…" }
      line.unicodeScalars.append(isBlank ? " " : scalar)
      count += 1
    }
    while line.hasSuffix(" ") { line.removeLast() }
    return line
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned: true
    default: false
    }
  }

  private static let phrases: [Int: String] = [
    400: "bad request", 401: "unauthorized", 403: "forbidden", 404: "not found", 405: "method not allowed",
    407: "the proxy requires authentication", 408: "request timeout", 409: "conflict", 410: "gone",
    412: "precondition failed", 413: "too large", 415: "unsupported media type", 422: "unprocessable",
    429: "too many requests", 500: "internal error", 502: "bad gateway", 503: "unavailable", 504: "gateway timeout",
  ]
}

/// Reads times from HTTP headers.
enum HTTPDate {
  /// Returns the seconds until the time in `Retry-After`, which is a number of seconds or a date; nil if it is
  /// neither.
  /// - Parameters:
  ///   - sent: the answer's own date, so that a wrong local clock does not matter.
  ///   - now: the local time, for answers without a date.
  static func seconds(until text: String, from sent: String?, now: Timestamp) -> Double? {
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return Double(text).map { min($0, longest) }
    }
    guard let then = parse(text) else { return nil }
    let start = sent.flatMap(parse) ?? now
    return min(longest, max(0, Double(then.milliseconds - start.milliseconds) / 1000))
  }

  /// The maximum wait, about three years, in seconds. A longer wait is shortened to this, so that times can be computed
  /// with it.
  private static let longest = 100_000_000.0

  /// Parses a date like `Sun, 06 Nov 1994 08:49:37 GMT`.
  /// - Source: RFC 9110, section 5.6.7; the two obsolete formats are not supported.
  static func parse(_ text: String) -> Timestamp? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: String(parts[2])) else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    return Timestamp.parse("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")?.0
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
