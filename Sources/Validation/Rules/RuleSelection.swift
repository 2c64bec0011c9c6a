import Diagnostics
import Synchronization

/// Which rules count, and how much, file by file.
///
/// Only advice (lint) can be selected, left out or turned down. Everything else always counts at least as much as
/// its code says, whatever the settings are; they can only make it count more. Pure data: what was written where,
/// and whether it makes sense, is the configuration's to say.
public struct RuleSelection: Sendable {
  /// How much findings of a rule count.
  public enum Weight: Hashable, Sendable {
    /// Not at all.
    case off
    /// This much.
    case at(Severity)
  }

  /// What is said about rules, for all files or for some.
  public struct Settings: Sendable, Equatable {
    /// The rules that are asked; nil says nothing about that, so all of them or those that the settings before say.
    public var select: [RuleName]?
    /// The rules that are not asked; counts more than `select`.
    public var ignore: [RuleName] = []
    /// How much rules count; the name that describes a rule most closely wins.
    public var severity: [RuleName: Weight] = [:]

    /// Says nothing.
    public init() {}
  }

  /// What holds for all files.
  public let settings: Settings
  /// What differs for files that match; later ones count more than earlier ones.
  public let paths: [(glob: PathGlob, settings: Settings)]
  /// The folder that globs count from.
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

  /// How much findings of a rule count in a file; nil when the rule is not asked there.
  ///
  /// Remembers what it found out, so asking for every finding costs little.
  /// - Parameter file: as the user named it.
  public func severity(of code: DiagnosticCode, file: String) -> Severity? {
    memory.severity(code.id, file: paths.isEmpty ? "" : file) {
      guard let path = scope.relative(file) else { return [] }
      return paths.indices.filter { paths[$0].glob.matches(path) }
    } weigh: { matching in
      weigh(code, matching)
    }
  }

  /// The most that findings of a rule may count in any file; nil when the rule is not asked anywhere.
  ///
  /// Globs that exclude each other in fact are taken as if one file could match both, so this may be too much, never
  /// too little.
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

  /// What was found out, for any thread.
  private final class Memory: Sendable {
    private struct State {
      /// Which globs match a file, as a number.
      var files: [String: Int] = [:]
      var sets: [[Int]: Int] = [:]
      /// What each code counts, for each set of globs.
      var severities: [[String: Severity?]] = []
    }

    /// Files that are remembered; a folder may have millions.
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
