import Content
import Foundation
import Interchange

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

  /// Sends a request like `send`, but returns nil when the item does not exist, or no longer exists.
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
