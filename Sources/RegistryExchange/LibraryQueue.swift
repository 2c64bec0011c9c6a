import Content
import Diagnostics
import Interchange
import JSONText
import Publishing
import RegistryClient
import SQLiteLibrary
import SyncQueue
import Validation

/// The operations of a library that wait to be sent, and those that were.
public final class LibraryQueue {
  /// The library.
  public let library: String
  private let store: QueueStore

  /// Opens the queue of a library.
  /// - Parameter isChanged: whether it is to be changed; otherwise nothing is made beside the library.
  /// - Throws: `RunFailure`: 2 when it is no library, 4 when its schema is old, 6 when it is newer, 7 when it is locked.
  public init(_ library: String, isChanged: Bool = false) throws {
    self.library = library
    store = try QueueStore(library, isChanged ? .change : .look)
  }

  /// How much waits.
  public func depth() throws -> QueueDepth { try store.depth() }

  /// The registry and the account that the library belongs to; nil while it belongs to none.
  public func binding() throws -> RegistryBinding? { try store.binding() }

  /// Hands out the rows in the order in which they were queued, page by page.
  /// - Parameter all: whether sent ones are among them.
  package func forEach(all: Bool, _ body: (QueueEntry) throws -> Void) throws {
    var pages: [[QueueEntry]] = []
    var lasts: [QueueEntry?] = []
    let places = QueuePlace.allCases
    for place in places {
      let page = try store.page(place, all: all, after: nil, limit: 500)
      pages.append(page.reversed())
      lasts.append(page.last)
    }
    while true {
      for index in places.indices where pages[index].isEmpty {
        guard let last = lasts[index] else { continue }
        let page = try store.page(places[index], all: all, after: last, limit: 500)
        pages[index] = page.reversed()
        lasts[index] = page.last
      }
      let first = places.indices.filter { !pages[$0].isEmpty }.min {
        (pages[$0].last?.createdAt ?? "", $0) < (pages[$1].last?.createdAt ?? "", $1)
      }
      guard let first else { return }
      try body(pages[first].removeLast())
    }
  }

  /// Given-up operations that something later has overtaken: nobody sends them again.
  package func overtaken() throws -> Set<OperationID> {
    guard try store.depth().failed > 0 else { return [] }
    return try QueuePlace.allCases.reduce(into: []) { found, place in
      for number in try store.overtaken(place) { found.insert(OperationID(place, number)) }
    }
  }

  /// Makes failed operations be tried again; those that something later has overtaken stay.
  /// - Parameter id: only this one; nil for all.
  /// - Returns: How many.
  /// - Throws: `RunFailure` 64 for an id that is none.
  public func retry(_ id: String?) throws -> Int {
    guard let id = try id.map(Self.id) else { return try store.retryFailed(nil) }
    guard try store.operation(id) != nil else {
      throw RunFailure(
        .usage, "retry operation \(id): '\(library)' has none of that number",
        advice: "'fleetkit queue \(library)' lists them.")
    }
    return try store.retryFailed(id)
  }

  /// What taking an operation out of the queue would mean.
  package func cancelPlan(_ id: String) throws -> CancelPlan { try store.cancelPlan(Self.id(id)) }

  /// Takes an operation out of the queue.
  package func cancel(_ plan: CancelPlan) throws -> CancelResult {
    guard let result = try store.cancel(plan) else {
      throw RunFailure(.refused, "cancel operation \(plan.row.id): it was sent or cancelled a moment ago")
    }
    return result
  }

  /// What it would mean for the library to belong to a registry and the account that is signed in there.
  /// - Parameters:
  ///   - keepsPublished: whether it is the same service under a new address, which has the same items.
  ///   - force: whether operations that only the old registry can do may be left undone.
  /// - Throws: `RunFailure` 4 when something would be left undone, 69 when nobody is reached, 77 when nobody is signed
  ///   in.
  package func rebindPlan(
    to connection: RegistryConnection, keepsPublished: Bool = false, force: Bool = false
  ) throws -> RebindPlan {
    let client = try connection.client()
    let user: RegistryUser
    do throws(RegistryError) {
      user = try client.untilInterrupted { () throws(RegistryError) in try client.me() }
    } catch {
      throw error.failure("ask \(connection.address.text) who is signed in", at: connection.address.text)
    }
    let binding = RegistryBinding(registry: connection.address.text, userID: user.id, username: user.username)
    let plan = try store.rebindPlan(to: binding, keepsPublished: keepsPublished)
    try plan.refuse(library, force: force)
    return plan
  }

  /// Makes the library belong to another registry or account. What is public at the old one becomes private here, unless
  /// the plan keeps it.
  /// - Returns: what it came to.
  /// - Throws: `RunFailure` 4 when something would be left undone, 7 while a sync is at work.
  package func rebind(_ plan: RebindPlan, force: Bool = false) throws -> RebindPlan {
    let lock = try SyncLock(of: library)
    defer { withExtendedLifetime(lock) {} }
    return try store.rebind(to: plan.new, keepsPublished: plan.keepsPublished, force: force)
  }

  private static func id(_ text: String) throws -> OperationID {
    guard let id = OperationID(text) else {
      throw RunFailure(
        .usage, "'\(text)' is no operation: they are numbers, of decks with a d before it",
        advice: "'fleetkit queue' lists them.")
    }
    return id
  }
}
