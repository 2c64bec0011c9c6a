import Content
import RegistryModel

/// Stores users, sessions and publications. There is one contract and one conformance suite (`Tests/StoreTests`), so
/// that an embedded file and a database server behave the same.
///
/// Every call is one transaction. When a call has returned, its changes are on disk; if it did not return, they are
/// stored completely or not at all. Times come from the caller. Text is compared by bytes. Errors are `StoreFailure`.
///
/// An owner's changes have strictly increasing times (the caller's clock, else a millisecond after the change before),
/// so that a client which asks for changes since a time misses none. Texts must not contain U+0000; storing such a text
/// fails with an error, and searching for one finds nothing.
public protocol RegistryStore: Sendable {
  // MARK: Content

  /// Carries out an owner's operations in their order; each one succeeds or is refused on its own, all in one
  /// transaction.
  ///
  /// With a claim, the answer that `render` makes of the results is stored in the same transaction. A claim that was
  /// used for the same request returns that answer and does nothing; if it was used for another request, it is refused.
  /// A change of nothing does not change any time either.
  /// A publication that names an original which is not public here is published without the link (`forkedFromID` is nil
  /// in the result), with the name of the original's author: the one in the store, else the request's.
  /// All operations of a user that no longer exists are refused too (`StoreFailure.unknownUser`).
  func apply(
    _ operations: [ContentOperation], by owner: RegistryID, at now: Timestamp, claim: IdempotencyClaim?
  ) async throws -> ApplyOutcome

  /// The stored answer to a claim's request: `replayed` or `keyReused`; nil when its key was not used in the last day.
  /// Changes nothing.
  func answer(to claim: IdempotencyClaim, of owner: RegistryID, at now: Timestamp) async throws -> ApplyOutcome?

  /// An item with its document, by slug; counts a view if requested (the count includes it). Nil when unknown or
  /// unpublished. Views may reach the disk a little later than the answer; nothing else may.
  func content(publicID: String, countingView: Bool) async throws -> SharedContent?
  /// The head of an item, by slug or by id; nil when unknown or unpublished.
  func head(_ name: ContentName) async throws -> PublicationHead?
  /// Counts a fork of an item that may be forked, and returns the new count.
  func countFork(publicID: String) async throws -> ForkOutcome
  /// A page of the public items, newest first, and the beginning of the next one.
  func list(_ query: PublicQuery) async throws -> ContentPage
  /// An owner's items that changed after `since`, including unpublished ones, by time of change.
  func list(ownedBy owner: RegistryID, since: Timestamp?, after: PagePosition?, limit: Int) async throws -> ContentPage
  /// The steps from the original to the item, at most `depth` (the nearest ones); nil when the item is unknown.
  /// Unpublished ancestors are steps too, without their titles. A circle ends where it closes.
  func lineage(_ name: ContentName, depth: Int) async throws -> [ForkStep]?

  // MARK: In memory

  /// An item that is in memory, with one more view; nil when it is not in memory, whether or not it is published. Never
  /// waits for a disk or another thread, so that it may be called on an event loop.
  /// - Parameter isAdmitted: called once when the item is in memory; if it returns false, nothing is counted and the
  ///   result is nil.
  ///   Must not call the store.
  func viewAtHand(publicID: String, if isAdmitted: () -> Bool) -> CachedItem?
  /// The result of `list`, when it is in memory; like `viewAtHand`, never waits.
  func pageAtHand(_ query: PublicQuery) -> ContentPage?

  // MARK: Users and sessions

  /// The user of that Apple id, created if there is none. A username that is taken, or that attributions of a deleted
  /// account still have, gets a number; case in ASCII does not distinguish names.
  func signIn(appleID: String, email: String?, usernameHint: String, at now: Timestamp) async throws -> User
  func user(_ id: RegistryID) async throws -> User?
  /// An account with its profile; nil when unknown. A name is looked up in its exact spelling first, then without
  /// regard to case in ASCII.
  func account(_ name: AccountName) async throws -> Account?
  /// Counts a user's publications; zeros when there are none.
  func stats(of id: RegistryID) async throws -> AuthorStats
  /// Changes an account. A new name immediately becomes the author's name of all items that the user published; times
  /// and digests of items do not change. Nothing is changed when the name is taken, by another account or by remains of
  /// a deleted account, without regard to case in ASCII.
  /// - Throws: `StoreFailure.unknownUser`.
  func change(_ id: RegistryID, _ change: ProfileChange, at now: Timestamp) async throws -> ProfileOutcome
  /// Whether the authors in an item's answers have changed since it was published: its own author's name, or name,
  /// account or slug of its original. Its digest does not reflect this.
  func isRecredited(_ id: RegistryID) async throws -> Bool
  /// Deletes a user with sessions and keys. Publications are erased (slug and lineage are kept; forks by others are
  /// kept with names).
  func deleteUser(_ id: RegistryID, at now: Timestamp) async throws
  /// Begins a session with the SHA-256 of its first refresh token.
  func beginSession(_ session: Session, tokenHash: [UInt8]) async throws
  /// Exchanges a refresh token for the next one. A token that was used before ends its whole session, unless it asks
  /// for the same successor again within `Session.grace`, and that has not been used: then the answer was lost.
  func rotate(
    tokenHash: [UInt8], next: [UInt8], at now: Timestamp, expiresAt: Timestamp
  ) async throws -> RotationOutcome
  /// Ends a session; does nothing when it does not exist.
  func endSession(_ id: RegistryID) async throws
  /// Whether a session was begun and not ended.
  func isLive(session: RegistryID) async throws -> Bool

  // MARK: Operation

  /// Does one cheap read; throws when the store does not work.
  func check() async throws
  /// Drops keys and sessions that ended before `now`.
  func sweep(at now: Timestamp) async throws
  /// Writes pending data and closes; every later call throws `StoreFailure.closed`.
  func close() async throws
}

extension RegistryStore {
  /// Returns nil: nothing is in memory.
  public func viewAtHand(publicID: String, if isAdmitted: () -> Bool) -> CachedItem? { nil }
  /// Returns nil: nothing is in memory.
  public func pageAtHand(_ query: PublicQuery) -> ContentPage? { nil }
}
