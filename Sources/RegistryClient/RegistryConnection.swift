import Foundation
import Interchange

/// How a registry is reached: its address, time limits, and where tokens come from.
public struct RegistryConnection: Sendable {
  /// Where the registry is.
  public var address: RegistryAddress
  /// A file with an access token, or with `access_token` and `refresh_token` as JSON; nil for the environment or what
  /// `login` kept.
  public var tokenFile: String?
  /// Seconds for a small request; what is sent adds a second for every 16 KiB.
  public var timeout: Double
  /// The variables that count: tokens, where files are, whose certificates are trusted.
  public var environment: [String: String]

  /// Makes it of its parts.
  public init(
    _ address: RegistryAddress, tokenFile: String? = nil, timeout: Double = 30,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.address = address
    self.tokenFile = tokenFile
    self.timeout = timeout
    self.environment = environment
  }

  /// A client in the name of whoever is signed in; the calls that anybody may make work without one, too.
  /// - Throws: `RunFailure` with status 64 when libcurl is missing or the tokens cannot be used.
  public func client() throws -> RegistryClient {
    let link = try link()
    let store = try store()
    let session = try store.read().map { TokenSession($0, link, store) }
    return RegistryClient(link, session: session)
  }

  /// The way to the registry, without anybody's tokens.
  package func link() throws(RunFailure) -> RegistryLink {
    let authorities = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    let transport = try HTTPTransport(
      limits: HTTPLimits(total: timeout), userAgent: "fleetkit/\(Self.version)", authorities: authorities)
    return RegistryLink(address, transport)
  }

  /// Where the tokens are: the file that is named, the environment, or what `login` kept.
  package func store() throws -> any TokenStore {
    if let tokenFile { return try TokenFile.open(tokenFile) }
    if let token = environment[Self.tokenVariable], !token.isEmpty {
      let refresh = environment[Self.refreshVariable].flatMap { $0.isEmpty ? nil : $0 }
      let tokens = SessionTokens(access: token, refresh: refresh)
      guard tokens.isSendable else {
        throw RunFailure(
          .usage, "use \(Self.tokenVariable): it has characters of no token", advice: "Set it to an access token.")
      }
      return PassingTokens(tokens, name: Self.tokenVariable)
    }
    return try CredentialsFile(environment: environment, registry: address)
  }

  /// The variable that holds an access token.
  package static let tokenVariable = "FLEETKIT_TOKEN"
  /// The variable that holds the refresh token that belongs to it.
  package static let refreshVariable = "FLEETKIT_REFRESH_TOKEN"

  /// What requests say of the program.
  static let version = "0.1.0"
}
