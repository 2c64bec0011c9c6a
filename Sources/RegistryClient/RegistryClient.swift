import Content
import Interchange
import JSONText

/// A client that calls a real registry over HTTP.
public final class RegistryClient: RegistryCalls {
  /// The address of the registry.
  public let address: RegistryAddress
  private let link: RegistryLink
  private let session: TokenSession?
  private let withheld: String?

  /// Makes a client.
  /// - Parameters:
  ///   - session: the session of the signed-in user; nil if only calls without a session are made.
  ///   - withheld: why there is no session although there are tokens; nil if there are no tokens.
  package init(_ link: RegistryLink, session: TokenSession?, withheld: String? = nil) {
    address = link.address
    self.link = link
    self.session = session
    self.withheld = withheld
  }

  /// Ends the calls of all threads within about a second, and all later ones; each throws `.broken`.
  public func stop() { link.transport.stopAll() }

  /// Runs calls, and stops waiting for answers once the user wants to stop: calls in progress then throw `.broken`.
  public func untilInterrupted<Answer, Failure: Error>(
    _ body: () throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    try link.untilInterrupted(body)
  }

  // MARK: Changing

  /// Publishes an item.
  public func publish(_ body: [UInt8], key: String) throws(RegistryError) -> PublicationReceipt {
    let answer = try signedIn("POST", "/content/share", fields: Self.key(key), body: body)
    return try PublicationReceipt(answer, "the answer to a publication")
  }

  /// Changes an item.
  public func update(
    _ publicID: String, _ body: [UInt8], ifMatch: String?, key: String
  ) throws(RegistryError) -> PublicationReceipt {
    let fields = Self.key(key) + (ifMatch.map { [("If-Match", "\"\($0)\"")] } ?? [])
    let answer = try signedIn("PUT", "/content/\(Self.step(publicID))", fields: fields, body: body)
    return try PublicationReceipt(answer, "the answer to a change")
  }

  /// Unpublishes an item.
  public func withdraw(_ publicID: String, key: String) throws(RegistryError) {
    _ = try signedIn("DELETE", "/content/\(Self.step(publicID))", fields: Self.key(key))
  }

  /// Carries out up to 500 operations in one request.
  public func batch(_ calls: [BatchCall], key: String) throws(RegistryError) -> [BatchResult] {
    let answer = try signedIn("POST", "/content/batch", fields: Self.key(key), body: BatchCall.body(calls))
    return try BatchResult.read(answer.body, count: calls.count)
  }

  /// Counts a copy. The request is sent only once, so that a broken connection cannot make a copy count twice.
  public func countFork(_ publicID: String) throws(RegistryError) {
    _ = try link.send("POST", "/content/\(Self.step(publicID))/fork", isOnce: true)
  }

  // MARK: Reading

  /// Returns the owner and the digest of an item.
  public func head(_ publicID: String) throws(RegistryError) -> ContentHead? {
    guard let answer = try link.find("HEAD", "/content/\(Self.step(publicID))") else { return nil }
    guard
      let digest = DigestHeader.digest(contentDigest: answer["content-digest"] ?? answer["x-content-digest"])
        ?? DigestHeader.digest(answer["etag"])
    else { throw .unreadable("the answer about '\(publicID)' has no digest") }
    return ContentHead(ownerID: (answer["x-owner-id"] ?? "").lowercased(), digest: digest)
  }

  /// Returns an item with its document.
  public func item(_ publicID: String) throws(RegistryError) -> PublicItem? {
    guard let answer = try link.find("GET", "/content/\(Self.step(publicID))") else { return nil }
    return try PublicItem(answer)
  }

  /// Returns one page of the user's own items.
  public func mine(since: Timestamp?, cursor: String?) throws(RegistryError) -> (items: [OwnedItem], next: String?) {
    var query = "?limit=100&cursor=\(Self.step(cursor ?? ""))"
    if let since { query += "&since=\(Self.step(since.wholeSeconds))" }
    let answer = try signedIn("GET", "/content/mine" + query)
    let page = try AnswerValue(answer.body, "the list of your items")
    var items: [OwnedItem] = []
    for value in try page["items"].elements { items.append(try OwnedItem(value)) }
    return (items, try page.optional("next_cursor")?.string)
  }

  /// Returns the steps from the original to an item.
  public func lineage(_ id: String) throws(RegistryError) -> [LineageStep]? {
    guard let answer = try link.find("GET", "/content/\(Self.step(id))/lineage") else { return nil }
    var steps: [LineageStep] = []
    for value in try AnswerValue(answer.body, "the lineage").elements { steps.append(try LineageStep(value)) }
    return steps
  }

  /// Returns the user who is signed in.
  public func me() throws(RegistryError) -> RegistryUser {
    let user = try RegistryUser(AnswerValue(signedIn("GET", "/users/me").body, "the answer about the account"))
    session?.know(user)
    return user
  }

  // MARK: Sending

  /// Sends a request for the signed-in user. When the registry answers 401, renews the session once and sends the
  /// request again.
  func signedIn(
    _ method: String, _ path: String, fields: [(String, String)] = [], body: [UInt8]? = nil
  ) throws(RegistryError) -> HTTPAnswer {
    guard let session else { throw .signInNeeded(withheld ?? "not signed in to \(address)") }
    let token = try session.token()
    do {
      return try link.send(method, path, fields: fields + [Self.bearer(token)], body: body)
    } catch .refused(let refusal) where refusal.status == 401 {
      let next = try session.renewed(after: token)
      do {
        return try link.send(method, path, fields: fields + [Self.bearer(next)], body: body)
      } catch .refused(let refusal) where refusal.status == 401 {
        throw .signInNeeded("\(address) rejects the session although it was just renewed: \(refusal.reason)")
      }
    }
  }

  private static func bearer(_ token: String) -> (String, String) { ("Authorization", "Bearer \(token)") }

  private static func key(_ key: String) -> [(String, String)] { [("Idempotency-Key", key)] }

  /// Escapes a string as one path segment or one query value.
  private static func step(_ text: String) -> String {
    var step = ""
    for byte in text.utf8 {
      switch byte {
      case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
        step.unicodeScalars.append(Unicode.Scalar(byte))
      default: step += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return step
  }
}
