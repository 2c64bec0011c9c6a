import Foundation
import Interchange

/// The paths of the two files of a new key: the secret key and the public key.
public struct MinisignKeyPair: Sendable {
  /// The path of the secret key's file.
  public let secret: String
  /// The path of the public key's file.
  public let `public`: String

  /// Sets the paths of both files.
  public init(secret: String, public: String) {
    self.secret = secret
    self.public = `public`
  }

  /// Derives the paths from a name: `NAME.key` and `NAME.pub`, or `minisign.key` and `minisign.pub` in a folder.
  public init(named name: String) {
    var status = stat()
    let isFolder = stat(name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    var stem = name
    if name.utf8.last == UInt8(ascii: "/") {
      stem = name + "minisign"
    } else if isFolder {
      stem = name + "/minisign"
    } else if name.hasSuffix(".key") || name.hasSuffix(".pub") {
      stem = String(name.dropLast(4))
    }
    self.init(secret: stem + ".key", public: stem + ".pub")
  }

  /// Makes a key and writes both files. Afterwards, either both files exist or neither does.
  /// - Parameter password: protects the secret key; nil leaves it unencrypted.
  /// - Returns: the public key.
  /// - Throws: `RunFailure` with status 4 if one of the files already exists, 2 if the files cannot be written.
  public func generate(password: [UInt8]?) throws -> MinisignKey {
    for path in [secret, `public`] where access(path, F_OK) == 0 {
      throw RunFailure(
        .refused, "make a key: '\(path)' already exists",
        advice: "Choose another name. A lost secret key cannot be recovered, so keys are never overwritten.")
    }
    let key = MinisignSecretKey()
    try key.write(to: secret, password: password)
    do {
      try key.publicKey.write(to: `public`)
    } catch {
      unlink(secret)
      throw error
    }
    return key.publicKey
  }
}
