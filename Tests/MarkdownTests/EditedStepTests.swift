import FleetKit
import Foundation
import TestSupport
import Testing

/// Steps of notes without ids.
@Suite struct EditedStepTests {
  private static let note = """
    # Leaving the berth

    ## Deck

    - [ ] Check the fenders
    - [ ] Single up the lines
    - [ ] Rig the spring

    ## Below

    - [ ] Dog all hatches
    - [ ] Turn off the gas

    """

  private static func ids(_ library: String, _ scratch: Scratch) throws -> [String: String] {
    var ids: [String: String] = [:]
    for record in try Vaults.records(library, scratch) {
      for match in record.matches(of: /"id":"([0-9A-F-]{36})","title":"([^"]+)"/) {
        ids[String(match.output.2)] = String(match.output.1)
      }
    }
    return ids
  }

  @Test func aTitleThatWasEditedKeepsItsTick() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["vault"], withIntermediateDirectories: true)
    _ = try scratch.write("vault/.fleetkit.yml", "source: mine\n")
    _ = try scratch.write("vault/leaving.md", Self.note)
    let library = scratch["anyfleet.sqlite"]
    #expect(try Vaults.add(scratch["vault"], to: library).tally[.item].created == 1)
    let before = try Self.ids(library, scratch)
    // One step is edited, one is moved to another section, one is added at the top, and one now means the opposite.
    let edited = Self.note.replacing("Single up the lines", with: "Single up all the lines")
      .replacing("- [ ] Rig the spring\n", with: "").replacing(
        "## Below\n\n", with: "## Below\n\n- [ ] Rig the spring\n"
      )
      .replacing("- [ ] Check the fenders", with: "- [ ] Start the engine\n- [ ] Check the fenders")
      .replacing("Turn off the gas", with: "Turn on the gas")
    _ = try scratch.write("vault/leaving.md", edited)
    #expect(try Vaults.add(scratch["vault"], to: library).tally[.item].updated == 1)
    let after = try Self.ids(library, scratch)
    #expect(after["Single up all the lines"] == before["Single up the lines"])
    for title in ["Check the fenders", "Rig the spring", "Dog all hatches", "Deck", "Below"] {
      #expect(after[title] != nil && after[title] == before[title])
    }
    #expect(!before.values.contains(after["Turn on the gas"] ?? "") && after["Turn on the gas"] != nil)
    #expect(!before.values.contains(after["Start the engine"] ?? "") && after["Start the engine"] != nil)
    #expect(try Vaults.add(scratch["vault"], to: library).tally[.item].unchanged == 1)
  }
}
