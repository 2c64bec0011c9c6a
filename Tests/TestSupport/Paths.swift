@_exported import TestTools
import Foundation

extension Paths {
  /// The folder of the app's libraries, each with a dump of the values that the app decodes from it.
  public static let libraries = root + "/Tests/Fixtures/libraries"

  /// The path of the command from the same build.
  public static let command: String = {
    if let path = ProcessInfo.processInfo.environment["FLEETKIT_COMMAND"] { return path }
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
    for path in [bundle + "/fleetkit", root + "/.build/debug/fleetkit"]
    where FileManager.default.isExecutableFile(atPath: path) { return path }
    return root + "/.build/debug/fleetkit"
  }()
}

extension Shell {
  /// Runs `fleetkit`.
  public static func fleetkit(_ arguments: String..., input: String? = nil, folder: String? = nil) throws -> Answer {
    try run(Paths.command, arguments, input: input, folder: folder)
  }
}

extension Scratch {
  /// Copies a fixture and returns the path of the copy.
  public func copy(_ fixture: String, as name: String) throws -> String {
    try FileManager.default.copyItem(atPath: Paths.libraries + "/" + fixture, toPath: self[name])
    return self[name]
  }

  /// Makes a writable copy of a fixture and returns the path of the copy.
  public func writable(_ fixture: String, as name: String = "library.sqlite") throws -> String {
    let path = try copy(fixture, as: name)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    return path
  }
}
