import Foundation
import Interchange

/// The settings for reaching a registry: its address, time limits, and the source of tokens.
public struct RegistryConnection: Sendable {
  /// The address of the registry.
  public var address: RegistryAddress
  /// A file with an access token, or with `access_token` and `refresh_token` as JSON; nil for the tokens in the
  /// environment or the session that `login` stored.
  public var tokenFile: String?
  /// Whether the user named the registry. A library may also name a registry, but anybody may have made the library:
  /// tokens from a file or the environment are not sent to that registry unless the user has signed in to it.
  public var isNamedByUser: Bool
  /// The time limit for a small request, in seconds; each 16 KiB sent adds a second.
  public var timeout: Double
  /// The environment variables: tokens, settings folders, trusted certificates.
  public var environment: [String: String]

  /// Creates an instance from its members.
  public init(
    _ address: RegistryAddress, isNamedByUser: Bool = true, tokenFile: String? = nil, timeout: Double = 30,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.address = address
    self.isNamedByUser = isNamedByUser
    self.tokenFile = tokenFile
    self.timeout = timeout
    self.environment = environment
  }

  /// Returns a client for the signed-in user. If no user is signed in, only the calls that need no session work.
  /// - Throws: `RunFailure` with status 64 if libcurl is missing or the tokens cannot be used.
  public func client() throws -> RegistryClient {
    let link = try link()
    if let withheld = try withheldTokens() { return RegistryClient(link, session: nil, withheld: withheld) }
    let store = try store()
    let session = try store.read().map { TokenSession($0, link, store) }
    return RegistryClient(link, session: session)
  }

  /// Returns the user who is signed in on this device, at any registry; nil if there is no such user or more than one.
  public static func onlyUser(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> RegistryUser? {
    CredentialsFile.onlyUser(environment: environment)
  }

  /// Returns the tokens that would be sent; nil if there are none for this registry.
  package func tokens() throws -> SessionTokens? { try withheldTokens() == nil ? store().read() : nil }

  /// Returns the link to the registry, without tokens.
  package func link() throws(RunFailure) -> RegistryLink {
    let authorities = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    let transport = try HTTPTransport(
      limits: HTTPLimits(total: timeout), userAgent: "fleetkit/\(Self.version)", authorities: authorities)
    return RegistryLink(address, transport)
  }

  /// Returns the token store: the given file, the environment, or the credentials that `login` stored.
  /// - Throws: `RunFailure`: 77 if the tokens are not for this registry, 64 if they cannot be used.
  package func store() throws -> any TokenStore {
    if let withheld = try withheldTokens() {
      throw RunFailure(
        .signInNeeded, "sign in to \(address): \(withheld)", advice: RegistryRefusal.signIn(to: address.text))
    }
    if let tokenFile { return try TokenFile.open(tokenFile) }
    if let token = environment[Self.tokenVariable], !token.isEmpty {
      let refresh = environment[Self.refreshVariable].flatMap { $0.isEmpty ? nil : $0 }
      let tokens = SessionTokens(access: token, refresh: refresh)
      guard tokens.isSendable else {
        throw RunFailure(
          .usage, "use \(Self.tokenVariable): it has invalid characters", advice: "Set it to an access token.")
      }
      return EphemeralTokenStore(tokens, name: Self.tokenVariable)
    }
    return try CredentialsFile(environment: environment, registry: address)
  }

  /// Returns why tokens from a file or the environment are not sent to this registry; nil if they may be sent, or
  /// there are none.
  private func withheldTokens() throws -> String? {
    let hasVariable = environment[Self.tokenVariable].map { !$0.isEmpty } ?? false
    guard !isNamedByUser, tokenFile != nil || hasVariable else { return nil }
    // A registry that the user has signed in to is trusted.
    let credentials = try? CredentialsFile(environment: environment, registry: address)
    if try credentials?.read() != nil { return nil }
    let source = tokenFile == nil ? Self.tokenVariable : "--token-file"
    return "only the library names this registry, so the token from \(source) was not sent; add --registry \(address) "
      + "to send it there"
  }

  /// The environment variable with an access token.
  package static let tokenVariable = "FLEETKIT_TOKEN"
  /// The environment variable with the refresh token for that access token.
  package static let refreshVariable = "FLEETKIT_REFRESH_TOKEN"

  /// The program's version in the user agent of requests.
  package static let version = "0.1.0"
}
