import ArgumentParser
import FleetKit

/// Which registry, and who asks it.
struct RegistryOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp("Where the registry is, for example https://sail.example.org.", valueName: "url"))
  var registry: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Take the session from a file that only you can read: a token, or JSON with access_token and refresh_token.",
      valueName: "file"),
    completion: .file())
  var tokenFile: String?

  @Flag(
    name: .customLong("insecure-http"),
    help: "Take http:// for other machines than this one, although everybody on the way can read what is sent.")
  var insecureHTTP = false

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp("How long to wait for an answer.", valueName: "seconds"))
  var timeout: Double = 30

  func validate() throws {
    guard timeout > 0, timeout <= 3600 else {
      throw ValidationError("--timeout is a number of seconds above 0 and at most 3600, not \(timeout).")
    }
  }

  /// How the registry is reached; nil when none is named and the library belongs to none.
  func connectionIfKnown(for library: String) throws -> RegistryConnection? {
    guard try registry != nil || LibraryQueue(library).binding() != nil else { return nil }
    return try connection(for: library)
  }

  /// How the registry is reached.
  /// - Parameter library: the library whose registry it is when none is named.
  /// - Throws: `RunFailure` with status 64 when there is none, or none that can be used.
  func connection(for library: String? = nil) throws -> RegistryConnection {
    guard let url = try registry ?? library.flatMap({ try LibraryQueue($0).binding()?.registry }) else {
      throw RunFailure(
        .usage, "ask a registry: none is named", advice: "Say which: --registry https://sail.example.org")
    }
    return RegistryConnection(
      try RegistryAddress(url, allowsPlainHTTP: insecureHTTP), isNamedByUser: registry != nil, tokenFile: tokenFile,
      timeout: timeout)
  }
}
