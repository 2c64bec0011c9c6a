import Diagnostics
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
