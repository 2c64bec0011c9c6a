import Content
import RegistryModel

/// What keeps users, sessions and publications. One contract, one conformance suite (`Tests/StoreTests`), so that an
/// embedded file and a database server behave the same.
///
/// Every call is one transaction. What a call returned is on disk; what it did not return for is wholly there or not at
/// all. Times come from the caller. Text is compared by bytes. Errors are `StoreFailure`.
///
/// An owner's changes have times that strictly increase (the caller's clock, else a millisecond behind the change before),
/// so that a client which asks for what changed since passes over nothing. Texts hold no U+0000; one that does is refused
/// with an error, and finds nothing when it is asked for.
public protocol RegistryStore: Sendable {
  // MARK: Content

  /// Does an owner's operations in their order; each one is done or refused for itself, all in one transaction.
  ///
  /// With a claim, the answer that `render` makes of the results is kept in the same transaction. A claim that was used
  /// for the same request gives back that answer and does nothing; used for another request, it is refused.
  /// A change of nothing changes no time either.
  /// A publication that names an original which is not public here is published without the link (`forkedFromID` is nil
  /// in the result), with the name of who made it: the one that the store knows, else the request's.
  /// Also refused is everything of a user that does not exist any more (`StoreFailure.unknownUser`).
  func apply(
    _ operations: [ContentOperation], by owner: RegistryID, at now: Timestamp, claim: IdempotencyClaim?
  ) async throws -> ApplyOutcome

  /// What a claim's request was answered before: `replayed` or `keyReused`; nil when its key was not used in the last
  /// day. Does nothing else.
  func answer(to claim: IdempotencyClaim, of owner: RegistryID, at now: Timestamp) async throws -> ApplyOutcome?

  /// An item with its document, by slug; counts a view when asked (the count is in the answer). Nil when unknown or
  /// unpublished. Views may reach the disk a little later than they are answered; nothing else may.
  func content(publicID: String, countingView: Bool) async throws -> SharedContent?
  /// What is known of an item, by slug or by id; nil when unknown or unpublished.
  func head(_ name: ContentName) async throws -> ContentHead?
  /// Counts a fork of an item that may be forked, and says the new count.
  func countFork(publicID: String) async throws -> ForkOutcome
  /// A page of what is published, newest first, and where the next one begins.
  func list(_ query: PublicQuery) async throws -> ContentPage
  /// An owner's items, those unpublished included, that changed after `since`, by time of change.
  func list(ownedBy owner: RegistryID, since: Timestamp?, after: PagePosition?, limit: Int) async throws -> ContentPage
  /// The way from the original to the item, at most `depth` steps (the nearest ones); nil when the item is unknown.
  /// Unpublished ancestors are steps, too, without their titles. A circle ends where it closes.
  func lineage(_ name: ContentName, depth: Int) async throws -> [LineageStep]?

  // MARK: At hand

  /// An item that is in memory, with one view more; nil when it is not there, which says nothing about whether it is
  /// published. Never waits for a disk or another thread, so that it may be called on an event loop.
  /// - Parameter isAdmitted: asked once when the item is there; when it says no, nothing is counted and nil comes back.
  ///   Must not call the store.
  func viewAtHand(publicID: String, if isAdmitted: () -> Bool) -> ItemAtHand?
  /// What `list` would answer, when that is in memory; like `viewAtHand`, never waits.
  func pageAtHand(_ query: PublicQuery) -> ContentPage?

  // MARK: Users and sessions

  /// The user of that Apple id, made when there is none. A username that is taken, or that attributions of a
  /// deleted account still carry, gets a number; case in ASCII makes no other name.
  func signIn(appleID: String, email: String?, usernameHint: String, at now: Timestamp) async throws -> User
  func user(_ id: RegistryID) async throws -> User?
  /// An account with its profile; nil when unknown. A name is looked up as it is written, else without regard to case in
  /// ASCII.
  func account(_ name: AccountName) async throws -> Account?
  /// Counts what somebody has published; zeros when there is nothing.
  func stats(of id: RegistryID) async throws -> AuthorStats
  /// Changes an account. A new name is also the author's name of everything that they published, from the same moment
  /// on; times and digests of items stay. Nothing is changed when the name is taken: by another account, or by what a
  /// deleted account left, without regard to case in ASCII.
  /// - Throws: `StoreFailure.unknownUser`.
  func change(_ id: RegistryID, _ change: ProfileChange, at now: Timestamp) async throws -> ProfileOutcome
  /// Whether what an item's answers say of authors has changed since it was published: its own author's name, or name,
  /// account or slug of its original. Its digest does not say so.
  func isRecredited(_ id: RegistryID) async throws -> Bool
  /// Deletes a user with sessions and keys; publications are erased (slug and lineage stay, forks by others stay with
  /// names kept).
  func deleteUser(_ id: RegistryID, at now: Timestamp) async throws
  /// Begins a session with the SHA-256 of its first refresh token.
  func beginSession(_ session: Session, tokenHash: [UInt8]) async throws
  /// Exchanges a refresh token for the next one. A token that was used before ends its whole session, unless it asks for
  /// the same next one again within `Session.grace`, and nobody has used that one: then the answer was lost.
  func rotate(
    tokenHash: [UInt8], next: [UInt8], at now: Timestamp, expiresAt: Timestamp
  ) async throws -> RotationOutcome
  /// Ends a session; nothing happens when there is none.
  func endSession(_ id: RegistryID) async throws
  /// Whether a session was begun and not ended.
  func isLive(session: RegistryID) async throws -> Bool

  // MARK: Operation

  /// Does one cheap read; throws when the store cannot work.
  func check() async throws
  /// Drops keys and sessions that ended before `now`.
  func sweep(at now: Timestamp) async throws
  /// Writes what waits and closes; every call afterwards throws `StoreFailure.closed`.
  func close() async throws
}

extension RegistryStore {
  /// Nothing is in memory.
  public func viewAtHand(publicID: String, if isAdmitted: () -> Bool) -> ItemAtHand? { nil }
  /// Nothing is in memory.
  public func pageAtHand(_ query: PublicQuery) -> ContentPage? { nil }
}
