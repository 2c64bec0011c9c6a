import Diagnostics
import Synchronization

/// The rules that apply to a file, with their severities.
///
/// Only advice (lint) can be selected, ignored or lowered in severity. Other rules always have at least the severity of
/// their code, which settings can only raise. A selection is only data; the configuration checks whether the settings
/// are valid.
public struct RuleSelection: Sendable {
  /// The weight of a rule's findings.
  public enum Weight: Hashable, Sendable {
    /// The findings are ignored.
    case off
    /// The findings have this severity.
    case at(Severity)
  }

  /// Rule settings, for all files or for some.
  public struct Settings: Sendable, Equatable {
    /// The rules that are applied. If nil, the selection of earlier settings remains, by default all rules.
    public var select: [RuleName]?
    /// The rules that are not applied. This overrides `select`.
    public var ignore: [RuleName] = []
    /// The severities of rules. The most specific name of a rule takes precedence.
    public var severity: [RuleName: Weight] = [:]

    /// Makes empty settings.
    public init() {}
  }

  /// The settings for all files.
  public let settings: Settings
  /// The settings for files that match a glob. Later settings override earlier ones.
  public let paths: [(glob: PathGlob, settings: Settings)]
  /// The folder that globs are relative to.
  public let scope: PathScope
  private let memory = Memory()

  /// Collects settings.
  public init(
    _ settings: Settings = Settings(), paths: [(glob: PathGlob, settings: Settings)] = [],
    scope: PathScope = PathScope(folder: ".")
  ) {
    self.settings = settings
    self.paths = paths
    self.scope = scope
  }

  /// Returns the severity of a rule's findings in a file; nil if the rule does not apply to the file.
  ///
  /// Results are cached, so calling this method for every finding is fast.
  /// - Parameter file: the file's name, as the user gave it.
  public func severity(of code: DiagnosticCode, file: String) -> Severity? {
    memory.severity(code.id, file: paths.isEmpty ? "" : file) {
      guard let path = scope.relative(file) else { return [] }
      return paths.indices.filter { paths[$0].glob.matches(path) }
    } weigh: { matching in
      weigh(code, matching)
    }
  }

  /// Returns the highest severity of a rule's findings in any file; nil if the rule applies to no file.
  ///
  /// Globs that exclude each other are treated as if one file could match both, so the result may be too high but never
  /// too low.
  public func severityAnywhere(of code: DiagnosticCode) -> Severity? {
    let everywhere = weigh(code, [])
    var severities = everywhere.map { [$0] } ?? []
    var isSelected = everywhere != nil
    for index in paths.indices {
      let settings = paths[index].settings
      if settings.select?.contains(where: { $0.covers(code) }) == true {
        isSelected = true
        severities.append(code.severity)
      }
      if case .at(let severity) = Self.weight(code, settings) { severities.append(severity) }
      if let severity = weigh(code, [index]) {
        isSelected = true
        severities.append(severity)
      }
    }
    return isSelected ? severities.max() : nil
  }

  private func weigh(_ code: DiagnosticCode, _ matching: [Int]) -> Severity? {
    var isSelected = settings.select.map { $0.contains { $0.covers(code) } } ?? true
    if settings.ignore.contains(where: { $0.covers(code) }) { isSelected = false }
    var weight = Self.weight(code, settings)
    for index in matching {
      let settings = paths[index].settings
      if settings.select?.contains(where: { $0.covers(code) }) == true {
        isSelected = true
        if weight == .off { weight = nil }
      }
      if settings.ignore.contains(where: { $0.covers(code) }) { isSelected = false }
      weight = Self.weight(code, settings) ?? weight
    }
    guard code.isLint else {
      guard case .at(let severity) = weight else { return code.severity }
      return max(severity, code.severity)
    }
    guard isSelected else { return nil }
    switch weight {
    case .off: return nil
    case .at(let severity): return severity
    case nil: return code.severity
    }
  }

  private static func weight(_ code: DiagnosticCode, _ settings: Settings) -> Weight? {
    settings.severity.filter { $0.key.covers(code) }
      .max { ($0.key.closeness, $0.key.text) < ($1.key.closeness, $1.key.text) }?.value
  }

  /// Cached results, which any thread may use.
  private final class Memory: Sendable {
    private struct State {
      /// For each file, the index of the set of globs that match it.
      var files: [String: Int] = [:]
      var sets: [[Int]: Int] = [:]
      /// For each set of globs, the severity of each code.
      var severities: [[String: Severity?]] = []
    }

    /// The maximum number of files in the cache, because a folder may have millions of files.
    private static let limit = 4096
    private let state = Mutex(State())

    func severity(
      _ code: String, file: String, matching: () -> [Int], weigh: ([Int]) -> Severity?
    ) -> Severity? {
      state.withLock { state in
        if let set = state.files[file], let known = state.severities[set][code] { return known }
        let matching = matching()
        if state.files.count >= Self.limit { state = State() }
        let set = state.sets[matching] ?? state.severities.count
        if set == state.severities.count {
          state.severities.append([:])
          state.sets[matching] = set
        }
        state.files[file] = set
        if let known = state.severities[set][code] { return known }
        let severity = weigh(matching)
        state.severities[set][code] = .some(severity)
        return severity
      }
    }
  }
}
