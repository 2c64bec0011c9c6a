/// A public key as minisign writes it: two bytes of algorithm, eight of key id, thirty-two of Ed25519.
public struct MinisignKey: Sendable, Hashable {
  /// The key's number as minisign shows it: sixteen hexadecimal digits in upper case.
  public let id: String
  /// The 42 bytes of the file's second line.
  public let bytes: [UInt8]

  init(id: String, bytes: [UInt8]) {
    self.id = id
    self.bytes = bytes
  }
}
