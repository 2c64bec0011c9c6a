import Content
import RegistryModel

/// Stores users, sessions and publications. There is one contract and one conformance suite (`Tests/StoreTests`), so
/// that an embedded file and a database server behave the same way.
///
/// Every call is one transaction. When a call has returned, its changes are on disk; if it did not return, they are
/// stored completely or not at all. Callers provide the times. Strings are compared by bytes. Errors are
/// `StoreFailure`.
///
/// An owner's changes have strictly increasing times (the caller's clock, or else a millisecond after the previous
/// change), so that a client that asks for changes since a time misses none. Strings must not contain U+0000; storing
/// such a string fails with an error, and searching for one finds nothing.
public protocol RegistryStore: Sendable {
  // MARK: Content

  /// Carries out an owner's operations in their order. Each one succeeds or is refused on its own; all of them are in
  /// one transaction.
  ///
  /// With a claim, the answer that `render` makes from the results is stored in the same transaction. If the claim's
  /// key was used for the same request, the stored answer is returned and nothing is done; if it was used for another
  /// request, the claim is refused. An empty change leaves all times unchanged. If a publication names an original that
  /// is not public here, it is published without the link (`forkedFromID` is nil in the result), with the original
  /// author's name from the store, or else from the request. If the user no longer exists, all operations are refused
  /// (`StoreFailure.unknownUser`).
  func apply(
    _ operations: [ContentOperation], by owner: RegistryID, at now: Timestamp, claim: IdempotencyClaim?
  ) async throws -> ApplyOutcome

  /// Returns the stored answer to a claim's request: `replayed` or `keyReused`; nil if its key was not used in the
  /// last day. Changes nothing.
  func answer(to claim: IdempotencyClaim, of owner: RegistryID, at now: Timestamp) async throws -> ApplyOutcome?

  /// Returns an item with its document, by slug; nil if it is unknown or unpublished. Counts a view if requested; the
  /// returned count includes it. Views may reach the disk a little later than the answer; no other change may.
  func content(publicID: String, countingView: Bool) async throws -> SharedContent?
  /// Returns the head of an item, by slug or by id; nil if the item is unknown or unpublished.
  func head(_ name: ContentName) async throws -> PublicationHead?
  /// Counts a fork of an item that may be forked, and returns the new count.
  func countFork(publicID: String) async throws -> ForkOutcome
  /// Returns a page of the public items, and the beginning of the next page.
  func list(_ query: PublicQuery) async throws -> ContentPage
  /// Returns an owner's items that changed after `since`, including unpublished ones, ordered by the time of their last
  /// change.
  func list(ownedBy owner: RegistryID, since: Timestamp?, after: PagePosition?, limit: Int) async throws -> ContentPage
  /// Returns the steps from the original to the item, at most `depth` (the nearest ones); nil if the item is unknown.
  /// Unpublished ancestors are steps too, without their titles. A cycle ends where it closes.
  func lineage(_ name: ContentName, depth: Int) async throws -> [ForkStep]?

  // MARK: Users and sessions

  /// Returns the user with an Apple id, and creates one if there is none. A number is added to a username that is
  /// taken, or that credits of a deleted account still contain; names are compared without regard to ASCII case.
  func signIn(appleID: String, email: String?, usernameHint: String, at now: Timestamp) async throws -> User
  func user(_ id: RegistryID) async throws -> User?
  /// Returns an account with its profile; nil if it is unknown. A name is looked up in its exact spelling first, then
  /// without regard to ASCII case.
  func account(_ name: AccountName) async throws -> Account?
  /// Returns the counts of a user's publications; zeros if there are no publications.
  func stats(of id: RegistryID) async throws -> AuthorStats
  /// Changes an account. A new name immediately becomes the author name on all items that the user published; the
  /// items' times and digests do not change. Nothing is changed if another account has the name, or if credits of a
  /// deleted account contain it. Names are compared without regard to ASCII case.
  /// - Throws: `StoreFailure.unknownUser`.
  func change(_ id: RegistryID, _ change: ProfileChange, at now: Timestamp) async throws -> ProfileOutcome
  /// Whether the credits in an item's answers have changed since it was published: its own author's name, or the name,
  /// account or slug of its original. Its digest does not reflect these changes.
  func isRecredited(_ id: RegistryID) async throws -> Bool
  /// Deletes a user with all sessions and keys. The user's publications are erased; only their slugs and lineage are
  /// kept. Other users' forks keep the names.
  func deleteUser(_ id: RegistryID, at now: Timestamp) async throws
  /// Begins a session with the SHA-256 of its first refresh token.
  func beginSession(_ session: Session, tokenHash: [UInt8]) async throws
  /// Exchanges a refresh token for the next one. A token that was used before ends its whole session. The exception is
  /// a request for the same successor within `Session.grace`, if that successor has not been used: the first answer was
  /// then lost.
  func rotate(
    tokenHash: [UInt8], next: [UInt8], at now: Timestamp, expiresAt: Timestamp
  ) async throws -> RotationOutcome
  /// Ends a session; does nothing when the session does not exist.
  func endSession(_ id: RegistryID) async throws
  /// Whether a session of an existing user was begun and has not ended.
  func isLive(session: RegistryID, of user: RegistryID) async throws -> Bool

  // MARK: Limits

  /// Changes a list of numbers that all processes of a registry share, such as the requests of one caller; returns
  /// false, and does nothing, if only one process uses the store. Lists that were not changed for an hour are dropped;
  /// if the key begins with `day `, for a day.
  /// - Parameters:
  ///   - key: the name of the list, which must not contain personal data.
  ///   - change: returns the new list; the list is empty at first. It may run several times.
  func changeShared(_ key: String, _ change: @escaping @Sendable ([Int64]) -> [Int64]) async throws -> Bool

  // MARK: Operation

  /// Does one cheap read; throws when the store does not work.
  func check() async throws
  /// Drops keys and sessions that ended before `now`.
  func sweep(at now: Timestamp) async throws
  /// Writes pending data and closes; every later call throws `StoreFailure.closed`.
  func close() async throws
}

extension RegistryStore {
  /// Returns false: one process uses the store.
  public func changeShared(_ key: String, _ change: @escaping @Sendable ([Int64]) -> [Int64]) async throws -> Bool {
    false
  }
}

/// How the reads of a task choose among a database and its replicas.
public enum StoreReads {
  /// Whether reads must see all changes that were acknowledged before: an owner reads the own changes. Other readers may
  /// get the state of a moment ago.
  @TaskLocal public static var areCurrent = false
}

/// A client's idempotency key for one request.
public struct IdempotencyClaim: Sendable {
  /// The header's value, 1 to 255 bytes; keys of different users are independent.
  public let key: String
  /// The SHA-256 of the method, path, conditions and body.
  public let fingerprint: [UInt8]
  /// Makes the answer that is stored.
  public let render: @Sendable ([OperationResult]) -> StoredAnswer

  /// Makes a claim.
  public init(key: String, fingerprint: [UInt8], render: @escaping @Sendable ([OperationResult]) -> StoredAnswer) {
    self.key = key
    self.fingerprint = fingerprint
    self.render = render
  }
}

/// The result of `apply`.
public enum ApplyOutcome: Sendable {
  case done([OperationResult])
  /// The claim's request was answered before; the value is the stored answer.
  case replayed(StoredAnswer)
  /// The claim's key was used for another request.
  case keyReused
}

/// The name of an item in a request.
public enum ContentName: Sendable, Equatable {
  case publicID(String)
  case id(RegistryID)
}

/// The name of an account in a request.
public enum AccountName: Sendable, Equatable {
  case id(RegistryID)
  case username(String)
}

/// The result of a change to an account.
public enum ProfileOutcome: Sendable, Equatable {
  case changed(Account)
  /// Another account has the name; nothing was changed.
  case usernameTaken
}

/// The result of `countFork`.
public enum ForkOutcome: Sendable, Equatable {
  case counted(PublicationHead)
  case forbidden
  case notFound
}

/// The result of `rotate`.
public enum RotationOutcome: Sendable, Equatable {
  case rotated(Session, User)
  /// There is no such token, or the token has expired.
  case unknown
  /// The token was exchanged before, for another successor or too long ago, so it has been copied. Its session has been
  /// ended.
  case reused
}

/// The reason why a store failed.
public enum StoreFailure: Error, Sendable, Equatable {
  case closed
  /// The account was deleted while its token was still valid.
  case unknownUser
  /// Another registry has the store open, or the database was busy for too long.
  case busy(String)
  /// The disk is full, the file is damaged, or the server is unreachable.
  case unavailable(String)
}
