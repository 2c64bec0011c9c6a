import Diagnostics
import Foundation
import Validation

/// Finds the configuration of each path that a user names, and reads each once.
///
/// With `--config FILE` that file holds for everything. Else the nearest `.fleetkit.yml` in the path's folder or the
/// folders above it counts, up to a folder with `.git`, or the root; standard input (`-`) counts as the working
/// folder. Where there is none, defaults hold.
public struct ConfigurationLocator {
  private let file: String?
  private let workingFolder: String
  private let catalog: RuleCatalog
  private var known: [String: Configuration] = [:]

  /// Begins to look.
  /// - Parameter file: the file that the user named; nil looks for one.
  /// - Parameter catalog: the rules that a configuration may speak of.
  /// - Parameter workingFolder: where relative names count from, absolute.
  public init(
    file: String? = nil, catalog: RuleCatalog = RuleCatalog(),
    workingFolder: String = FileManager.default.currentDirectoryPath
  ) {
    self.file = file
    self.catalog = catalog
    self.workingFolder = workingFolder
  }

  /// The configuration of a path: a file, a folder, or `-`.
  /// - Throws: `ConfigurationError` with everything that is wrong with it.
  public mutating func configuration(for path: String) throws(ConfigurationError) -> Configuration {
    if let file { return try read(file, warnings: []) }
    var folder = folder(of: path)
    while true {
      let found = Self.join(folder, Configuration.fileName)
      let other = Self.join(folder, ".fleetkit.yaml")
      let isThere = ConfigurationFile.exists(found)
      if ConfigurationFile.exists(other) {
        let finding = Diagnostic(
          .configurationOtherName, "'.fleetkit.yaml' is not read; the name is '\(Configuration.fileName)'",
          at: Place(file: shown(other)), severity: isThere ? .warning : .error,
          fix: isThere ? "remove it, or move what it says into '\(Configuration.fileName)'" : nil)
        guard isThere else { throw ConfigurationError([finding]) }
        return try read(found, warnings: [finding])
      }
      if isThere { return try read(found, warnings: []) }
      if folder == "/" || ConfigurationFile.exists(Self.join(folder, ".git")) { break }
      folder = PathScope.absolute("..", from: folder)
    }
    return Configuration(scope: PathScope(folder: self.folder(of: path), workingFolder: workingFolder))
  }

  private mutating func read(_ path: String, warnings: [Diagnostic]) throws(ConfigurationError) -> Configuration {
    let absolute = PathScope.absolute(path, from: workingFolder)
    if let configuration = known[absolute] { return configuration }
    let name = file ?? shown(absolute)
    let bytes: [UInt8]
    do {
      bytes = try ConfigurationFile.read(absolute)
    } catch {
      throw ConfigurationError([Diagnostic(.configurationUnreadable, error.message, at: Place(file: name))])
    }
    var configuration = try Configuration(
      parsing: bytes, file: name, catalog: catalog,
      scope: PathScope(folder: PathScope.absolute("..", from: absolute), workingFolder: workingFolder))
    configuration.warnings += warnings
    known[absolute] = configuration
    return configuration
  }

  /// The folder that a search begins in, absolute.
  private func folder(of path: String) -> String {
    if path == "-" { return PathScope.absolute(".", from: workingFolder) }
    let absolute = PathScope.absolute(path, from: workingFolder)
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: absolute, isDirectory: &isFolder), isFolder.boolValue { return absolute }
    return PathScope.absolute("..", from: absolute)
  }

  /// A path as the user would name it: short inside the working folder, absolute elsewhere.
  private func shown(_ path: String) -> String {
    PathScope(folder: workingFolder, workingFolder: workingFolder).relative(path) ?? path
  }

  private static func join(_ folder: String, _ name: String) -> String {
    folder == "/" ? "/" + name : folder + "/" + name
  }
}
