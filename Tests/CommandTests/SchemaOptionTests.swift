import Foundation
import TestSupport
import Testing

/// The messages of `validate --schema` for an unsuitable schema.
@Suite struct SchemaOptionTests {
  private static let item =
    "{\"content_type\":\"checklist\",\"title\":\"Leaving\",\"content_data\":{\"sections\":["
    + "{\"title\":\"Below\",\"items\":[{\"title\":\"Hatches closed\"}]}]}}"

  @Test func aMissingReferenceSpeaksOfTheOption() throws {
    let scratch = Scratch()
    let good = try scratch.write("good.json", Self.item)
    let remote = try scratch.write("remote.json", "{\"$ref\":\"http://localhost:1234/integer.json\"}")
    let answer = try Shell.fleetkit("validate", good, "--schema", remote)
    #expect(answer.status == 64 && answer.errors.contains("--schema-dir"))
    let inFolder = try Shell.fleetkit("validate", good, "--schema", remote, "--schema-dir", scratch.path)
    #expect(inFolder.status == 64 && inFolder.errors != answer.errors && inFolder.errors.contains("--schema-dir"))
  }

  @Test func ourSchemasMayBeCalledByTheirFiles() throws {
    let scratch = Scratch()
    let good = try scratch.write("good.json", Self.item)
    for name in ["library-item", "library-item.schema.json"] {
      #expect(try Shell.fleetkit("validate", good, "--schema", name).status == 0, "\(name)")
    }
    #expect(try Shell.fleetkit("validate", good, "--schema", "libary-item").status == 64)
    #expect(try Shell.fleetkit("validate", good, "--schema", "libary-item.json").status == 2)
  }

  @Test(arguments: ["content.json", "content.jsonl", "content.yaml"])
  func anItemIsNoDocument(_ name: String) throws {
    let scratch = Scratch()
    let path = try scratch.write(name, Self.item + "\n")
    for schema in ["checklist", "canonical/checklist", "checklist.schema.json"] {
      let answer = try Shell.fleetkit("validate", path, "--schema", schema, "--report", "jsonl")
      #expect(answer.output.contains("\"VAL0103\"") && answer.output.contains("/content_type"), "\(answer.output)")
    }
    #expect(try !Shell.fleetkit("validate", path, "--schema", "library-item", "--json").output.contains("VAL0103"))
    let own = try scratch.write("s.json", "{}")
    #expect(try !Shell.fleetkit("validate", path, "--schema", own, "--json").output.contains("VAL0103"))
  }

  @Test func aBrokenSchemaIsAnsweredWithTheFix() throws {
    let scratch = Scratch()
    let good = try scratch.write("good.json", Self.item)
    let broken = try scratch.write("broken.json", "{\"type\": \"object\",}")
    let answer = try Shell.fleetkit("validate", good, "--schema", broken)
    #expect(answer.status == 64 && answer.errors.contains("(1:18)"))
  }

  @Test func oneCharacterIsNoPlural() throws {
    let scratch = Scratch()
    let path = try scratch.write("one.json", Self.item.replacing("Leaving", with: "L"))
    let answer = try Shell.fleetkit("validate", path, "--profile", "publish")
    #expect(
      answer.output.contains("[PUB") && answer.output.contains(/\b1\b[^\n]*\b3\b[^\n]*\b100\b/), "\(answer.output)")
  }

  @Test func theConfigurationMayFailOnNotes() throws {
    let scratch = Scratch()
    // A bundle without its header causes a note.
    let path = try scratch.write("content.jsonl", Self.item + "\n")
    let strict = try scratch.write("strict.yml", "fail_on: note\n")
    let loose = try scratch.write("loose.yml", "fail_on: warning\n")
    #expect(try Shell.fleetkit("validate", path, "--config", strict).status == 1)
    #expect(try Shell.fleetkit("validate", path, "--config", loose).status == 0)
    let wrong = try scratch.write("wrong.yml", "fail_on: notee\n")
    let answer = try Shell.fleetkit("validate", path, "--config", wrong)
    #expect(answer.status == 64 && !answer.errors.contains("?."), "\(answer.errors)")
  }
}
