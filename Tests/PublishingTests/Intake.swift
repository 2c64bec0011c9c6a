import Content
import JSONText
import Publishing
import Testing

/// A publishing intake with a fixed clock, with its results in a form that is easy to compare.
struct Intake {
  private let intake: PublishIntake

  static let now = Timestamp(milliseconds: 1_790_000_000_123)
  static let stored = PublishedItem(
    contentType: .checklist, publicID: "leaving-the-berth-2663557A", title: "Leaving the berth",
    description: "Lines last.", tags: ["departure"], createdAt: Timestamp(milliseconds: 1_700_000_000_456))

  init() throws { intake = try PublishIntake() }

  /// Returns the findings as `/pointer CODE`, or nil if the body is accepted.
  func findings(_ body: String) throws -> [String]? {
    switch intake.publication(try JSONDocument(parsing: body).root, now: Self.now) {
    case .taken: nil
    case .refused(let findings): findings.map { "\($0.pointer) \($0.code)" }
    }
  }

  /// Returns the complete findings; empty if the body is accepted.
  func details(_ body: String) throws -> [IntakeFinding] {
    guard case .refused(let findings) = intake.publication(try JSONDocument(parsing: body).root, now: Self.now)
    else { return [] }
    return findings
  }

  /// Returns the accepted request. Otherwise records an issue with the findings.
  func taken(_ body: String) throws -> PublishRequest? { try taken(Array(body.utf8)) }

  func taken(_ body: [UInt8]) throws -> PublishRequest? {
    switch intake.publication(try JSONDocument(parsing: body).root, now: Self.now) {
    case .taken(let request): return request
    case .refused(let findings):
      Issue.record("refused: \(findings)")
      return nil
    }
  }

  /// Returns the intake's result for bytes; nil if they are not valid JSON.
  func outcome(_ body: [UInt8]) -> PublishIntake.Outcome<PublishRequest>? {
    guard let document = try? JSONDocument(parsing: body) else { return nil }
    return intake.publication(document.root, now: Self.now)
  }

  /// Returns the result of a change.
  func change(_ body: String, of item: PublishedItem = stored) throws -> PublishIntake.Outcome<PublishChange> {
    intake.change(try JSONDocument(parsing: body).root, current: item, now: Self.now)
  }

  /// Returns the findings of a change, or nil if it is accepted.
  func changeFindings(_ body: String, of item: PublishedItem = stored) throws -> [String]? {
    switch try change(body, of: item) {
    case .taken: nil
    case .refused(let findings): findings.map { "\($0.pointer) \($0.code)" }
    }
  }

  /// Returns an accepted change. Otherwise records an issue with the findings.
  func takenChange(_ body: String, of item: PublishedItem = stored) throws -> PublishChange? {
    switch try change(body, of: item) {
    case .taken(let change): return change
    case .refused(let findings):
      Issue.record("refused: \(findings)")
      return nil
    }
  }
}

extension PublishRequest {
  /// The parsed document.
  var document: JSONValue {
    get throws { try JSONDocument(parsing: contentData).root }
  }

  var documentText: String { String(decoding: contentData, as: UTF8.self) }

  /// The request as the body of an HTTP request.
  var body: [UInt8] {
    var out = ByteBuffer()
    out.append("{\"title\":")
    out.appendJSONString(title)
    if let description {
      out.append(",\"description\":")
      out.appendJSONString(description)
    }
    out.append(utf8: ",\"content_type\":\"\(contentType.rawValue)\",\"content_data\":")
    out.append(contentData.span)
    out.append(",\"tags\":[")
    for (index, tag) in tags.enumerated() {
      if index > 0 { out.append(",") }
      out.appendJSONString(tag)
    }
    out.append("],\"language\":")
    out.appendJSONString(language)
    out.append(",\"public_id\":")
    out.appendJSONString(publicID)
    out.append(utf8: ",\"can_fork\":\(canFork)")
    if let forkedFromID { out.append(utf8: ",\"forked_from_id\":\"\(forkedFromID)\"") }
    out.append("}")
    return Array(out.bytes)
  }
}
