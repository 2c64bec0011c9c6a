import Content
import RegistryClient
import Synchronization

/// A proxy between a sync and the real registry that drops some requests or answers.
final class FaultyCalls: RegistryCalls {
  /// The fault that a request encounters.
  enum Fault: Sendable {
    /// The request is lost.
    case before(RegistryError)
    /// The request arrives, but the answer is lost.
    case after(RegistryError)
  }

  /// A request that was made.
  struct Request: Sendable, Equatable {
    let call: String
    let publicID: String
    let key: String
    let count: Int
  }

  private let real: any RegistryCalls
  private let plan: @Sendable (Request, Int) -> Fault?
  private let made = Mutex<[Request]>([])

  /// - Parameter plan: returns the fault for a request and its number among all requests, starting at 0; nil for no
  ///   fault.
  init(_ real: any RegistryCalls, _ plan: @escaping @Sendable (Request, Int) -> Fault? = { _, _ in nil }) {
    self.real = real
    self.plan = plan
  }

  /// All requests so far.
  var requests: [Request] { made.withLock { $0 } }
  /// All requests so far that change something.
  var changes: [Request] { requests.filter { !["me", "head", "item", "mine"].contains($0.call) } }

  private func pass<Value>(
    _ call: String, _ publicID: String, _ key: String, count: Int = 1, _ body: () throws(RegistryError) -> Value
  ) throws(RegistryError) -> Value {
    let request = Request(call: call, publicID: publicID, key: key, count: count)
    let place = made.withLock { made in
      made.append(request)
      return made.count - 1
    }
    switch plan(request, place) {
    case nil: return try body()
    case .before(let error): throw error
    case .after(let error):
      _ = try? body()
      throw error
    }
  }

  func publish(_ body: [UInt8], key: String) throws(RegistryError) -> PublicationReceipt {
    try pass("publish", "", key) { () throws(RegistryError) in try real.publish(body, key: key) }
  }

  func update(
    _ publicID: String, _ body: [UInt8], ifMatch: String?, key: String
  ) throws(RegistryError) -> PublicationReceipt {
    try pass("update", publicID, key) { () throws(RegistryError) in
      try real.update(publicID, body, ifMatch: ifMatch, key: key)
    }
  }

  func withdraw(_ publicID: String, key: String) throws(RegistryError) {
    try pass("withdraw", publicID, key) { () throws(RegistryError) in try real.withdraw(publicID, key: key) }
  }

  func batch(_ calls: [BatchCall], key: String) throws(RegistryError) -> [BatchResult] {
    try pass("batch", "", key, count: calls.count) { () throws(RegistryError) in try real.batch(calls, key: key) }
  }

  func head(_ publicID: String) throws(RegistryError) -> ContentHead? {
    try pass("head", publicID, "") { () throws(RegistryError) in try real.head(publicID) }
  }

  func item(_ publicID: String) throws(RegistryError) -> PublicItem? {
    try pass("item", publicID, "") { () throws(RegistryError) in try real.item(publicID) }
  }
  func mine(since: Timestamp?, cursor: String?) throws(RegistryError) -> (items: [OwnedItem], next: String?) {
    try real.mine(since: since, cursor: cursor)
  }
  func countFork(_ publicID: String) throws(RegistryError) { try real.countFork(publicID) }
  func lineage(_ id: String) throws(RegistryError) -> [LineageStep]? { try real.lineage(id) }
  func me() throws(RegistryError) -> RegistryUser {
    try pass("me", "", "") { () throws(RegistryError) in try real.me() }
  }
}
