import Interchange

/// The address of a registry, `https://sail.example.org`, without `/api/v1`; also used for the endpoint of another
/// service.
public struct RegistryAddress: Sendable, Hashable, CustomStringConvertible {
  /// The purpose of an address, which refusals name.
  public enum Use: Sendable {
    /// A registry, `https://sail.example.org`.
    case registry
    /// DynamoDB, `https://dynamodb.us-west-2.amazonaws.com`.
    case dynamoDB

    fileprivate var name: String { self == .registry ? "a registry" : "a DynamoDB endpoint" }
    fileprivate var possessive: String { self == .registry ? "the registry's address" : "the endpoint" }
    fileprivate var example: String {
      self == .registry
        ? "Write it like https://sail.example.org." : "Write it like https://dynamodb.us-west-2.amazonaws.com."
    }
    fileprivate var credentials: String {
      self == .registry
        ? "Leave them out: 'fleetkit login' signs in, and --token-file holds a token."
        : "Leave them out: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY sign requests."
    }
    fileprivate var plainHTTP: String {
      self == .registry
        ? "Write https://, or add --insecure-http if there is no https."
        : "Write https://. Only an endpoint on this machine may have http://."
    }
  }

  /// The normalised address, under which a library records its registry: lower case, no default port, no slash at the
  /// end, no `/api/v1`.
  public let text: String
  /// Whether the address belongs to this machine, which is reached directly and does not need encryption.
  public let isLoopback: Bool

  /// The normalised address.
  public var description: String { text }

  /// Returns the address of a path below `/api/v1`.
  func url(_ path: String) -> String { text + "/api/v1" + path }

  /// Parses an address.
  /// - Parameters:
  ///   - allowsPlainHTTP: whether http is acceptable for machines other than this one; anybody on the network path can
  ///     then read the session's token.
  ///   - use: the purpose of the address.
  /// - Throws: `RunFailure` with status 64 and a description of the problem.
  public init(_ written: String, allowsPlainHTTP: Bool = false, for use: Use = .registry) throws(RunFailure) {
    let refuse = { (why: String, advice: String?) in
      // A password must not appear in a log.
      let shown = written.contains("@") ? use.possessive : "'\(written)'"
      return RunFailure(
        .usage, "use \(shown) as \(use.name): \(why)", advice: advice ?? use.example)
    }
    guard written.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else {
      throw refuse("it contains characters that are not allowed in an address", nil)
    }
    guard let mark = written.firstRange(of: "://") else { throw refuse("it does not begin with https://", nil) }
    let scheme = written[..<mark.lowerBound].lowercased()
    guard scheme == "https" || scheme == "http" else { throw refuse("it does not begin with https://", nil) }
    let rest = written[mark.upperBound...]
    guard !rest.contains(where: { "?#".contains($0) }) else { throw refuse("it has a query or a fragment", nil) }
    let authority = rest.prefix { $0 != "/" }
    guard !authority.contains("@") else {
      throw refuse(
        "it contains a user name or a password", use.credentials)
    }
    guard let place = Self.place(String(authority).lowercased()) else {
      throw refuse("it has no host, or an invalid port", nil)
    }
    isLoopback = Self.isLoopback(place.host)
    guard scheme == "https" || isLoopback || allowsPlainHTTP else {
      throw refuse(
        "without https, anybody on the network path can read what is sent", use.plainHTTP)
    }
    guard let path = Self.path(rest.dropFirst(authority.count)) else { throw refuse("its path is not allowed", nil) }
    let usual = scheme == "https" ? 443 : 80
    let port = place.port.flatMap { $0 == usual ? nil : ":\($0)" } ?? ""
    text = "\(scheme)://\(place.host)\(port)\(path)"
  }

  /// Returns the host, in brackets if it is an IPv6 address, and the port; nil if there is no host or the port is
  /// invalid.
  private static func place(_ authority: String) -> (host: String, port: Int?)? {
    var host = authority
    var port: Int?
    let last = authority.hasPrefix("[") ? authority.firstIndex(of: "]") : nil
    if let colon = (last.map { authority[$0...] } ?? authority[...]).firstIndex(of: ":") {
      let digits = authority[authority.index(after: colon)...]
      guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits),
        (1...65_535).contains(number)
      else { return nil }
      port = number
      host = String(authority[..<colon])
    }
    if host.hasPrefix("[") {
      let inside = host.dropFirst().dropLast()
      guard host.hasSuffix("]"), inside.contains(":"), inside.utf8.allSatisfy({ isHex($0) || $0 == 0x3A || $0 == 0x2E })
      else { return nil }
      return (host, port)
    }
    if host.hasSuffix(".") { host.removeLast() }
    let isName = host.utf8.allSatisfy { byte in
      (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
    }
    return host.isEmpty || !isName ? nil : (host, port)
  }

  private static func isHex(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) }

  /// Whether a host is 127.0.0.0/8 in its plain spelling, ::1 or localhost, and not a name that a name server could
  /// resolve to another machine.
  private static func isLoopback(_ host: String) -> Bool {
    if ["localhost", "[::1]", "[0:0:0:0:0:0:0:1]"].contains(host) { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0] == "127" else { return false }
    return parts.allSatisfy { part in UInt8(part).map { String($0) == part } ?? false }
  }

  /// Returns a path without `/api/v1` and trailing slashes; nil if the path would escape from its base.
  private static func path(_ written: Substring) -> String? {
    var steps = written.split(separator: "/", omittingEmptySubsequences: true)
    if steps.suffix(2) == ["api", "v1"] { steps.removeLast(2) }
    let isPlain = steps.allSatisfy { step in
      step != "." && step != ".."
        && step.utf8.allSatisfy { byte in
          (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
            || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
        }
    }
    return isPlain ? steps.map { "/" + $0 }.joined() : nil
  }
}
