import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit serve`, which replaces this process with the registry's server.
struct ServeVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run your own registry, the server that content is published to.",
    usage: "fleetkit serve [<argument> ...]",
    discussion: """
      The server is a separate program, fleetkit-registry. This command replaces itself with it: all arguments, \
      signals and exit statuses are the server's. It looks for the program in FLEETKIT_REGISTRY (a path), in the same \
      folder as fleetkit, on PATH, and in the checkout that fleetkit was built in ('make registry' builds it there).

      'fleetkit serve -- serve --help' shows the server's own options.

      EXAMPLES
        fleetkit serve --dev --database try.sqlite   a local test registry
        fleetkit serve --database registry.sqlite --port 8080
        fleetkit serve --database registry.sqlite --open   show it in a browser
        fleetkit serve -- serve --help               list the server's options
      """)

  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("Arguments passed to fleetkit-registry.", valueName: "argument"))
  var arguments: [String] = []

  func run() throws {
    if let only = arguments.first, arguments.count == 1, ["--help", "-h", "-help"].contains(only) {
      throw CleanExit.helpRequest(self)
    }
    let passed = arguments.first == "--" ? Array(arguments.dropFirst()) : arguments
    try RegistryProgram.find().replaceProcess(with: passed)
  }
}

/// The installed program `fleetkit-registry`.
struct RegistryProgram {
  /// The path of the program.
  let path: String

  /// The file's name.
  static let name = "fleetkit-registry"
  /// The environment variable that can hold its path.
  static let variable = "FLEETKIT_REGISTRY"

  private static let advice = """
    Install fleetkit-registry in the same folder as fleetkit, build it with 'make registry' in a checkout, or set \
    \(variable) to its path.
    """

  /// Finds the program at the path in the environment, next to this program, on PATH, or in this program's checkout.
  /// - Throws: `RunFailure` with status 64 if the program is not found.
  static func find() throws -> RegistryProgram {
    let environment = ProcessInfo.processInfo.environment
    if let path = environment[variable], !path.isEmpty {
      guard isProgram(path) else {
        throw RunFailure(
          .usage, "start the registry: '\(path)', which is the value of \(variable), is not an executable file",
          advice: "Correct \(variable), or unset it.")
      }
      return RegistryProgram(path: path)
    }
    let folder = ownFolder
    let adjacent = folder.map { [$0 + "/" + name] } ?? []
    let onPath = (environment["PATH"] ?? "").utf8.split(separator: UInt8(ascii: ":")).map {
      String(decoding: Array($0), as: UTF8.self) + "/" + name
    }
    let built = folder.map(checkouts) ?? []
    guard let path = (adjacent + onPath + built).first(where: isProgram) else {
      throw RunFailure(.usage, "start the registry: fleetkit-registry is not installed", advice: advice)
    }
    return RegistryProgram(path: path)
  }

  /// Replaces this process with the program, which then owns the signals, standard streams and exit status.
  /// - Throws: `RunFailure` with status 64 if the system cannot run it. Otherwise the function does not return.
  fileprivate func replaceProcess(with arguments: [String]) throws {
    // Ignored signals would stay ignored in the new program, which sets its own handlers.
    for number in [SIGINT, SIGTERM, SIGPIPE] { signal(number, SIG_DFL) }
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    defer { for word in words { free(word) } }
    words.append(nil)
    _ = execv(path, words)
    throw RunFailure(
      .usage, "start the registry: '\(path)': \(String(cString: strerror(errno)))", advice: Self.advice)
  }

  /// The folder of this program, with symbolic links resolved.
  private static var ownFolder: String? {
    guard let own = Bundle.main.executablePath else { return nil }
    return URL(fileURLWithPath: own).resolvingSymlinksInPath().deletingLastPathComponent().path
  }

  /// Returns the build folders of the checkout that this program was built in, if any. `.build/…/debug` is in the
  /// checkout's root.
  private static func checkouts(_ folder: String) -> [String] {
    var root = URL(fileURLWithPath: folder)
    for _ in 0..<3 {
      let build = root.lastPathComponent
      root.deleteLastPathComponent()
      guard build == ".build" || build == ".build-dist" else { continue }
      let registry = root.path + "/Registry"
      guard FileManager.default.fileExists(atPath: registry + "/Package.swift") else { return [] }
      return ["release", "debug"].map { registry + "/.build/" + $0 + "/" + name }
    }
    return []
  }

  private static func isProgram(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
      && FileManager.default.isExecutableFile(atPath: path)
  }
}
