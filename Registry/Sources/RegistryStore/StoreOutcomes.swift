import Content
import RegistryModel

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
