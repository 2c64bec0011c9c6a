import Diagnostics
import Foundation
import Logging
import RegistryAPI
import SignIn

/// The checked settings of a run, from the options and the environment.
struct ServerPlan {
  var host: String
  var port: Int
  var database: DatabaseAddress
  /// The number of connections to a PostgreSQL server.
  var connections: Int
  /// The addresses of replicas for public reads.
  var replicas: [String] = []
  var keys: SigningKeys
  /// Whether the key was generated for this run: all tokens become invalid when the run ends.
  var isKeyRandom = false
  var appleKeys: KeySource
  var tokens = TokenSettings()
  var settings = RegistrySettings()
  var logLevel: Logger.Level
  /// Whether the pages are opened in a browser.
  var opensBrowser: Bool

  /// - Throws: `StartFailure` with status 64.
  init(_ options: ServerOptions, environment: [String: String]) throws(StartFailure) {
    func value(_ name: String) -> String? {
      let text = environment[name]?.trimmingCharacters(in: .whitespacesAndNewlines)
      return text?.isEmpty == false ? text : nil
    }
    host = try Self.host(options)
    let usual = try Int(Self.number(value("PORT"), 0...65535, 8080, "PORT"))
    port = options.port ?? usual
    guard (0...65535).contains(port) else {
      throw .usage("there is no port \(port)", "Give a port from 1 to 65535, or 0 for any free port.")
    }
    database = try DatabaseAddress(options.database ?? value("DATABASE_URL"))
    connections = options.databaseConnections
    guard (2...1000).contains(connections) else {
      throw .usage("--database-connections must be between 2 and 1000", "16 is the default.")
    }
    replicas = try Self.replicas(value("DATABASE_REPLICA_URLS"), of: database)
    (keys, isKeyRandom) = try Self.keys(options, value("JWT_SECRET_KEY"))

    let source = options.appleJWKS ?? value("APPLE_JWKS")
    guard let appleKeys = source.map({ KeySource($0) }) ?? .apple else {
      throw .usage("Apple's keys cannot come from '\(source ?? "")'", "Give an https address or a file.")
    }
    try Self.checkFile(appleKeys)
    self.appleKeys = appleKeys
    tokens.appleClientIDs =
      options.appleClientID.isEmpty ? Self.list(value("APPLE_CLIENT_ID")) : options.appleClientID
    tokens.accessLifetime =
      60
      * (try Self.number(
        value("JWT_ACCESS_TOKEN_EXPIRE_MINUTES"), 1...1440, 15,
        "JWT_ACCESS_TOKEN_EXPIRE_MINUTES"))
    tokens.refreshLifetime =
      86400
      * (try Self.number(
        value("JWT_REFRESH_TOKEN_EXPIRE_DAYS"), 1...365, 7,
        "JWT_REFRESH_TOKEN_EXPIRE_DAYS"))

    settings.isDevelopment = options.dev
    settings.limitsRates =
      options.noRateLimit ? false : try Self.truth(value("RATE_LIMIT_ENABLED"), true, "RATE_LIMIT_ENABLED")
    guard options.requestsPerMinute > 0 else {
      throw .usage("--requests-per-minute must be at least 1", "Use --no-rate-limit to turn limits off.")
    }
    settings.limits.general = RateLimit(options.requestsPerMinute, per: 60)
    settings.trustsProxy = options.trustProxy
    settings.corsOrigins = try Self.origins(
      options.corsOrigin.isEmpty ? Self.list(value("CORS_ORIGINS")) : options.corsOrigin)
    guard (1024...(64 << 20)).contains(options.maxBody) else {
      throw .usage("--max-body must be between 1024 and \(64 << 20) bytes", "1048576 is the default.")
    }
    settings.bodyLimit = options.maxBody
    settings.batchBodyLimit = 16 * options.maxBody
    settings.publicURL = try Self.publicURL(options.publicURL)
    guard let level = Logger.Level(rawValue: options.logLevel.lowercased()) else {
      throw .usage("there is no log level '\(options.logLevel)'", "Use debug, info, warning or error.")
    }
    logLevel = level
    opensBrowser = options.open
  }
}

extension ServerPlan {
  /// Reads addresses that are separated by spaces, or by commas: an address itself may name several hosts with commas.
  private static func replicas(_ text: String?, of database: DatabaseAddress) throws(StartFailure) -> [String] {
    guard let text else { return [] }
    guard case .server = database else {
      throw .usage("DATABASE_REPLICA_URLS needs a PostgreSQL database", "Leave it out with a SQLite file.")
    }
    var addresses: [String] = []
    for part in text.split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init) {
      if part.hasPrefix("postgres") {
        addresses.append(part)
      } else if let last = addresses.indices.last {
        addresses[last] += "," + part
      } else {
        throw .usage("DATABASE_REPLICA_URLS cannot begin with '\(part)'", "Give addresses: postgresql://….")
      }
    }
    return addresses
  }

  private static func host(_ options: ServerOptions) throws(StartFailure) -> String {
    var host = options.host
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    guard !host.isEmpty else { throw .usage("--host is empty", "Give an IP address or localhost.") }
    guard !options.dev || isLoopback(host) else {
      throw .usage(
        "--dev cannot listen on \(host): it lets everybody sign in without proof",
        "Use a loopback address (127.0.0.1, ::1 or localhost), or leave --dev out.")
    }
    return host
  }

  /// Whether a host is a loopback address. Accepts only unambiguous names: a resolver may give changing answers for
  /// others.
  static func isLoopback(_ host: String) -> Bool {
    if ["localhost", "::1", "0:0:0:0:0:0:0:1"].contains(host.lowercased()) { return true }
    let parts = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0].elementsEqual("127".utf8)
      && parts.allSatisfy { (1...3).contains($0.count) && $0.allSatisfy { (48...57).contains($0) } }
  }

  /// Checks that a key file can be read now: otherwise every sign-in would be refused without an explanation.
  private static func checkFile(_ source: KeySource) throws(StartFailure) {
    guard case .file(let path) = source else { return }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw .usage(
        "the file with Apple's keys '\(path)' does not exist",
        "Name another file with --apple-jwks, or leave it out: Apple's own address is the default.")
    }
    guard !isFolder.boolValue, FileManager.default.isReadableFile(atPath: path) else {
      throw .usage(
        "cannot read the file with Apple's keys '\(path)'",
        isFolder.boolValue ? "It is a folder: name the file in it." : "Make sure that this user may read it.")
    }
  }

  private static func keys(_ options: ServerOptions, _ secret: String?) throws(StartFailure) -> (SigningKeys, Bool) {
    do {
      if let path = options.jwtKeyFile {
        let bytes: [UInt8]
        do {
          bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)).prefix(1 << 16))
        } catch {
          throw StartFailure.usage(
            "cannot read the key file '\(path)'", "Make sure that it exists and that this user may read it.")
        }
        return (try SigningKeys(file: bytes), false)
      }
      if let secret { return (try SigningKeys(secret: secret), false) }
      guard options.dev else { throw SigningKeyFailure.missing }
      return (.random(), true)
    } catch let failure as SigningKeyFailure {
      let make = "Make one: head -c 48 /dev/urandom | base64 > registry.key, then --jwt-key-file registry.key."
      switch failure {
      case .missing:
        throw .usage("no key to sign tokens is given", "Set JWT_SECRET_KEY or --jwt-key-file. \(make)")
      case .short(_, let bytes):
        throw .usage("the key that signs tokens has \(bytes) bytes; at least \(SigningKeys.shortest) are needed", make)
      }
    } catch let failure as StartFailure {
      throw failure
    } catch {
      throw .usage("the key cannot be used", "Set JWT_SECRET_KEY or --jwt-key-file.")
    }
  }

  private static func origins(_ origins: [String]) throws(StartFailure) -> [String] {
    for origin in origins where origin != "*" {
      let parts = URLComponents(string: origin)
      guard let parts, ["http", "https"].contains(parts.scheme ?? ""), parts.host?.isEmpty == false, parts.path.isEmpty,
        parts.query == nil, parts.fragment == nil
      else {
        throw .usage("'\(origin)' is not an origin", "Write it as browsers do: https://example.org, without a path.")
      }
    }
    return origins
  }

  private static func publicURL(_ text: String?) throws(StartFailure) -> String? {
    guard var text else { return nil }
    while text.hasSuffix("/") { text.removeLast() }
    guard let parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme ?? ""),
      parts.host?.isEmpty == false
    else { throw .usage("'\(text)' is not an address that people can open", "Give one that begins with https://.") }
    return text
  }

  private static func list(_ text: String?) -> [String] {
    (text ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }

  private static func number(
    _ text: String?, _ range: ClosedRange<Int64>, _ usual: Int64, _ name: String
  ) throws(StartFailure) -> Int64 {
    guard let text else { return usual }
    guard let number = Int64(text), range.contains(number) else {
      throw .usage(
        "\(name) cannot be '\(text)'", "Give a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  private static func truth(_ text: String?, _ usual: Bool, _ name: String) throws(StartFailure) -> Bool {
    switch text?.lowercased() {
    case nil: return usual
    case "true", "1", "yes", "on": return true
    case "false", "0", "no", "off": return false
    // Reading a misspelt "flase" as true or false would be a guess about security.
    default: throw .usage("\(name) cannot be '\(text ?? "")'", "Use true or false.")
    }
  }
}

extension StartFailure {
  static func usage(_ message: String, _ advice: String) -> StartFailure {
    StartFailure(.usage, "start the registry: \(message)", advice: advice)
  }
}

/// An error that keeps the registry from running, with advice.
struct StartFailure: Error, Equatable {
  /// The exit statuses, the same as in the toolkit's commands.
  enum Status: Int32 {
    case failed = 2
    case refused = 4
    case locked = 7
    case usage = 64
  }

  let status: Status
  /// The failure and its reason, in one line.
  let message: String
  /// The advice, as a full sentence.
  let advice: String

  init(_ status: Status, _ message: String, advice: String) {
    self.status = status
    self.message = message
    self.advice = advice
  }
}

extension StartFailure {
  /// The whole message as sentences; some reasons already end with advice.
  var sentences: String {
    let end = message.utf8.last == UInt8(ascii: ".") ? "" : "."
    return advice.isEmpty ? message + end : "\(message)\(end) \(advice)"
  }
}

/// Messages for the user who starts the registry.
enum StandardError {
  /// Writes the reason and ends the process.
  static func fail(_ failure: StartFailure) -> Never {
    // The message is always one line: people read it directly, and logs collect it.
    write("fleetkit-registry: " + TerminalEscaping.escape(failure.sentences))
    ProcessEnd.now(failure.status.rawValue)
  }

  /// Writes a line.
  static func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8)) }
}
