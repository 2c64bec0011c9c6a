import ContentPack
import FleetKit
import Foundation
import TestSupport
import Testing

/// `convert … --to x.fleetpack` includes everything, and everything can be read back.
@Suite struct PackCopyTests {
  private static let sources =
    ["phase1-library.sqlite", "curated-checklists.jsonl", "crew-handbook.json", "vault"].map {
      Paths.root + "/samples/" + $0
    }
    + ["library-v1.4.0.sqlite", "library-v2.2.0.sqlite"].map { Paths.libraries + "/" + $0 }

  @Test(arguments: sources, ["a.fleetpack", "a.zip", "a.tar.gz"])
  func everythingComesBack(_ source: String, _ target: String) throws {
    let scratch = Scratch()
    let direct = try Shell.fleetkit("convert", source, "--to", scratch["direct.jsonl"], "-q")
    let packed = try Shell.fleetkit("convert", source, "--to", scratch[target], "-q")
    #expect(packed.status == direct.status && packed.status == 0, "\(packed.errors)")
    let back = try Shell.fleetkit("convert", scratch[target], "--to", scratch["back.jsonl"], "-q")
    #expect(back.status == 0, "\(back.errors)")
    #expect(try scratch.text("back.jsonl") == scratch.text("direct.jsonl"))
    let info = try #require(PackHead(scratch[target]).info)
    #expect(info.profile == .copy && info.name == "a" && info.version?.text == "0.0.0")
    #expect(info.publisher == "NOASSERTION" && info.licence == "NOASSERTION")
  }

  @Test func attachmentsTakeTheirBytesAlong() throws {
    let scratch = Scratch()
    #expect(
      try Shell.fleetkit("convert", Paths.root + "/samples/vault", "--to", scratch["a.fleetpack"], "-q").status == 0)
    #expect(try Shell.fleetkit("convert", scratch["a.fleetpack"], "--to", scratch["b/"], "-q").status == 0)
    for name in ["attachments/bowline.png", "руководства/images/stern-to.jpg"] {
      let original = try Data(contentsOf: URL(fileURLWithPath: Paths.root + "/samples/vault/" + name))
      #expect(try Data(contentsOf: URL(fileURLWithPath: scratch["b/" + name])) == original)
    }
  }

  @Test func aSecondItemOfTheSameIDIsKeptInTheRejects() throws {
    let scratch = Scratch()
    let line = """
      {"kind":"item","id":"0A000000-0000-4000-8000-000000000001","content_type":"practice_guide","title":"A","content_data":{"markdown":"x"}}
      """
    let source = try scratch.write("a.jsonl", line + "\n" + line.replacing("\"A\"", with: "\"B\"") + "\n")
    let answer = try Shell.fleetkit("convert", source, "--to", scratch["a.fleetpack"])
    #expect(answer.status == 3 && answer.errors.contains("WRT0101"), "\(answer.errors)")
    #expect(try scratch.text("a.fleetpack.rejects.jsonl") == line.replacing("\"A\"", with: "\"B\"") + "\n")
    #expect(try #require(PackHead(scratch["a.fleetpack"]).info).items.map(\.title) == ["A"])
    #expect(try Shell.fleetkit("convert", source, "--to", scratch["b.fleetpack"], "--on-invalid", "stop").status == 2)
    #expect(try Shell.fleetkit("convert", source, "--to", "-", "--to-format", "fleetpack").status == 64)
  }

  @Test func unknownRecordsAndMembersPass() throws {
    let scratch = Scratch()
    let source = try scratch.write(
      "a.jsonl",
      """
      {"kind":"foreign","id":"7","system":"log","type":"entry","raw":{"wind":5}}
      {"kind":"tide_table","id":"x","heights":[1.50,2]}
      {"kind":"item","id":"0A000000-0000-4000-8000-000000000001","content_type":"checklist","title":"A","content_data":{"sections":[],"mood":1},"weather":{"b":1,"a":2.0}}
      """)
    #expect(try Shell.fleetkit("convert", source, "--to", scratch["direct.jsonl"], "-q").status == 0)
    #expect(try Shell.fleetkit("convert", source, "--to", scratch["p/"], "--to-format", "fleetpack", "-q").status == 0)
    #expect(try Shell.fleetkit("convert", scratch["p"], "--to", scratch["back.jsonl"], "-q").status == 0)
    #expect(try scratch.text("back.jsonl") == scratch.text("direct.jsonl"))
  }
}
