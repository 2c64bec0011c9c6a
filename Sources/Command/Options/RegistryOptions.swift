import ArgumentParser
import FleetKit

/// The registry to use, and the account.
struct RegistryOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp("The registry's address, for example https://sail.example.org.", valueName: "url"))
  var registry: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Read the session from a file that only you can read: a token, or JSON with access_token and refresh_token.",
      valueName: "file"),
    completion: .file())
  var tokenFile: String?

  @Flag(
    name: .customLong("insecure-http"),
    help: "Allow http:// to other machines, although anyone on the network path can read what is sent.")
  var insecureHTTP = false

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp("How long to wait for a response.", valueName: "seconds"))
  var timeout: Double = 30

  func validate() throws {
    guard timeout > 0, timeout <= 3600 else {
      throw ValidationError("--timeout must be greater than 0 and at most 3600 seconds, not \(timeout).")
    }
  }

  /// Returns the connection to the registry; nil if no registry is named and the library does not belong to one.
  func connectionIfKnown(for library: String) throws -> RegistryConnection? {
    guard try registry != nil || LibraryQueue(library).binding() != nil else { return nil }
    return try connection(for: library)
  }

  /// Returns the connection to the registry.
  /// - Parameter library: the library whose registry is used if no registry is named.
  /// - Throws: `RunFailure` with status 64 if no registry is known, or its address cannot be used.
  func connection(for library: String? = nil) throws -> RegistryConnection {
    guard let url = try registry ?? library.flatMap({ try LibraryQueue($0).binding()?.registry }) else {
      throw RunFailure(
        .usage, "connect to a registry: no registry given", advice: "Name one with --registry URL.")
    }
    return RegistryConnection(
      try RegistryAddress(url, allowsPlainHTTP: insecureHTTP), isNamedByUser: registry != nil, tokenFile: tokenFile,
      timeout: timeout)
  }
}
