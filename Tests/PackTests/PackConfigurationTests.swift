import ContentPack
import FleetKit
import Foundation
import TestSupport
import Testing

@Suite struct PackConfigurationTests {
  private func read(_ text: String) throws -> PackConfiguration {
    try PackConfiguration(parsing: Array(text.utf8), file: "pack.yml")
  }

  private func findings(_ text: String) -> [String] {
    do {
      _ = try read(text)
      return []
    } catch let error as ConfigurationError {
      return error.diagnostics.map { "\($0.place): \($0.message)" }
    } catch {
      return ["\(error)"]
    }
  }

  @Test func everyMemberIsRead() throws {
    let configuration = try read(
      """
      # whose it is
      name: first-charter
      version: 1.2.0-beta.1
      publisher: Blue Sea
      license: CC-BY-4.0
      description: For a crew
      languages: [en, el]
      select:
        id: 9B2C0A54
        title: MOB*
        tag: [safety, charter]
        type: checklist
        path: "*/guides/*"
      """)
    #expect(configuration.name == "first-charter" && configuration.version.text == "1.2.0-beta.1")
    #expect(configuration.publisher == "Blue Sea" && configuration.licence == "CC-BY-4.0")
    #expect(configuration.description == "For a crew" && configuration.languages == ["el", "en"])
    let selection = try #require(configuration.selection)
    #expect(selection.ids == ["9B2C0A54"] && selection.titles == ["MOB*"] && selection.tags == ["safety", "charter"])
    #expect(selection.types == ["checklist"] && selection.paths == ["*/guides/*"])
  }

  @Test func theSmallestOneIsEnough() throws {
    let configuration = try read(PackConfiguration.smallest)
    #expect(configuration.name == nil && configuration.selection == nil && configuration.languages.isEmpty)
  }

  @Test(arguments: [
    ("publisher: a\nlicence: b\n", "pack.yml:1:1: 'version' is missing"),
    ("version: 1.2\npublisher: a\nlicence: b\n", "pack.yml:1:10: 1.2 is not a version"),
    (
      "version: 1.0.0\npublisher: a\nlicence: b\nnaem: c\n", "pack.yml:4:1: unknown member 'naem'; did you mean 'name'?"
    ),
    ("version: 1.0.0\npublisher: 7\nlicence: b\n", "pack.yml:2:12: 'publisher' must be a string; put 7 in quotes"),
    ("version: 1.0.0\npublisher: a\nlicence: b\nlicense: c\n", "pack.yml:4:10: 'licence' is already given"),
    ("version: 1.0.0\npublisher: a\nlicence: b\nname: Big Boat\n", "pack.yml:4:7: \"Big Boat\" is not a pack name"),
    (
      "version: 1.0.0\npublisher: a\nlicence: b\nselect:\n  type: checklst\n",
      "pack.yml:5:9: 'checklst' is not an item type; the types are checklist, practice_guide, flashcard_deck. Did you mean 'checklist'?"
    ),
    (
      "version: 1.0.0\npublisher: a\nlicence: b\nselect:\n  tags: a\n",
      "pack.yml:5:3: unknown member 'tags'; did you mean 'tag'?"
    ),
    ("version: 1.0.0\npublisher: a\nlicence: [b\n", "pack.yml:4:1: "),
    ("- a\n", "pack.yml:1:1: a pack description must be a mapping"),
  ])
  func everyMistakeHasItsPlace(_ text: String, _ says: String) {
    let found = findings(text)
    #expect(found.contains { $0.hasPrefix(says) }, "\(found)")
  }

  @Test func allMistakesAreSaidAtOnce() { #expect(findings("version: x\nnaem: y\n").count == 4) }

  @Test(arguments: [
    ("version: 1.0.0\npublisher: a\nlicence: b\n", true), ("version: 1.0.0\npublisher: a\nlicense: b\n", true),
    ("version: 1.0.0\npublisher: a\n", false), ("version: 1.0.0\npublisher: a\nlicence: b\nlicense: c\n", false),
    ("version: 1.0.0\npublisher: a\nlicence: b\nx: 1\n", false),
    ("version: 1.0.0\npublisher: a\nlicence: b\nselect: {tag: a, type: [checklist]}\n", true),
    ("version: 1.0.0\npublisher: a\nlicence: b\nselect: {tags: a}\n", false),
  ])
  func theSchemaAgrees(_ text: String, _ isRight: Bool) throws {
    #expect(findings(text).isEmpty == isRight)
    let file = try Scratch.kept.write("\(UUID().uuidString).yml", text)
    #expect(try Shell.fleetkit("validate", "--schema", "pack-config", file).status == (isRight ? 0 : 1))
  }
}

extension Scratch {
  fileprivate static let kept = Scratch()
}
