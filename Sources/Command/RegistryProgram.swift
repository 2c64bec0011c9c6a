import FleetKit
import Foundation

/// The program `fleetkit-registry`, wherever it is.
struct RegistryProgram {
  /// Its path.
  let path: String

  /// What the file is called.
  static let name = "fleetkit-registry"
  /// The variable of the environment that says where it is.
  static let variable = "FLEETKIT_REGISTRY"

  private static let advice = """
    Install fleetkit-registry beside fleetkit, build it with 'make registry' in a checkout, or say where it is in \
    \(variable).
    """

  /// Finds it: where the environment says, beside this program, on PATH, or in the checkout of this program.
  /// - Throws: `RunFailure` with status 64 when it is nowhere.
  static func find() throws -> RegistryProgram {
    let environment = ProcessInfo.processInfo.environment
    if let path = environment[variable], !path.isEmpty {
      guard isProgram(path) else {
        throw RunFailure(
          .usage, "start the registry: '\(path)', which \(variable) names, is no program that can be run",
          advice: "Correct \(variable), or unset it.")
      }
      return RegistryProgram(path: path)
    }
    let folder = ownFolder
    let beside = folder.map { [$0 + "/" + name] } ?? []
    let onPath = (environment["PATH"] ?? "").utf8.split(separator: UInt8(ascii: ":")).map {
      String(decoding: Array($0), as: UTF8.self) + "/" + name
    }
    let built = folder.map(checkouts) ?? []
    guard let path = (beside + onPath + built).first(where: isProgram) else {
      throw RunFailure(.usage, "start the registry: fleetkit-registry is not installed", advice: advice)
    }
    return RegistryProgram(path: path)
  }

  /// Becomes the program: signals, standard streams and the exit status are its own from here on.
  /// - Throws: `RunFailure` with status 64 when the system does not run it; a return without error is impossible.
  func replaceProcess(with arguments: [String]) throws {
    // What is ignored stays ignored in the program that follows; it decides for itself.
    for number in [SIGINT, SIGTERM, SIGPIPE] { signal(number, SIG_DFL) }
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    defer { for word in words { free(word) } }
    words.append(nil)
    _ = execv(path, words)
    throw RunFailure(
      .usage, "start the registry: '\(path)': \(String(cString: strerror(errno)))", advice: Self.advice)
  }

  /// The folder of this program, links followed.
  private static var ownFolder: String? {
    guard let own = Bundle.main.executablePath else { return nil }
    return URL(fileURLWithPath: own).resolvingSymlinksInPath().deletingLastPathComponent().path
  }

  /// Where a checkout has it, when this program was built in one: `.build/…/debug` lies in its root.
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
