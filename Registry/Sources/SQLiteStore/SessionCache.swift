import RegistryModel
import Synchronization

/// Caches live sessions and users that were looked up, because every request with a token needs both.
///
/// Only existing records are cached, never their absence. A write that ends a session or changes a user clears the
/// whole cache before its commit, and nothing that was read before the commit is cached after it.
final class SessionCache: Sendable {
  private struct State {
    var sessions: Set<RegistryID> = []
    var users: [RegistryID: User] = [:]
    var changing = false
    var epoch: UInt64 = 0
  }

  /// The maximum number of sessions and of users; one more clears the cache.
  private static let limit = 20_000
  private let state = Mutex(State())

  /// The current epoch, which a reader needs before it reads the file.
  var epoch: UInt64 { state.withLock { $0.epoch } }

  func isLive(_ session: RegistryID) -> Bool { state.withLock { $0.sessions.contains(session) } }
  func user(_ id: RegistryID) -> User? { state.withLock { $0.users[id] } }

  func keep(session: RegistryID, epoch: UInt64) {
    state.withLock { state in
      guard state.epoch == epoch, !state.changing else { return }
      if state.sessions.count >= Self.limit { state.sessions = [] }
      state.sessions.insert(session)
    }
  }

  func keep(_ user: User, epoch: UInt64) {
    state.withLock { state in
      guard state.epoch == epoch, !state.changing else { return }
      if state.users.count >= Self.limit { state.users = [:] }
      state.users[user.id] = user
    }
  }

  /// Clears the cache; called before a change to sessions or users is committed.
  func beginChange() {
    state.withLock { state in
      state.sessions = []
      state.users = [:]
      state.changing = true
      state.epoch &+= 1
    }
  }

  /// Allows caching again; called after the commit or its failure.
  func endChange() {
    state.withLock { state in
      guard state.changing else { return }
      state.changing = false
      state.epoch &+= 1
    }
  }
}
