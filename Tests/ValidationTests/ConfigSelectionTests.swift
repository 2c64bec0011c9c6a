import Diagnostics
import TestSupport
import Testing
import Validation

/// The rules that are selected, and their severities.
@Suite struct ConfigSelectionTests {
  static let emptySection = code("LNT0203", "empty-section", .warning)
  static let longTitle = code("LNT0301", "long-title", .note)
  static let unpublishable = code("PUB0101", "no-title", .error)
  static let odd = code("LIB0106", "odd-id", .warning)

  static func code(_ id: String, _ name: String, _ severity: Severity) -> DiagnosticCode {
    DiagnosticCode(id, name, severity, "s", why: "w", fix: "f")
  }

  static let catalog = RuleCatalog([emptySection, longTitle, unpublishable, odd])

  private func settings(
    select: [String]? = nil, ignore: [String] = [], severity: [String: RuleSelection.Weight] = [:]
  ) -> RuleSelection.Settings {
    var settings = RuleSelection.Settings()
    settings.select = select?.map { RuleName($0) }
    settings.ignore = ignore.map { RuleName($0) }
    for (name, weight) in severity { settings.severity[RuleName(name)] = weight }
    return settings
  }

  private func selection(
    _ base: RuleSelection.Settings, _ paths: [(String, RuleSelection.Settings)] = []
  ) throws -> RuleSelection {
    RuleSelection(
      base, paths: try paths.map { (try PathGlob($0.0), $0.1) },
      scope: PathScope(folder: "/content", workingFolder: "/content"))
  }

  @Test func everyRuleCountsAsItsCodeSaysWhenNothingIsSaid() throws {
    let all = try selection(settings())
    for code in Self.catalog.codes {
      #expect(all.severity(of: code, file: "a.json") == code.severity)
      #expect(all.severityAnywhere(of: code) == code.severity)
    }
  }

  @Test func onlyLintIsSelectedAndIgnored() throws {
    let some = try selection(settings(select: ["LNT02"]))
    #expect(some.severity(of: Self.emptySection, file: "a") == .warning)
    #expect(some.severity(of: Self.longTitle, file: "a") == nil)
    #expect(some.severityAnywhere(of: Self.longTitle) == nil)
    #expect(some.severity(of: Self.unpublishable, file: "a") == .error)
    #expect(try selection(settings(select: ["publish"])).severity(of: Self.emptySection, file: "a") == nil)
    #expect(try selection(settings(select: [])).severity(of: Self.longTitle, file: "a") == nil)
    // The mandatory rules are kept even if code builds a selection without them.
    let none = try selection(settings(ignore: ["all"], severity: ["all": .off, "PUB": .at(.note)]))
    #expect(none.severity(of: Self.unpublishable, file: "a") == .error)
    #expect(none.severity(of: Self.odd, file: "a") == .warning)
    #expect(none.severity(of: Self.emptySection, file: "a") == nil)
  }

  @Test func theClosestNameWins() throws {
    let weighed = try selection(
      settings(severity: ["lint": .at(.note), "LNT02": .at(.error), "long-title": .off, "all": .at(.error)]))
    #expect(weighed.severity(of: Self.emptySection, file: "a") == .error)
    #expect(weighed.severity(of: Self.longTitle, file: "a") == nil)
    #expect(weighed.severity(of: Self.odd, file: "a") == .error)
    let byName = try selection(settings(severity: ["LNT0203": .at(.error), "LNT": .off]))
    #expect(byName.severity(of: Self.emptySection, file: "a") == .error)
    #expect(byName.severity(of: Self.longTitle, file: "a") == nil)
    #expect(
      try selection(settings(select: ["LNT0203"], ignore: ["LNT"])).severity(of: Self.emptySection, file: "a") == nil)
  }

  @Test func pathsChangeWhatHoldsForSomeFiles() throws {
    let paths = try selection(
      settings(ignore: ["long-title"], severity: ["empty-section": .off]),
      [
        ("archive/**", settings(ignore: ["lint"])), ("*.md", settings(select: ["long-title"])),
        ("strict/**", settings(severity: ["empty-section": .at(.error)])),
        ("strict/old/**", settings(ignore: ["LNT02"])),
      ])
    for _ in 0..<2 {
      #expect(paths.severity(of: Self.longTitle, file: "a.json") == nil)
      #expect(paths.severity(of: Self.longTitle, file: "a.md") == .note)
      #expect(paths.severity(of: Self.longTitle, file: "archive/a.md") == .note)
      #expect(paths.severity(of: Self.emptySection, file: "a.md") == nil)
      #expect(paths.severity(of: Self.emptySection, file: "strict/a.md") == .error)
      #expect(paths.severity(of: Self.emptySection, file: "/content/strict/a.json") == .error)
      #expect(paths.severity(of: Self.emptySection, file: "strict/old/a.json") == nil)
      #expect(paths.severity(of: Self.emptySection, file: "../strict/a.json") == nil)
    }
    #expect(paths.severityAnywhere(of: Self.emptySection) == .error)
    #expect(paths.severityAnywhere(of: Self.longTitle) == .note)
    #expect(paths.severityAnywhere(of: Self.unpublishable) == .error)
  }

  /// The cache never changes a result, however many files and threads use it.
  @Test func rememberingChangesNothing() async throws {
    let paths = (0..<8).map {
      ("f\($0)*/**", settings(ignore: $0 % 2 == 0 ? ["LNT02"] : [], severity: ["lint": .at(.error)]))
    }
    let shared = try selection(settings(), paths)
    await withTaskGroup(of: Bool.self) { group in
      for worker in 0..<4 {
        group.addTask {
          (0..<6000).allSatisfy { index in
            let folder = (index * (worker + 1)) % 10
            let severity = shared.severity(of: Self.emptySection, file: "f\(folder)x/\(index).json")
            return severity == (folder > 7 ? .warning : folder % 2 == 0 ? nil : .error)
          }
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }

  /// In no file does a code have a higher severity than `severityAnywhere`.
  @Test func anywhereIsNeverTooLittle() throws {
    var random = SeededRandom(seed: 3)
    let names = ["all", "lint", "LNT02", "LNT0203", "empty-section", "long-title", "publish"]
    let weights: [RuleSelection.Weight] = [.off, .at(.note), .at(.warning), .at(.error)]
    func some() -> RuleSelection.Settings {
      settings(
        select: random.below(3) == 0 ? (0..<random.below(3)).map { _ in random.pick(names) } : nil,
        ignore: (0..<random.below(2)).map { _ in random.pick(names) },
        severity: Dictionary(
          (0..<random.below(3)).map { _ in (random.pick(names), random.pick(weights)) }, uniquingKeysWith: { $1 }))
    }
    for _ in 0..<2000 {
      let selection = try selection(
        some(), (0..<random.below(4)).map { _ in (random.pick(["a*", "b", "*b*", "c"]), some()) })
      for code in Self.catalog.codes {
        let anywhere = selection.severityAnywhere(of: code)
        for file in ["a", "b", "ab", "c", "d"] {
          guard let severity = selection.severity(of: code, file: file) else { continue }
          #expect(anywhere.map { severity <= $0 } == true)
        }
      }
    }
  }
}
