import Content
import Foundation
import JSONText
import TestSupport
import Testing

/// An item's lineage must survive every export from a library and every import into another library.
@Suite struct LineageFormatsTests {
  static let forms = [
    "out.jsonl", "out.json", "vault/", "out.csv", "out.xlsx", "steps.csv", "steps.xlsx", "cards.csv", "cards.xlsx",
    "catalogue.csv", "catalogue.xlsx", "out.fleetpack", "copy.sqlite",
  ]

  private static let lineage = """
    "forked_from_id":"1EF2416D-7ACC-4100-A497-8C4FAB8820DA","fork_count":7,"original_author_username":"Анна, =\\"a\\"",\
    "original_author_user_id":"2EF2416D-7ACC-4100-A497-8C4FAB8820DA","original_content_public_id":"fire-0D0939BC"
    """

  static let items = """
    {"kind":"item","id":"0D0939BC-A71B-49F8-B06C-C047F24F4730","content_type":"checklist","title":"Fire",\(lineage),\
    "content_data":{"sections":[{"title":"Below","items":[{"title":"Shut the fuel"},{"title":"Call"}]}]}}
    {"kind":"item","id":"3D0939BC-A71B-49F8-B06C-C047F24F4730","content_type":"practice_guide","title":"Springs",\
    \(lineage),"content_data":{"markdown":"# Springs\\n\\nMotor against the spring."}}
    {"kind":"item","id":"4D0939BC-A71B-49F8-B06C-C047F24F4730","content_type":"flashcard_deck","title":"Lights",\
    \(lineage),"content_data":{"cards":[{"front":"Red?","back":"Port."}]}}
    {"kind":"item","id":"5D0939BC-A71B-49F8-B06C-C047F24F4730","content_type":"checklist","title":"Own",\
    "content_data":{"sections":[{"title":"Below","items":[{"title":"Bilge"}]}]}}

    """

  /// Returns the lineage of a library's items by title.
  private func lineages(_ library: String) throws -> [String: String] {
    let answer = try Shell.fleetkit("export", library, "--to", "-", "--to-format", "jsonl", "-q")
    #expect(answer.status == 0)
    var found: [String: String] = [:]
    for line in answer.output.split(separator: "\n").dropFirst() {
      let root = try JSONDocument(parsing: String(line)).root
      let members = [
        "forked_from_id", "fork_count", "original_author_username", "original_author_user_id",
        "original_content_public_id",
      ]
      found[root["title"]?.string ?? ""] = members.map { name in
        root[name]?.text ?? "-"
      }.joined(separator: " ")
    }
    return found
  }

  @Test(arguments: forms) func survives(_ form: String) throws {
    let folder = Scratch()
    let source = try folder.write("items.jsonl", Self.items)
    #expect(try Shell.fleetkit("import", source, "--into", folder["a.sqlite"], "--create").status == 0)
    let before = try lineages(folder["a.sqlite"])
    #expect(before.count == 4)
    var arguments = ["export", folder["a.sqlite"], "--to", folder.path + "/" + form]
    let shape = form.split(separator: ".").first.map(String.init) ?? ""
    let isShaped = ["steps", "cards", "catalogue"].contains(shape)
    if isShaped { arguments += ["--shape", shape] }
    if form == "copy.sqlite" { arguments[0] = "convert" }
    let out = try Shell.run(Paths.command, arguments)
    #expect(out.status == 0, "\(out.errors)")
    let back = try Shell.fleetkit("import", folder.path + "/" + form, "--into", folder["b.sqlite"], "--create")
    #expect(back.status == 0, "\(back.errors)")
    let after = try lineages(folder["b.sqlite"])
    let expected = before.filter { title, _ in
      !isShaped || shape == "catalogue" || (shape == "steps") == (title == "Fire" || title == "Own")
    }.filter { title, _ in shape != "cards" || title == "Lights" }
      // A new library cannot hold decks, as its page documents.
      .filter { title, _ in form != "copy.sqlite" || title != "Lights" }
    #expect(after == expected)
  }

  @Test func aPublishedPackLeavesOutWhatARegistryCounts() throws {
    let folder = Scratch()
    let source = try folder.write("items.jsonl", Self.items)
    _ = try folder.write("pack.yml", "version: 1.0.0\npublisher: anna\nlicence: CC0-1.0\n")
    _ = try Shell.fleetkit("import", source, "--into", folder["a.sqlite"], "--create")
    let built = try Shell.fleetkit(
      "pack", "build", source, "--config", folder["pack.yml"], "--to", folder["p.zip"])
    // Publishing requires descriptions, which these items lack.
    #expect([0, 1].contains(built.status))
    guard built.status == 0 else { return }
    _ = try Shell.fleetkit("import", folder["p.zip"], "--into", folder["b.sqlite"], "--create")
    for (title, before) in try lineages(folder["a.sqlite"]) {
      #expect(try lineages(folder["b.sqlite"])[title] == before.replacing(" 7 ", with: " 0 "))
    }
  }

  @Test func aTableOfOwnWorkHasNoColumnsForIt() throws {
    let folder = Scratch()
    let own = Self.items.split(separator: "\n").last.map(String.init) ?? ""
    let source = try folder.write("items.jsonl", own)
    _ = try Shell.fleetkit("convert", source, "--to", folder["steps.csv"])
    #expect(try !folder.text("steps.csv").contains("forked"))
  }

  @Test(arguments: [("fork_count", "many"), ("forked_from_id", "anna")])
  func aCellThatIsNoneIsNamed(_ column: String, _ cell: String) throws {
    let folder = Scratch()
    let table = try folder.write("t.csv", "checklist,item,\(column)\nFire,Shut the fuel,\(cell)\nFire,Call,\n")
    let answer = try Shell.fleetkit("import", table, "--into", folder["a.sqlite"], "--create")
    #expect(answer.errors.contains("t.csv:2:") && answer.errors.contains("error[TBL0113]"), "\(answer.errors)")
    #expect(answer.errors.contains("'\(column)'") && answer.errors.contains("'\(cell)'"), "\(answer.errors)")
  }
}
