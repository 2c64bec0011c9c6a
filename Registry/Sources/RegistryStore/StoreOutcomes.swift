import Content
import RegistryModel

/// A client's idempotency key for one request.
public struct IdempotencyClaim: Sendable {
  /// The header's value, 1 to 255 bytes; keys of different users have nothing to do with each other.
  public let key: String
  /// SHA-256 over method, path and body.
  public let fingerprint: [UInt8]
  /// Makes the answer to keep.
  public let render: @Sendable ([OperationResult]) -> StoredAnswer

  /// Makes a claim.
  public init(key: String, fingerprint: [UInt8], render: @escaping @Sendable ([OperationResult]) -> StoredAnswer) {
    self.key = key
    self.fingerprint = fingerprint
    self.render = render
  }
}

/// What `apply` did.
public enum ApplyOutcome: Sendable {
  case done([OperationResult])
  /// The claim's request was answered before: the same answer again.
  case replayed(StoredAnswer)
  /// The claim's key was used for another request.
  case keyReused
}

/// How an item is named.
public enum ContentName: Sendable, Equatable {
  case publicID(String)
  case id(RegistryID)
}

/// How an account is named.
public enum AccountName: Sendable, Equatable {
  case id(RegistryID)
  case username(String)
}

/// What a change of an account did.
public enum ProfileOutcome: Sendable, Equatable {
  case changed(Account)
  /// Somebody else has the name; nothing was changed.
  case usernameTaken
}

/// What `countFork` did.
public enum ForkOutcome: Sendable, Equatable {
  case counted(ContentHead)
  case forbidden
  case notFound
}

/// What `rotate` did.
public enum RotationOutcome: Sendable, Equatable {
  case rotated(Session, User)
  /// No such token, or its time is over.
  case unknown
  /// It was exchanged before, for another one or too long ago: somebody has a copy. Its session has been ended.
  case reused
}

/// Why a store could not do its work.
public enum StoreFailure: Error, Sendable, Equatable {
  case closed
  /// The account was deleted while its token was still good.
  case unknownUser
  /// Another registry has the store open, or the database is busy for too long.
  case busy(String)
  /// The disk is full, the file is damaged, the server is away.
  case unavailable(String)
}
