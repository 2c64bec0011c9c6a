import Diagnostics
import Foundation
import Interchange
import JSONText
import Validation

/// The configuration of the checks in a folder, from its `.fleetkit.yml`.
///
/// - Source: formats/schemas/config.schema.json
public struct Configuration: Sendable {
  /// The profile of a run, which selects its checks.
  public enum Profile: String, Sendable, CaseIterable {
    /// Checks that content can be read and is good.
    case structure
    /// Also checks that content may be published.
    case publish
  }

  /// The lowest severity that makes a run fail.
  public enum FailOn: String, Sendable, CaseIterable {
    /// Errors.
    case error
    /// Errors and warnings.
    case warning
    /// All findings.
    case note
    /// No findings.
    case none

    /// The severity; nil if no finding makes a run fail.
    public var severity: Severity? {
      switch self {
      case .error: .error
      case .warning: .warning
      case .note: .note
      case .none: nil
      }
    }
  }

  /// The name of configuration files: `.fleetkit.yml`.
  public static let fileName = ".fleetkit.yml"

  /// The file's path, as the user would give it; nil if no file was found and the defaults apply.
  public internal(set) var path: String?
  /// The folder that globs and file names are relative to.
  public let scope: PathScope
  /// The collection's name, from which ids are derived for items without ids.
  public internal(set) var source: String?
  /// The profile, which selects the checks.
  public internal(set) var profile = Profile.structure
  /// The lowest severity that makes a run fail.
  public internal(set) var failOn = FailOn.error
  /// The enabled rules and their severities.
  public internal(set) var rules: RuleSelection
  /// Files that are not read.
  public internal(set) var exclude: [PathGlob] = []
  /// Limits and known words for rules.
  public internal(set) var limits = RuleLimits()
  /// Warnings about the file.
  public internal(set) var warnings: [Diagnostic] = []

  /// Makes the default configuration for files in a folder.
  public init(scope: PathScope = PathScope(folder: ".")) {
    self.scope = scope
    rules = RuleSelection(scope: scope)
  }

  /// Whether a file is excluded.
  /// - Parameter file: the path as the user gave it.
  public func excludes(_ file: String) -> Bool {
    guard !exclude.isEmpty, let path = scope.relative(file) else { return false }
    return exclude.contains { $0.matches(path) }
  }
}

extension Configuration {
  /// Reads the text of a configuration.
  /// - Parameter file: its name in findings.
  /// - Parameter catalog: the rules that it can name.
  /// - Parameter scope: the folder that the configuration's globs are relative to.
  /// - Throws: `ConfigurationError` with all mistakes in the configuration.
  public init(
    parsing bytes: [UInt8], file: String, catalog: RuleCatalog = RuleCatalog(),
    scope: PathScope = PathScope(folder: ".")
  ) throws(ConfigurationError) {
    self.init(scope: scope)
    path = file
    var reader = try ConfigurationReader(bytes, file: file, catalog: catalog)
    reader.read(into: &self)
    guard reader.findings.isEmpty else { throw reader.findings.error }
  }
}

/// Reads the bytes of a configuration. Only small regular files are read, never a folder, a pipe or a device.
package enum ConfigurationFile {
  /// The maximum size of a configuration, in bytes.
  static let longest = 1 << 20

  /// The reason why a file cannot be read.
  package struct Refusal: Error {
    package let message: String
  }

  /// Whether the file exists. A file without access permission counts as existing, so that it is not silently skipped.
  static func exists(_ path: String) -> Bool {
    var status = stat()
    if stat(path, &status) == 0 { return true }
    // A dangling link counts as existing.
    if errno == ENOENT { return lstat(path, &status) == 0 }
    return errno != ENOTDIR && errno != ENAMETOOLONG
  }

  /// Reads a whole file.
  package static func read(_ path: String) throws(Refusal) -> [UInt8] {
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Refusal(message: String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Refusal(message: String(cString: strerror(errno))) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw Refusal(message: "not a regular file") }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= longest {
      let count = chunk.withUnsafeMutableBytes { FileRead.some(descriptor, into: $0) }
      guard count >= 0 else { throw Refusal(message: String(cString: strerror(errno))) }
      if count == 0 { return bytes }
      bytes += chunk.prefix(count)
    }
    throw Refusal(message: "the file is larger than 1 MB")
  }
}

/// All mistakes in a configuration, with their places.
public struct ConfigurationError: Error, Sendable, CustomStringConvertible {
  /// The findings, in the file's order. There is at least one.
  ///
  /// At most a hundred are kept; `count` is the total number.
  public let diagnostics: [Diagnostic]
  /// The number of mistakes in the file.
  public let count: Int

  package init(_ diagnostics: [Diagnostic], count: Int? = nil) {
    self.diagnostics = diagnostics
    self.count = count ?? diagnostics.count
  }

  /// The first finding, on one line: `.fleetkit.yml:3:5: unknown member 'selct'; did you mean 'select'?`.
  public var description: String {
    guard let first = diagnostics.first else { return "the configuration is invalid" }
    return "\(TerminalEscaping.escape(first.place.description)): \(TerminalEscaping.escape(first.message))"
  }

  /// The failure that ends the run, with status 64.
  public var failure: RunFailure {
    let more = count - 1
    let rest = more > 0 ? " (\(Plural.count(more, "more mistake")) in the configuration)" : ""
    return RunFailure(
      .usage, "read the configuration: \(description)\(rest)", advice: diagnostics.first.map { Self.sentence($0.fix) })
  }

  private static func sentence(_ text: String) -> String {
    let ends = text.last.map { ".?!".contains($0) } ?? true
    return text.prefix(1).uppercased() + text.dropFirst() + (ends ? "" : ".")
  }
}

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
