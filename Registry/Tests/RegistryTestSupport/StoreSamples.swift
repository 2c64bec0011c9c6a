import Content
import Publishing
import RegistryModel
import RegistryStore

/// Values for store tests.
public enum StoreSamples {
  /// The time at which tests begin.
  public static let start = Timestamp(milliseconds: 1_767_607_872_345)

  /// Returns `start` plus some milliseconds.
  public static func time(_ milliseconds: Int64) -> Timestamp {
    Timestamp(milliseconds: start.milliseconds + milliseconds)
  }

  /// Returns a checklist in the app's form, with words to search for.
  public static func document(_ text: String = "Check the bilge") -> [UInt8] {
    let quoted = text.unicodeScalars.map { scalar -> String in
      switch scalar {
      case "\"": "\\\""
      case "\\": "\\\\"
      case let control where control.value < 0x20:
        "\\u00" + (control.value < 16 ? "0" : "") + String(control.value, radix: 16)
      default: String(scalar)
      }
    }.joined()
    return Array(
      """
      {"id":"6F1D0A52-7C1B-4B60-9B3C-0D5A6C2F1E11","title":"Round","sections":[{"id":"A","title":"Morning",\
      "items":[{"id":"B","title":"\(quoted)","isRequired":true}]}],"syncStatus":"synced"}
      """.utf8)
  }

  /// Returns a request to publish.
  public static func request(
    _ slug: String, title: String = "Departure", description: String? = "Before casting off",
    type: ContentType = .checklist, text: String = "Check the bilge", tags: [String] = [], language: String = "en",
    canFork: Bool = true, parent: RegistryID? = nil, originalAuthor: String? = nil
  ) -> PublishRequest {
    PublishRequest(
      title: title, description: description, contentType: type, contentData: document(text), tags: tags,
      language: language, publicID: slug, canFork: canFork, forkedFromID: parent?.text,
      originalAuthorUsername: originalAuthor)
  }

  /// Returns a change to some members.
  public static func change(_ set: (inout PublishChange) -> Void) -> PublishChange {
    var change = PublishChange()
    set(&change)
    return change
  }

  /// Returns thirty-two bytes that take the place of a token's hash.
  public static func hash(_ number: Int) -> [UInt8] {
    Digest.sha256(Array("token \(number)".utf8))
  }
}

extension Digest {
  fileprivate static func sha256(_ bytes: [UInt8]) -> [UInt8] { sha256(bytes.span) }
}

/// Frequent actions in store tests.
extension RegistryStore {
  /// Signs in a user with a test name.
  public func person(_ name: String, at now: Timestamp = StoreSamples.start) async throws -> User {
    try await signIn(appleID: "test:\(name)", email: "\(name)@example.org", usernameHint: name, at: now)
  }

  /// Carries out operations without a claim and returns their results.
  public func run(
    _ operations: [ContentOperation], by user: User, at now: Timestamp = StoreSamples.start
  ) async throws -> [OperationResult] {
    guard case .done(let results) = try await apply(operations, by: user.id, at: now, claim: nil) else { return [] }
    return results
  }

  /// Whether a session was begun and has not ended.
  public func isLive(_ session: Session) async throws -> Bool {
    try await isLive(session: session.id, of: session.userID)
  }

  /// Publishes one item; returns nil if it was refused.
  public func publish(
    _ request: PublishRequest, by user: User, at now: Timestamp = StoreSamples.start
  ) async throws -> PublicationHead? {
    guard case .published(let head)? = try await run([.publish(request)], by: user, at: now).first else { return nil }
    return head
  }
}
