import Foundation
import JSONText
import Synchronization
import TestSupport

/// A bad network between a client and a registry, in which a fixed share of requests encounters a fault.
///
/// The proxy uses real sockets and one thread per connection.
final class FaultProxy: Sendable {
  /// One change that a client requests from the registry.
  struct Write: Hashable, Sendable {
    /// The operation as the queue names it: `publish`, `publish_update`, `unpublish`.
    let operation: String
    let slug: String
  }

  /// The events so far.
  struct Tally: Sendable {
    /// The total number of requests.
    var requests = 0
    /// The number of faults by kind.
    var faults: [FaultKind: Int] = [:]
    /// The number of the registry's own answers by status. Every operation in a batch counts.
    var statuses: [Int: Int] = [:]
    /// The registry's answers that contain findings about a payload.
    var complaints: [String] = []
    /// The number of times that the registry accepted each write. An answer that it repeats for a known key does not
    /// count.
    var accepted: [Write: Int] = [:]
    /// The number of requests that contain writes.
    var writes = 0
    /// The number of requests that are not delivered or answered yet.
    var pending = 0
  }

  /// The port of the proxy.
  let port: Int
  private let upstream: Int
  private let rate: Int
  private let latency: UInt32
  private let random: Mutex<SeededRandom>
  private let state = Mutex(Tally())
  private let batches = Atomic(true)
  private let isStopped = Atomic(false)
  private let listener: Int32

  /// Starts to listen.
  /// - Parameters:
  ///   - rate: the percentage of requests that encounter a fault.
  ///   - latency: the delay of every request, and of every answer, in microseconds.
  init(to upstream: Int, seed: UInt64, rate: Int = 40, latency: UInt32 = 0) throws {
    self.upstream = upstream
    self.rate = rate
    self.latency = latency
    random = Mutex(SeededRandom(seed: seed))
    (listener, port) = try FaultSocket.listen()
    let thread = Thread { [self] in accept() }
    thread.start()
  }

  /// The address of the proxy.
  var url: String { "http://127.0.0.1:\(port)" }
  /// The events so far.
  var tally: Tally { state.withLock { $0 } }

  /// Whether `/content/batch` exists.
  var offersBatches: Bool {
    get { batches.load(ordering: .relaxed) }
    set { batches.store(newValue, ordering: .relaxed) }
  }

  /// Waits until all late requests have been delivered.
  func drain() {
    let end = ContinuousClock.now + .seconds(60)
    while state.withLock({ $0.pending }) > 0, ContinuousClock.now < end { usleep(20_000) }
  }

  /// Stops accepting connections.
  func stop() {
    isStopped.store(true, ordering: .relaxed)
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  private func accept() {
    while let client = FaultSocket.accept(listener) {
      if isStopped.load(ordering: .relaxed) { return client.end() }
      let thread = Thread { [self] in serve(client) }
      thread.stackSize = 1 << 20
      thread.start()
    }
  }

  // MARK: One connection

  private func serve(_ client: FaultSocket) {
    defer { client.end() }
    while let request = FaultMessage.request(from: client) {
      let fault = chosen()
      state.withLock { tally in
        tally.requests += 1
        if !request.line.hasPrefix("GET ") { tally.writes += 1 }
        if let fault { tally.faults[fault, default: 0] += 1 }
      }
      if request.target.hasSuffix("/content/batch"), !offersBatches {
        guard client.send(FaultMessage.answer(404)) else { return }
        continue
      }
      guard let fault else {
        guard let answer = ask(request), client.send(answer) else { return }
        continue
      }
      guard meet(fault, request, client) else { return }
    }
  }

  private func chosen() -> FaultKind? {
    random.withLock { $0.below(100) < rate ? $0.pick(FaultKind.allCases) : nil }
  }

  private func roll(_ limit: Int) -> Int { random.withLock { $0.below(limit) } }

  /// Carries out a fault. Returns false when the connection is over.
  private func meet(_ fault: FaultKind, _ request: FaultMessage, _ client: FaultSocket) -> Bool {
    switch fault {
    case .dropBefore: return false
    case .dropAfter:
      _ = ask(request)
      return false
    case .delay:
      usleep(UInt32(50_000 + roll(400_000)))
      return ask(request).map(client.send) ?? false
    case .truncate:
      if let answer = ask(request) { _ = client.send(Array(answer[..<(answer.count * (1 + roll(9)) / 10)])) }
      return false
    case .reset:
      if roll(2) == 0 { _ = ask(request) }
      client.reset()
      return false
    case .serverError:
      if roll(2) == 0 { _ = ask(request) }
      return client.send(FaultMessage.answer(500))
    case .unavailable: return client.send(FaultMessage.answer(503))
    case .rateLimited: return client.send(FaultMessage.answer(429, "Retry-After: 1\r\n"))
    case .unauthorized: return client.send(FaultMessage.answer(401, "WWW-Authenticate: Bearer\r\n"))
    case .slowLoris:
      for byte in ask(request) ?? [] {
        if isStopped.load(ordering: .relaxed) || !client.send([byte]) { return false }
        usleep(1_000_000)
      }
      return false
    case .twice:
      _ = ask(request)
      return ask(request).map(client.send) ?? false
    case .late:
      state.withLock { $0.pending += 1 }
      defer { state.withLock { $0.pending -= 1 } }
      client.waitForEnd(seconds: 60)
      usleep(UInt32(roll(1_500_000)))
      _ = ask(request)
      return false
    }
  }

  // MARK: The registry

  /// Calls the registry over a separate connection; nil if the registry cannot be reached.
  private func ask(_ request: FaultMessage) -> [UInt8]? {
    state.withLock { $0.pending += 1 }
    defer { state.withLock { $0.pending -= 1 } }
    if latency > 0 { usleep(latency) }
    defer { if latency > 0 { usleep(latency) } }
    guard let server = FaultSocket.connect(upstream) else { return nil }
    defer { server.end() }
    guard server.send(request.closing) else { return nil }
    let answer = server.readToEnd()
    guard !answer.isEmpty else { return nil }
    note(FaultMessage(answer), of: request)
    return FaultMessage(answer).keeping
  }

  private func note(_ answer: FaultMessage, of request: FaultMessage) {
    var found: [Int: Int] = [:]
    let body = String(decoding: answer.body, as: UTF8.self)
    if request.target.hasSuffix("/content/batch"), answer.status == 200 {
      for part in body.components(separatedBy: "\"status\":").dropFirst() {
        if let status = Int(part.prefix(3)) { found[status, default: 0] += 1 }
      }
    } else {
      found[answer.status] = 1
    }
    let accepted = Self.accepted(answer, of: request)
    state.withLock { tally in
      tally.statuses.merge(found, uniquingKeysWith: +)
      for write in accepted { tally.accepted[write, default: 0] += 1 }
      if found.keys.contains(where: { [400, 403, 413, 422].contains($0) }), tally.complaints.count < 20 {
        tally.complaints.append("\(request.line): \(body.prefix(2000))")
      }
    }
  }

  /// Returns the writes of a request that the registry accepted.
  private static func accepted(_ answer: FaultMessage, of request: FaultMessage) -> [Write] {
    guard (200..<300).contains(answer.status), answer.field("idempotency-replayed") == nil else { return [] }
    let slug = String(request.target.split(separator: "/").last ?? "")
    switch request.line.prefix(while: { $0 != " " }) {
    case "PUT": return [Write(operation: "publish_update", slug: slug)]
    case "DELETE": return [Write(operation: "unpublish", slug: slug)]
    case "POST":
      guard let body = try? JSONDocument(parsing: request.body).root else { return [] }
      if slug == "share" { return [Write(operation: "publish", slug: body["public_id"]?.string ?? "")] }
      guard slug == "batch", let results = try? JSONDocument(parsing: answer.body).root["results"]?.elements else {
        return []
      }
      return zip(body["operations"]?.elements ?? [], results).compactMap { operation, result in
        guard (200..<300).contains(result["status"]?.integer ?? 0) else { return nil }
        return Write(
          operation: operation["operation"]?.string ?? "",
          slug: operation["payload"]?["public_id"]?.string ?? "")
      }
    default: return []
    }
  }
}
