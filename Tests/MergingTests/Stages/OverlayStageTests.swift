import Content
import JSONText
import Testing

@testable import Merging

/// The second stage, tested without a database.
@Suite struct OverlayStageTests {
  private static let titles = FieldCoverage(
    item: ["title", "content_data"], document: ["title", "sections"], section: ["title", "items"], step: ["title"])

  private static func overlay(_ source: String, _ library: String, coverage: FieldCoverage?) throws -> String? {
    let overlay = RecordOverlay()
    let document = try JSONDocument(parsing: library)
    return try document.withNode(document.root.tokenIndex) { library in
      try StageSupport.incoming(source, coverage: coverage) { incoming in
        try overlay.apply(incoming, over: library).map { String(decoding: $0.raw, as: UTF8.self) }
      }
    }
  }

  @Test func aRecordThatHasAllStaysAsItIs() throws {
    let line = try StageSupport.line()
    #expect(try Self.overlay(line, line, coverage: nil) == nil)
  }

  @Test func whatASourceCannotExpressIsTheLibrarys() throws {
    let library = try StageSupport.line(description: "In the morning", steps: ["Fuel", "Oil"])
    let source = try StageSupport.line(title: "Leaving", steps: ["Fuel", "Oil", "Water"])
    let line = try #require(try Self.overlay(source, library, coverage: Self.titles))
    let record = try JSONDocument(parsing: line).root
    #expect(record["title"]?.string == "Leaving")
    #expect(record["description"]?.string == "In the morning")
    #expect(record["content_data"]?["sections"]?.elements.first?["items"]?.elements.count == 3)
  }
}
