import Content
import ContentPack
import Foundation
import Interchange
import JSONText
import TestSupport
import Testing

@Suite struct PackInfoTests {
  private static var sample: PackInfo {
    get throws {
      var info = PackInfo(profile: .content, name: "first-charter")
      info.version = SemanticVersion("1.2.0")
      info.publisher = "Blue Sea \"Sailing\" School"
      info.licence = "CC-BY-4.0"
      info.description = "What a crew needs on its first charter."
      info.languages = ["en", "el"]
      info.previous = [
        PackPrevious(version: try #require(SemanticVersion("1.1.0")), sha256: String(repeating: "a1", count: 32))
      ]
      info.items = [
        PackItem(
          id: "9B2C0A54-0B7E-4C5D-8A51-6D1F0C3E7A10", contentType: .checklist, title: "Leaving the berth",
          language: "en", path: "checklists/leaving-the-berth.json", sha256: String(repeating: "0f", count: 32))
      ]
      info.extras = [ExtraMember(name: "x-colour", json: "{\"a\": 1.50}")]
      return info
    }
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    let text = try Self.sample.text
    #expect(try PackInfo(parsing: text, file: "p") == Self.sample)
    #expect(String(decoding: text, as: UTF8.self).hasPrefix("{\n  \"format\": \"fleetkit.pack\",\n"))
    #expect(String(decoding: text, as: UTF8.self).hasSuffix(",\n  \"x-colour\": {\"a\": 1.50}\n}\n"))
  }

  @Test func aBackupNeedsNeitherVersionNorPublisher() throws {
    let info = PackInfo(profile: .backup, name: "anyfleet")
    #expect(try PackInfo(parsing: info.text, file: "p") == info)
  }

  @Test func whatWeWriteIsValidByTheSchema() throws {
    for info in [try Self.sample, PackInfo(profile: .backup, name: "anyfleet")] {
      let scratch = Scratch()
      let file = try scratch.write("pack.json", String(decoding: info.text, as: UTF8.self))
      let answer = try Shell.fleetkit("validate", "--schema", "pack", file)
      #expect(answer.status == 0, "\(answer.errors)\(answer.output)")
    }
  }

  @Test(arguments: [
    ("\"name\": \"first-charter\"", "\"name\": \"First\"", ":6:11: \"First\" is not a pack name"),
    ("\"version\": \"1.2.0\"", "\"version\": \"1.2\"", ":7:14: \"1.2\" is not a semantic version"),
    ("  \"licence\": \"CC-BY-4.0\",\n", "", ":1:1: the member 'licence' is missing"),
    ("\"profile\": \"content\"", "\"profile\": \"contents\"", ":5:14: 'profile' is \"contents\""),
    ("checklists/leaving", "../leaving", "is not the path of a file in data/"),
    ("\"0f0f", "\"0F0f", "is not a SHA-256 in lower-case"),
    ("\"9B2C0A54", "\"9b2C0A54", ":20:13: \"9b2C0A54"),
    ("\"languages\": [\"en\", \"el\"]", "\"languages\": [\"en\", \"en\"]", "listed twice"),
    ("\"profile\"", "\"name\"", "is repeated"),
    ("{\n", "", ":1:"),
  ])
  func theFirstMistakeHasItsPlace(_ old: String, _ new: String, _ says: String) throws {
    var text = String(decoding: try Self.sample.text, as: UTF8.self)
    let range = try #require(text.range(of: old))
    text.replaceSubrange(range, with: new)
    let error = #expect(throws: RunFailure.self) { try PackInfo(parsing: Array(text.utf8), file: "p.json") }
    #expect(error?.status == .failed)
    #expect(error?.message.hasPrefix("p.json:") == true)
    #expect(error?.message.contains(says) == true, "\(error?.message ?? "")")
  }

  @Test func aPackOfANewerFormatIsLeftToANewerReader() throws {
    let text = String(decoding: try Self.sample.text, as: UTF8.self)
      .replacing("\"min_reader\": 1", with: "\"min_reader\": 2").replacing("\"content\"", with: "\"new\"")
    let error = #expect(throws: RunFailure.self) { try PackInfo(parsing: Array(text.utf8), file: "p.json") }
    #expect(error?.status == .newer)
  }

  // MARK: Versions

  @Test func versionsHaveTheOrderOfTheirRules() throws {
    // The example in section 11 of the specification, and numbers that do not fit into a machine word.
    let ordered = [
      "0.9.9", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11",
      "1.0.0-rc.1", "1.0.0", "1.9.0", "1.10.0", "2.0.0", "99999999999999999999999.0.0", "100000000000000000000000.0.0",
    ]
    let versions = try ordered.map { try #require(SemanticVersion($0)) }
    for (left, first) in versions.enumerated() {
      for (right, second) in versions.enumerated() {
        #expect(first.precedes(second) == (left < right), "\(first) \(second)")
      }
    }
    let built = try #require(SemanticVersion("1.0.0+a.01"))
    #expect(!built.precedes(versions[8]) && !versions[8].precedes(built) && built != versions[8])
  }

  @Test(arguments: [
    "", "1", "1.0", "1.0.0.0", "01.0.0", "1.0.0-", "1.0.0-01", "1.0.0-a..b", "1.0.0+", "v1.0.0", "1.0.0-é", "1.0.-1",
    "1.0.0+a+b", " 1.0.0", "1.0.0-\(String(repeating: "a", count: 60))",
  ])
  func whatIsNoVersionIsRefused(_ text: String) { #expect(SemanticVersion(text) == nil) }

  @Test(arguments: [
    ("First Charter.fleetpack", "first-charter"), ("packs/org.example.colregs.tar.gz", "org.example.colregs"),
    ("a/b/", "b"), ("Ägäis.zip", "g-is"), ("....", "pack"), ("x--y..z.tgz", "x-y-z"), ("", "pack"),
    (String(repeating: "ab-", count: 40), String(repeating: "ab-", count: 21) + "a"),
  ])
  func aFileNameGivesTheNameOfAPack(_ path: String, _ name: String) {
    #expect(PackName.of(path: path) == name)
    #expect(PackName.isValid(name))
  }
}
