import Content
import Foundation
import Interchange
import JSONText
import Synchronization

/// The link to one registry. It builds addresses and separates good answers from errors; it has no user.
package struct RegistryLink: Sendable {
  /// The address of the registry.
  package let address: RegistryAddress
  let transport: HTTPTransport

  /// Makes a link.
  package init(_ address: RegistryAddress, _ transport: HTTPTransport) {
    self.address = address
    self.transport = transport
  }

  /// Whether no more requests are sent.
  var isStopped: Bool { transport.isStopped }

  /// Sends a request to a path below `/api/v1`.
  /// - Throws: an error for every answer that is not 2xx.
  func send(
    _ method: String, _ path: String, fields: [(String, String)] = [], body: [UInt8]? = nil, isOnce: Bool = false
  ) throws(RegistryError) -> HTTPAnswer {
    let needsBody = method == "POST" || method == "PUT"
    let request = HTTPRequest(
      method, address.url(path), fields: fields.map { (name: $0.0, value: $0.1) },
      body: body ?? (needsBody ? [] : nil), isDirect: address.isLoopback, isOnce: isOnce)
    let answer: HTTPAnswer
    do {
      answer = try transport.send(request)
    } catch {
      throw error.naming(address)
    }
    switch answer.status {
    case 200...299: return answer
    case 300...399:
      // The registry itself never redirects: the address is outdated, or a harbour's sign-in page answered.
      let place = answer["location"].map { " to \($0.prefix(200))" } ?? ""
      throw .unreachable("\(address) redirects\(place), which is not followed; use the registry's own address")
    case 400...599: throw .refused(RegistryRefusal(answer, now: Self.now))
    default: throw .unreadable("\(address) answered with an invalid status: \(answer.status)")
    }
  }

  /// Sends a request like `send`, but returns nil if the item does not exist, or no longer exists.
  func find(_ method: String, _ path: String) throws(RegistryError) -> HTTPAnswer? {
    do {
      return try send(method, path)
    } catch .refused(let refusal) where refusal.status == 404 || refusal.status == 410 {
      return nil
    }
  }

  static var now: Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

  /// Runs requests, and stops waiting for answers once the user wants to stop: requests in flight then throw `.broken`.
  func untilInterrupted<Answer, Failure: Error>(_ body: () throws(Failure) -> Answer) throws(Failure) -> Answer {
    let watch = InterruptionWatch(grace: 0) { [transport] in transport.stopAll() }
    defer { watch.end() }
    return try body()
  }
}

extension RegistryError {
  /// Returns the same error with the registry's address in its message.
  func naming(_ address: RegistryAddress) -> RegistryError {
    switch self {
    case .unreachable(let words): .unreachable("\(address) cannot be reached: \(words)")
    case .insecure(let words, let advice):
      .insecure("there is no secure connection to \(address): \(words)", advice: advice)
    case .timedOut(let words): .timedOut("\(address) did not answer in time: \(words)")
    case .broken(let words): .broken("the connection to \(address) broke: \(words)")
    case .unreadable(let words): .unreadable("the answer from \(address) cannot be read: \(words)")
    case .refused, .signInNeeded: self
    }
  }
}

extension RegistryLink {
  /// Calls `POST /auth/refresh`. The request is sent only once: using a refresh token twice ends its session, unless
  /// the second use follows soon and the new tokens have not been used.
  func renew(_ refresh: String) throws(RegistryError) -> SessionTokens {
    try tokens("/auth/refresh", [("refresh_token", refresh)])
  }

  /// Calls `POST /auth/apple-signin`, which exchanges Apple's identity token for a session.
  /// - Parameter nonce: the nonce that was sent to Apple, if any.
  package func signIn(identityToken: String, nonce: String?) throws(RegistryError) -> SessionTokens {
    try tokens("/auth/apple-signin", [("identity_token", identityToken)] + (nonce.map { [("nonce", $0)] } ?? []))
  }

  /// Calls `POST /auth/test-signin`, which starts a session for an unverified e-mail address; only registries in
  /// development mode offer it.
  package func signInForTest(email: String) throws(RegistryError) -> SessionTokens {
    try tokens("/auth/test-signin?email=\(Self.query(email))", [])
  }

  private func tokens(_ path: String, _ members: [(String, String)]) throws(RegistryError) -> SessionTokens {
    var body = ByteBuffer(capacity: 4096)
    body.append("{")
    for (index, member) in members.enumerated() {
      if index > 0 { body.append(",") }
      body.appendJSONString(member.0)
      body.append(":")
      body.appendJSONString(member.1)
    }
    body.append("}")
    let sent = members.isEmpty ? [] : body.copy(0..<body.count)
    return try SessionTokens(send("POST", path, body: sent, isOnce: true).body, now: Self.now)
  }

  private static func query(_ text: String) -> String {
    text.utf8.map { byte in
      switch byte {
      case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x2D, 0x2E, 0x5F, 0x7E: String(Unicode.Scalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }
}

/// Ends hanging requests when the user wants to stop. Requests that send changes get a few more seconds; requests that
/// only read are ended immediately.
package final class InterruptionWatch: Sendable {
  private let isOver = Atomic<Bool>(false)
  private let isSending = Atomic<Bool>(false)

  /// Starts watching.
  /// - Parameters:
  ///   - grace: how long requests that send changes may still take, in seconds.
  ///   - isInterrupted: whether the user wants to stop.
  ///   - stop: ends all requests.
  package init(
    grace: Double, isInterrupted: @escaping @Sendable () -> Bool = { Interruption.isRequested },
    stop: @escaping @Sendable () -> Void
  ) {
    ThreadPool.shared.run { [self] in
      while !isInterrupted() {
        if isOver.load(ordering: .relaxed) { return }
        usleep(50_000)
      }
      let until = ContinuousClock.now.advanced(by: .seconds(grace))
      while until > .now, isSending.load(ordering: .relaxed) {
        if isOver.load(ordering: .relaxed) { return }
        usleep(50_000)
      }
      if !isOver.load(ordering: .relaxed) { stop() }
    }
  }

  /// Announces that requests send changes from this point on.
  package func sends() { isSending.store(true, ordering: .relaxed) }

  /// Stops watching.
  package func end() { isOver.store(true, ordering: .relaxed) }
}
