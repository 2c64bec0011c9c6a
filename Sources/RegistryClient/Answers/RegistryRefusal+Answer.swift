import Content
import JSONText

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
