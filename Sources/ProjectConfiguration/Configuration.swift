import Diagnostics
import Foundation
import Interchange
import JSONText
import Validation

/// What a folder's `.fleetkit.yml` says about checking its content.
///
/// - Source: formats/schemas/config.schema.json
public struct Configuration: Sendable {
  /// What is asked of content.
  public enum Profile: String, Sendable, CaseIterable {
    /// Can it be read, and is it good?
    case structure
    /// May it also be published?
    case publish
  }

  /// From which severity on findings make a run fail.
  public enum FailOn: String, Sendable, CaseIterable {
    /// Errors.
    case error
    /// Errors and warnings.
    case warning
    /// Everything that is found.
    case note
    /// Nothing.
    case none

    /// The severity that fails; nil when none does.
    public var severity: Severity? {
      switch self {
      case .error: .error
      case .warning: .warning
      case .note: .note
      case .none: nil
      }
    }
  }

  /// The name that files are read by: `.fleetkit.yml`.
  public static let fileName = ".fleetkit.yml"

  /// Where it was read, as the user would name it; nil when there is no such file and defaults hold.
  public internal(set) var path: String?
  /// The folder that globs and the files in it count from.
  public let scope: PathScope
  /// The name of the collection; ids of items without ids are derived from it.
  public internal(set) var source: String?
  /// What is asked of content.
  public internal(set) var profile = Profile.structure
  /// From which severity on findings make a run fail.
  public internal(set) var failOn = FailOn.error
  /// Which rules count, and how much.
  public internal(set) var rules: RuleSelection
  /// Files that are not read.
  public internal(set) var exclude: [PathGlob] = []
  /// Numbers and words that rules measure by.
  public internal(set) var limits = RuleLimits()
  /// What is odd about the file, without being wrong.
  public internal(set) var warnings: [Diagnostic] = []

  /// What holds when nobody says anything, for files in a folder.
  public init(scope: PathScope = PathScope(folder: ".")) {
    self.scope = scope
    rules = RuleSelection(scope: scope)
  }

  /// Whether a file is left out.
  /// - Parameter file: as the user named it.
  public func excludes(_ file: String) -> Bool {
    guard !exclude.isEmpty, let path = scope.relative(file) else { return false }
    return exclude.contains { $0.matches(path) }
  }
}

extension Configuration {
  /// Reads the text of a configuration.
  /// - Parameter file: its name in findings.
  /// - Parameter catalog: the rules that it may speak of.
  /// - Parameter scope: the folder that its globs count from.
  /// - Throws: `ConfigurationError` with everything that is wrong with it.
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

/// Reads the bytes of a configuration: a small file, never a folder, a pipe or a device.
package enum ConfigurationFile {
  /// Longest configuration, in bytes.
  static let longest = 1 << 20

  /// Why a file cannot be read.
  package struct Refusal: Error {
    package let message: String
  }

  /// Whether a file of that name is there; what may not be looked at counts as there, so that it is not skipped.
  static func exists(_ path: String) -> Bool {
    var status = stat()
    if stat(path, &status) == 0 { return true }
    // A link that leads nowhere was meant to lead somewhere.
    if errno == ENOENT { return lstat(path, &status) == 0 }
    return errno != ENOTDIR && errno != ENAMETOOLONG
  }

  /// Reads a file whole.
  package static func read(_ path: String) throws(Refusal) -> [UInt8] {
    // Opening a pipe would wait for somebody to write.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Refusal(message: String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Refusal(message: String(cString: strerror(errno))) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw Refusal(message: "this is not a file") }
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

/// What is wrong with a configuration: all of it, with places.
public struct ConfigurationError: Error, Sendable, CustomStringConvertible {
  /// At least one finding, in the order of the file.
  ///
  /// At most a hundred; `count` is how many there are.
  public let diagnostics: [Diagnostic]
  /// How many mistakes the file has.
  public let count: Int

  package init(_ diagnostics: [Diagnostic], count: Int? = nil) {
    self.diagnostics = diagnostics
    self.count = count ?? diagnostics.count
  }

  /// The first finding in one line: `.fleetkit.yml:3:5: 'selct' is no member; did you mean 'select'?`.
  public var description: String {
    guard let first = diagnostics.first else { return "the configuration is wrong" }
    return "\(TerminalText.escape(first.place.description)): \(TerminalText.escape(first.message))"
  }

  /// The error that ends a run, with status 64.
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
