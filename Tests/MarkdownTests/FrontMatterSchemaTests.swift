import Foundation
import JSONText
import TestSupport
import Testing

@testable import Markdown

/// The front matter schema, which editors use, must list the keys that FleetKit reads.
@Suite struct FrontMatterSchemaTests {
  private func properties() throws -> JSONValue {
    let path = Paths.root + "/formats/schemas/front-matter.schema.json"
    let text = try Data(contentsOf: URL(fileURLWithPath: path))
    return try #require(try JSONDocument(parsing: Array(text)).root["properties"])
  }

  @Test func everyKeyThatIsReadIsDescribed() throws {
    let described = try Set(properties().members.map(\.name))
    let read = Set(MetadataKeys.all.flatMap(\.read) + ["aliases", "alias"])
    #expect(described == read, "formats/schemas/front-matter.schema.json lists the keys of MetadataKeys")
  }

  @Test func synonymsAreDescribedAsTheirKey() throws {
    let properties = try properties()
    for key in MetadataKeys.all {
      for synonym in key.synonyms {
        #expect(properties[synonym]?["$ref"]?.string == "#/properties/" + key.name, "\(synonym)")
      }
    }
  }
}
