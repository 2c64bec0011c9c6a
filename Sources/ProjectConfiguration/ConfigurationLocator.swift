import Diagnostics
import Foundation
import Validation

/// Finds the configuration for each path that a user gives. Reads each configuration once.
///
/// With `--config FILE`, that file applies to all paths. Otherwise, the nearest `.fleetkit.yml` in the path's folder or
/// its parents applies. The search ends at a folder with `.git` or at the root. For standard input (`-`), the search
/// starts in the working folder. If no file is found, the defaults apply.
public struct ConfigurationLocator {
  private let file: String?
  private let workingFolder: String
  private let catalog: RuleCatalog
  private var known: [String: Configuration] = [:]

  /// Makes a locator.
  /// - Parameter file: the file that the user named; nil to search.
  /// - Parameter catalog: the rules that a configuration can name.
  /// - Parameter workingFolder: the absolute path of the folder that relative names refer to.
  public init(
    file: String? = nil, catalog: RuleCatalog = RuleCatalog(),
    workingFolder: String = FileManager.default.currentDirectoryPath
  ) {
    self.file = file
    self.catalog = catalog
    self.workingFolder = workingFolder
  }

  /// Returns the configuration for a path: a file, a folder, or `-`.
  /// - Throws: `ConfigurationError` with all mistakes in the configuration.
  public mutating func configuration(for path: String) throws(ConfigurationError) -> Configuration {
    if let file { return try read(file, warnings: []) }
    var folder = folder(of: path)
    while true {
      let found = Self.join(folder, Configuration.fileName)
      let other = Self.join(folder, ".fleetkit.yaml")
      let isThere = ConfigurationFile.exists(found)
      if ConfigurationFile.exists(other) {
        let finding = Diagnostic(
          .configurationOtherName, "'.fleetkit.yaml' is not read; the file must be called '\(Configuration.fileName)'",
          at: Place(file: shown(other)), severity: isThere ? .warning : .error,
          fix: isThere ? "remove the file, or move its settings to '\(Configuration.fileName)'" : nil)
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

  /// Returns the absolute path of the folder in which the search starts.
  private func folder(of path: String) -> String {
    if path == "-" { return PathScope.absolute(".", from: workingFolder) }
    let absolute = PathScope.absolute(path, from: workingFolder)
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: absolute, isDirectory: &isFolder), isFolder.boolValue { return absolute }
    return PathScope.absolute("..", from: absolute)
  }

  /// Returns a path as the user would give it: relative inside the working folder, otherwise absolute.
  private func shown(_ path: String) -> String {
    PathScope(folder: workingFolder, workingFolder: workingFolder).relative(path) ?? path
  }

  private static func join(_ folder: String, _ name: String) -> String {
    folder == "/" ? "/" + name : folder + "/" + name
  }
}
