import ProjectConfiguration
import Diagnostics
import Foundation
import TestSupport
import Testing
import Validation

/// The configuration that applies to a path.
@Suite struct ConfigFindingTests {
  private let scratch = Scratch()

  private func folder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: scratch[name], withIntermediateDirectories: true)
  }

  private func locator(_ file: String? = nil, in folder: String = "") -> ConfigurationLocator {
    ConfigurationLocator(
      file: file, catalog: ConfigSelectionTests.catalog, workingFolder: folder.isEmpty ? scratch.path : scratch[folder])
  }

  @Test func theNearestOneCounts() throws {
    try folder("repo/.git")
    try folder("repo/guides/deep")
    try folder("repo/other/.git")
    _ = try scratch.write(".fleetkit.yml", "source: outside")
    _ = try scratch.write("repo/.fleetkit.yml", "source: repo")
    _ = try scratch.write("repo/guides/.fleetkit.yml", "source: guides\nexclude: [deep/*.md]")
    _ = try scratch.write("repo/guides/a.json", "{}")
    var locator = locator()
    #expect(try locator.configuration(for: "repo/guides/a.json").source == "guides")
    #expect(try locator.configuration(for: "repo/guides").source == "guides")
    #expect(try locator.configuration(for: "repo/guides/deep/not-there.md").source == "guides")
    #expect(try locator.configuration(for: scratch["repo"]).source == "repo")
    #expect(try locator.configuration(for: "repo/../repo/guides/../x.json").source == "repo")
    #expect(try locator.configuration(for: "x.json").source == "outside")
    #expect(try locator.configuration(for: "-").source == "outside")
    // In a nested repository, the search stops at that repository's root.
    let none = try locator.configuration(for: "repo/other/a.json")
    #expect(none.path == nil && none.source == nil)
    // Globs are relative to the configuration's folder, while names are shown as the user would write them.
    let guides = try locator.configuration(for: "repo/guides/deep/a.md")
    #expect(guides.path == "repo/guides/.fleetkit.yml" && guides.excludes("repo/guides/deep/a.md"))
    var inner = self.locator(in: "repo/guides/deep")
    let outer = try inner.configuration(for: "-")
    #expect(outer.path == scratch["repo/guides/.fleetkit.yml"] && outer.excludes("a.md") && !outer.excludes("a.json"))
  }

  @Test func aNamedFileHoldsForEverything() throws {
    try folder("ci")
    _ = try scratch.write(".fleetkit.yml", "source: here")
    _ = try scratch.write("ci/strict.yml", "source: named")
    var locator = locator("ci/strict.yml")
    #expect(try locator.configuration(for: "a.json").source == "named")
    #expect(try locator.configuration(for: "/").path == "ci/strict.yml")
  }

  @Test func aFileThatCannotBeReadIsAnError() throws {
    try folder("a/.fleetkit.yml")
    try folder("b")
    try folder("c")
    try FileManager.default.createSymbolicLink(atPath: scratch["b/.fleetkit.yml"], withDestinationPath: "nowhere")
    #expect(mkfifo(scratch["c/.fleetkit.yml"], 0o600) == 0)
    _ = try scratch.write("large.yml", String(repeating: "# filler\n", count: 200_000))
    for (file, path) in [(nil, "a"), (nil, "b"), (nil, "c"), ("missing.yml", "a"), ("large.yml", "a"), (".", "a")] {
      var locator = locator(file)
      let error = try #require(throws: ConfigurationError.self) { try locator.configuration(for: path) }
      #expect(error.diagnostics.map(\.code.id) == ["CFG0101"], "\(error)")
      #expect(error.failure.status == .usage)
    }
  }

  @Test func theOtherNameIsMentioned() throws {
    try folder("a")
    try folder("b")
    _ = try scratch.write("a/.fleetkit.yaml", "source: a")
    _ = try scratch.write("b/.fleetkit.yaml", "source: other")
    _ = try scratch.write("b/.fleetkit.yml", "source: b")
    var locator = locator()
    let error = try #require(throws: ConfigurationError.self) { try locator.configuration(for: "a/x.json") }
    #expect(error.diagnostics.map { "\($0.place) \($0.code.id) \($0.severity)" } == ["a/.fleetkit.yaml CFG0109 error"])
    let both = try locator.configuration(for: "b/x.json")
    #expect(both.source == "b" && both.warnings.map(\.code.id) == ["CFG0109"] && both.warnings[0].severity == .warning)
  }

  @Test func mistakesNameTheFileAsTheUserWould() throws {
    try folder("a/b")
    _ = try scratch.write("a/.fleetkit.yml", "profile: none")
    var locator = locator()
    let error = try #require(throws: ConfigurationError.self) { try locator.configuration(for: "a/b") }
    #expect("\(error)".hasPrefix("a/.fleetkit.yml:1:10: "))
    #expect("\(error)".quoted.prefix(2) == ["structure", "publish"], "\(error)")
  }
}
