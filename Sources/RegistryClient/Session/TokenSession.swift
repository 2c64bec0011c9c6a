import Content
import Foundation
import Interchange
import Synchronization

/// Somebody's session with a registry: lends the access token and renews it when it ends.
///
/// Any number of threads may ask; of those whose token is no longer taken, one renews and the others wait for it. A
/// refresh token is good once, and used twice it ends its session: so other processes are kept out while one renews,
/// and new tokens are on disk before anybody uses them. Where the answer to a renewal is lost, it is asked for again: a
/// registry gives the same answer for a minute.
package final class TokenSession: Sendable {
  private let link: RegistryLink
  private let store: any TokenStore
  private let current: Mutex<SessionTokens>
  /// Held while one renews. Apart from `current`, so that the other threads go on with a token that is still good.
  private let renewal = Mutex<RegistryError?>(nil)

  /// How long before its end a token is renewed, in milliseconds.
  private static let margin: Int64 = 20_000

  /// Makes a session of tokens that a store has.
  package init(_ tokens: SessionTokens, _ link: RegistryLink, _ store: any TokenStore) {
    self.link = link
    self.store = store
    current = Mutex(tokens)
  }

  /// Whose it is, if that is known.
  package var user: RegistryUser? { current.withLock { $0.user } }

  /// Remembers whose it is, as the registry said it.
  func know(_ user: RegistryUser) { current.withLock { $0.user = user } }

  /// The access token, renewed before when it is about to end.
  func token() throws(RegistryError) -> String {
    let tokens = current.withLock { $0 }
    guard tokens.refresh != nil, let end = tokens.expiresAt, Self.isOver(end) else { return tokens.access }
    return try renewed(after: tokens.access)
  }

  /// A token in place of one that is no longer taken.
  func renewed(after stale: String) throws(RegistryError) -> String {
    let result = renewal.withLock { ended -> Result<String, RegistryError> in
      // Somebody else renewed while this thread waited.
      let tokens = current.withLock { $0 }
      if tokens.access != stale { return .success(tokens.access) }
      if let known = ended {
        // Somebody may have signed in again; a watching run goes on then.
        guard (try? store.read()).flatMap({ $0 })?.access != stale else { return .failure(known) }
        ended = nil
      }
      do {
        return .success(try store.exclusively { try renew(after: stale) })
      } catch let error as RegistryError {
        // A session that has ended is not asked about again by every thread.
        if case .signInNeeded = error { ended = error }
        return .failure(error)
      } catch {
        return .failure(.signInNeeded("the session with \(link.address) cannot be renewed: \(Self.words(error))"))
      }
    }
    return try result.get()
  }

  private func renew(after stale: String) throws -> String {
    guard let kept = try store.read() else {
      throw RegistryError.signInNeeded("the session with \(link.address) was ended meanwhile")
    }
    try check(kept)
    // Another process was here first.
    if kept.access != stale, kept.expiresAt.map({ !Self.isOver($0) }) ?? true {
      current.withLock { $0 = kept }
      return kept.access
    }
    guard let refresh = kept.refresh else {
      throw RegistryError.signInNeeded("\(link.address) no longer takes the token, and there is none to renew it with")
    }
    let keep = try store.prepare()
    var next = try exchange(refresh)
    try check(next)
    next.user = next.user ?? kept.user
    next.refresh = next.refresh ?? refresh
    // Without room on disk the run goes on with what it has; the next run has to sign in.
    try? keep(next)
    current.withLock { $0 = next }
    return next.access
  }

  /// What is under way was begun by one person, and is not gone on with by another.
  private func check(_ tokens: SessionTokens) throws(RegistryError) {
    guard let mine = user?.id, let theirs = tokens.user?.id, mine != theirs else { return }
    throw .signInNeeded("somebody else signed in to \(link.address) meanwhile")
  }

  /// How long to wait before a renewal is asked for again, in seconds.
  private static let waits = [0.2, 1, 2]

  /// For how long a renewal is asked for again, in seconds: a registry repeats its answer for a minute.
  private static let patience = 45.0

  private func exchange(_ refresh: String) throws(RegistryError) -> SessionTokens {
    var waits = Self.waits[...]
    let end = ContinuousClock.now.advanced(by: .seconds(Self.patience))
    while true {
      let words: String
      do {
        return try link.renew(refresh)
      } catch {
        switch error {
        case .refused(let refusal) where refusal.status >= 500 && refusal.retryAfter == nil: words = refusal.detail
        case .refused(let refusal)
        where (400...499).contains(refusal.status) && ![408, 425, 429].contains(refusal.status):
          throw .signInNeeded("the session with \(link.address) has ended: \(refusal.reason)")
        case .timedOut(let lost), .broken(let lost), .unreadable(let lost): words = lost
        default: throw error
        }
      }
      // The registry may have done it. The tokens stay as they are: the next run asks once more.
      guard let seconds = waits.popFirst(), end > .now, !link.isStopped, Self.rest(seconds) else {
        throw .unreachable("the session could not be renewed, its answer was lost: \(words)")
      }
    }
  }

  /// Waits; false when the user wants to stop.
  private static func rest(_ seconds: Double) -> Bool {
    let until = ContinuousClock.now.advanced(by: .seconds(seconds))
    while until > .now, !Interruption.isRequested { usleep(20_000) }
    return !Interruption.isRequested
  }

  private static func isOver(_ end: Timestamp) -> Bool {
    end.milliseconds - margin <= RegistryLink.now.milliseconds
  }

  private static func words(_ error: any Error) -> String { (error as? RunFailure)?.message ?? "\(error)" }
}
