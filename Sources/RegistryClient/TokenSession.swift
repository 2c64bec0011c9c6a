import Content
import Foundation
import Interchange
import Synchronization

/// A user's session with a registry. It supplies the access token and renews it when it expires.
///
/// A session can be used from any number of threads. Of the threads whose token is rejected, one renews it and the
/// others wait. A refresh token is valid only once, and a second use ends its session; other processes are therefore
/// kept out during a renewal, and new tokens are on disk before they are used. If the answer to a renewal is lost, the
/// renewal is requested again: a registry repeats its answer for a minute.
package final class TokenSession: Sendable {
  private let link: RegistryLink
  private let store: any TokenStore
  private let current: Mutex<SessionTokens>
  /// The lock that is held during a renewal. It is separate from `current`, so that the other threads continue with a
  /// token that is still valid.
  private let renewal = Mutex<RegistryError?>(nil)

  /// How long before its expiry a token is renewed, in milliseconds.
  private static let margin: Int64 = 20_000

  /// Creates a session from a store's tokens.
  package init(_ tokens: SessionTokens, _ link: RegistryLink, _ store: any TokenStore) {
    self.link = link
    self.store = store
    current = Mutex(tokens)
  }

  /// The user of the session, if known.
  package var user: RegistryUser? { current.withLock { $0.user } }

  /// Records the user of the session, with the data that the registry gave.
  func know(_ user: RegistryUser) { current.withLock { $0.user = user } }

  /// Returns the access token, after renewing it if it is about to expire.
  func token() throws(RegistryError) -> String {
    let tokens = current.withLock { $0 }
    guard tokens.refresh != nil, let end = tokens.expiresAt, Self.isOver(end) else { return tokens.access }
    return try renewed(after: tokens.access)
  }

  /// Returns a new token in place of a rejected one.
  func renewed(after stale: String) throws(RegistryError) -> String {
    let result = renewal.withLock { ended -> Result<String, RegistryError> in
      // Another thread may have renewed the token while this one waited.
      let tokens = current.withLock { $0 }
      if tokens.access != stale { return .success(tokens.access) }
      if let known = ended {
        // The user may have signed in again; a `--watch` run then continues.
        guard (try? store.read()).flatMap({ $0 })?.access != stale else { return .failure(known) }
        ended = nil
      }
      do {
        return .success(try store.exclusively { try renew(after: stale) })
      } catch let error as RegistryError {
        // After a session has ended, threads do not try to renew it again.
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
      throw RegistryError.signInNeeded("the session with \(link.address) was ended in the meantime")
    }
    try check(kept)
    // Another process has already renewed the token.
    if kept.access != stale, kept.expiresAt.map({ !Self.isOver($0) }) ?? true {
      current.withLock { $0 = kept }
      return kept.access
    }
    guard let refresh = kept.refresh else {
      throw RegistryError.signInNeeded("\(link.address) no longer accepts the token, and there is no refresh token")
    }
    let write = try store.prepare()
    var next = try exchange(refresh)
    try check(next)
    next.user = next.user ?? kept.user
    next.refresh = next.refresh ?? refresh
    // Without room on disk, the run continues with the tokens in memory, and the user has to sign in for the next run.
    try? write(next)
    current.withLock { $0 = next }
    return next.access
  }

  /// Checks that a run that one user began does not continue as another user.
  private func check(_ tokens: SessionTokens) throws(RegistryError) {
    guard let mine = user?.id, let theirs = tokens.user?.id, mine != theirs else { return }
    throw .signInNeeded("another user signed in to \(link.address) in the meantime")
  }

  /// The waits before a renewal is requested again, in seconds.
  private static let waits = [0.2, 1, 2]

  /// How long to keep requesting a renewal, in seconds: a registry repeats its answer for a minute.
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
      // The registry may have renewed the session. The tokens are left unchanged: the next run requests the renewal
      // once more.
      guard let seconds = waits.popFirst(), end > .now, !link.isStopped, Self.rest(seconds) else {
        throw .unreachable("the session could not be renewed, because the answer was lost: \(words)")
      }
    }
  }

  /// Waits; returns false if the user wants to stop.
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
