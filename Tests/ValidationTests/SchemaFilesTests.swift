import FleetKit
import Foundation
import TestSupport
import Testing
import Validation

/// The schema files must be complete, described, embedded in the command, and consistent with the reader's shapes.
@Suite struct SchemaFilesTests {
  @Test func everySchemaIsEmbeddedAsItIs() throws {
    #expect(SchemaFile.names.count >= 16)
    #expect(EmbeddedSchemas.names == SchemaFile.names, "Sources/CSchemas/fleetkit_schemas.c lists them")
    for name in SchemaFile.names {
      let file = try Data(contentsOf: URL(fileURLWithPath: SchemaFile.path(name)))
      let text = try #require(EmbeddedSchemas.text(name))
      #expect(Array(text) == Array(file), "\(name) is stale")
    }
    #expect(EmbeddedSchemas.text("nobody") == nil && EmbeddedSchemas.text("checklist.schema.json") == nil)
  }

  @Test(arguments: SchemaFile.names)
  func aFileSaysWhatItIs(_ name: String) throws {
    let file = try SchemaFile(name)
    #expect(file.root["$id"]?.string == EmbeddedSchemas.base + name + ".schema.json")
    #expect(file.root["$schema"]?.string == "https://json-schema.org/draft/2020-12/schema")
    #expect(file.root.duplicateName == nil)
    #expect(Self.isDescribed(file.root))
  }

  @Test(arguments: SchemaFile.names)
  func referencesLeadSomewhere(_ name: String) throws {
    let file = try SchemaFile(name)
    for (pointer, schema) in file.subschemas {
      guard let reference = schema["$ref"]?.string else { continue }
      #expect(try file.target(of: reference) != nil, "\(pointer) → \(reference)")
    }
  }

  /// Editors display the title and the description, and suggest the examples.
  @Test(arguments: SchemaFile.names)
  func propertiesAreDescribed(_ name: String) throws {
    let file = try SchemaFile(name)
    var properties = 0
    // The properties in a condition have no description, because they are only tested.
    for (pointer, schema) in file.subschemas where !pointer.split(separator: "/").contains("if") {
      for (member, property) in schema["properties"]?.members ?? [] {
        properties += 1
        let target = try property["$ref"]?.string.flatMap(file.target)
        #expect(Self.isDescribed(property) || target.map(Self.isDescribed) == true, "\(pointer)/properties/\(member)")
      }
    }
    #expect(properties > 0)
  }

  private static func isDescribed(_ schema: JSONValue) -> Bool {
    schema["title"]?.string?.isEmpty == false && schema["description"]?.string?.isEmpty == false
      && schema["examples"]?.elements.isEmpty == false
  }

  /// A new member of the reader must also be described in the schema, in the same position.
  @Test(arguments: ["", "canonical/"])
  func membersStandInTheOrderOfTheShapes(_ folder: String) throws {
    let objects: [(schema: String, pointer: String, shape: Shape)] = [
      ("checklist", "", Shapes.checklist), ("checklist", "/$defs/checklistSection", Shapes.checklistSection),
      ("checklist", "/$defs/checklistItem", Shapes.checklistItem), ("practice_guide", "", Shapes.practiceGuide),
      ("flashcard_deck", "", Shapes.flashcardDeck), ("flashcard_deck", "/$defs/card", Shapes.card),
      ("flashcard_deck", "/$defs/card/properties/review", Shapes.cardReview), ("library-item", "", Shapes.item),
      ("library-item", "/properties/public_metadata", Shapes.publicMetadata),
      ("record", "/$defs/charter", Shapes.charter), ("record", "/$defs/execution", Shapes.execution),
      ("record", "/$defs/tick", Shapes.itemState), ("record", "/$defs/sync_operation", Shapes.syncOperation),
    ]
    for (schema, pointer, shape) in objects {
      let file = try SchemaFile(folder + schema)
      let object = try #require(file.subschemas.first { $0.pointer == pointer }?.schema, "\(schema)#\(pointer)")
      #expect(object["properties"]?.members.map(\.name) == shape.members.map(\.nameText), "\(schema)#\(pointer)")
      let required = shape.members.filter { folder.isEmpty ? $0.absent == .refuse : $0.absent != .omit }
      #expect((object["required"]?.elements ?? []).compactMap(\.string) == required.map(\.nameText))
    }
  }
}
