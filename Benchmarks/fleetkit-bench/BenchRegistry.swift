import Foundation

/// Runs the registry's release program with an empty database. Raw loops call it over loopback with curl.
final class BenchRegistry {
  private let process = Process()
  private let folder: String
  /// The registry's address.
  private(set) var url = ""

  /// The path of the program: from FLEETKIT_REGISTRY, or else the one that `make registry` built.
  static let program =
    ProcessInfo.processInfo.environment["FLEETKIT_REGISTRY"]
    ?? "Registry/.build/release/fleetkit-registry"

  /// Whether the program exists.
  static var isThere: Bool { FileManager.default.isExecutableFile(atPath: program) }

  /// Starts the program in its own folder.
  init(in folder: String) throws {
    self.folder = folder
    try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let output = folder + "/out"
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    process.executableURL = URL(fileURLWithPath: Self.program)
    process.arguments = ["--database", folder + "/registry.sqlite", "--dev", "--port", "0", "--no-rate-limit"]
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    for _ in 0..<2000 {
      let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
      if let found = text.split(separator: "\n").first(where: { $0.hasPrefix("listening on ") }), text.contains("\n") {
        url = String(found.dropFirst("listening on ".count))
        return
      }
      usleep(5000)
    }
    throw CocoaError(.fileReadUnknown)
  }

  deinit {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Signs a user in. The answer, with tokens as JSON, is in a file that only the current user can read.
  func signIn() throws -> (file: String, access: String) {
    let file = folder + "/token.json"
    _ = FileManager.default.createFile(atPath: file, contents: nil, attributes: [.posixPermissions: 0o600])
    _ = try ChildRun.run(
      "/usr/bin/curl", ["-sf", "-o", file, "-X", "POST", url + "/api/v1/auth/test-signin?email=a@b.c"])
    let tokens = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: file)))
    return (file, (tokens as? [String: Any])?["access_token"] as? String ?? "")
  }
}
