import Content
import Diagnostics
import Interchange
import JSONText
import Publishing
import RegistryClient
import SQLiteLibrary
import SyncQueue
import Validation

/// A library's operations that wait to be sent, and those that have been sent.
public final class LibraryQueue {
  /// The library.
  public let library: String
  private let store: QueueStore

  /// Opens a library's queue.
  /// - Parameter isChanged: whether the queue is opened for changes; otherwise no sidecar is made.
  /// - Throws: `RunFailure`: 2 if the file is not a library, 4 if its schema is old, 6 if its schema is newer, 7
  ///   if the library is locked.
  public init(_ library: String, isChanged: Bool = false) throws {
    self.library = library
    store = try QueueStore(library, isChanged ? .change : .look)
  }

  /// Returns the numbers of waiting operations.
  public func depth() throws -> QueueDepth { try store.depth() }

  /// Returns the registry and the account that the library belongs to; nil while it belongs to none.
  public func binding() throws -> RegistryBinding? { try store.binding() }

  /// Calls `body` with the rows in the order in which they were queued, page by page.
  /// - Parameter all: whether to include sent rows.
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

  /// Returns failed operations that a later one has superseded; they are not sent again.
  package func overtaken() throws -> Set<OperationID> {
    guard try store.depth().failed > 0 else { return [] }
    return try QueuePlace.allCases.reduce(into: []) { found, place in
      for number in try store.overtaken(place) { found.insert(OperationID(place, number)) }
    }
  }

  /// Resets failed operations for another try, except those that a later one has superseded.
  /// - Parameter id: the operation to reset; nil for all failed operations.
  /// - Returns: The number of operations that were reset.
  /// - Throws: `RunFailure` 64 for an unknown id.
  public func retry(_ id: String?) throws -> Int {
    guard let id = try id.map(Self.id) else { return try store.retryFailed(nil) }
    guard try store.operation(id) != nil else {
      throw RunFailure(
        .usage, "retry operation \(id): '\(library)' has no operation with this number",
        advice: "'fleetkit queue \(library)' lists the operations.")
    }
    return try store.retryFailed(id)
  }

  /// Returns the consequences of removing an operation from the queue.
  package func cancelPlan(_ id: String) throws -> CancelPlan { try store.cancelPlan(Self.id(id)) }

  /// Removes an operation from the queue.
  package func cancel(_ plan: CancelPlan) throws -> CancelResult {
    guard let result = try store.cancel(plan) else {
      throw RunFailure(.refused, "cancel operation \(plan.row.id): it was sent or cancelled a moment ago")
    }
    return result
  }

  /// Returns the consequences of binding the library to a registry and the account that is signed in there.
  /// - Parameters:
  ///   - keepsPublished: whether the new registry is the same service under a new address, with the same items.
  ///   - force: whether operations that only the old registry can carry out may be left undone.
  /// - Throws: `RunFailure` 4 if operations would be left undone, 69 if the registry is not reached, 77 if no
  ///   user is signed in.
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

  /// Binds the library to another registry or account. Items that are public at the old registry become private here,
  /// unless the plan keeps them.
  /// - Returns: the plan that was carried out.
  /// - Throws: `RunFailure` 4 if operations would be left undone, 7 while a sync is running.
  package func rebind(_ plan: RebindPlan, force: Bool = false) throws -> RebindPlan {
    let lock = try SyncLock(of: library)
    defer { withExtendedLifetime(lock) {} }
    return try store.rebind(to: plan.new, keepsPublished: plan.keepsPublished, force: force)
  }

  private static func id(_ text: String) throws -> OperationID {
    guard let id = OperationID(text) else {
      throw RunFailure(
        .usage, "'\(text)' is not an operation number, such as 12, or d12 for a deck",
        advice: "'fleetkit queue' lists the operations.")
    }
    return id
  }
}
