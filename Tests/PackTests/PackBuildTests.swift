import ContentPack
import FleetKit
import Foundation
import TestSupport
import Testing

/// `fleetkit pack build`: what it includes and omits, and that equal content produces equal bytes.
@Suite struct PackBuildTests {
  private static let sources = [Paths.root + "/samples/curated-checklists.jsonl", Paths.root + "/samples/ci"]
  private static let config = Paths.root + "/samples/pack/pack.yml"

  private static let yml = "name: test\nversion: 1.0.0\npublisher: Blue Sea\nlicence: CC-BY-4.0\n"

  private func build(
    _ sources: [String], config: String = config, to target: String, _ more: [String] = [],
    environment: [String: String] = [:]
  ) throws -> Answer {
    try Shell.run(
      Paths.command, ["pack", "build"] + sources + ["--config", config, "--to", target] + more,
      environment: environment)
  }

  /// Returns a complete item. `more` is added to its envelope.
  private static func item(
    _ number: Int, _ title: String = "Anchoring at night", type: String = "practice_guide", more: String = "",
    content: String = "\"markdown\":\"Take two bearings.\""
  ) -> String {
    let id = "0A000000-0000-4000-8000-\(String(repeating: "0", count: 12 - String(number).count))\(number)"
    return """
      {"kind":"item","id":"\(id)","content_type":"\(type)","title":"\(title)","description":"What to do, and when.",\
      "language":"en"\(more.isEmpty ? "" : "," + more),"content_data":{\(content)}}
      """
  }

  private func unpacked(_ pack: String, _ scratch: Scratch, _ name: String = "unpacked") throws -> String {
    try FileManager.default.createDirectory(atPath: scratch[name], withIntermediateDirectories: true)
    let answer = try Shell.run("bsdtar", ["-xf", pack, "-C", scratch[name]])
    #expect(answer.status == 0, "\(answer.errors)")
    return scratch[name]
  }

  // MARK: Reproducible packs

  @Test func theSameContentGivesTheSameBytes() throws {
    let scratch = Scratch()
    let first = scratch["a.fleetpack"]
    #expect(try build(Self.sources, to: first).status == 0)
    let expected = try Data(contentsOf: URL(fileURLWithPath: first))
    // A bundle, a copy and a vault contain the same items, each in a different order.
    for target in ["b.json", "c.fleetpack", "v/"] {
      let made = try Shell.run(Paths.command, ["convert"] + Self.sources.reversed() + ["--to", scratch[target], "-q"])
      #expect(made.status == 0, "\(made.errors)")
      let again = scratch["again.fleetpack"]
      let answer = try build([scratch[target]], to: again, ["--overwrite"])
      #expect(answer.status == 0, "\(answer.errors)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: again)) == expected, "\(target)")
    }
    // A library cannot hold items without times, so only items with times are compared.
    let curated = Self.sources[0]
    #expect(try Shell.fleetkit("convert", curated, "--to", scratch["l.sqlite"], "-q").status == 0)
    #expect(try build([scratch["l.sqlite"]], to: scratch["l.fleetpack"]).status == 0)
    #expect(try build([curated], to: scratch["m.fleetpack"]).status == 0)
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: scratch["l.fleetpack"]))
        == Data(contentsOf: URL(fileURLWithPath: scratch["m.fleetpack"])))
    let elsewhere = scratch["tz.fleetpack"]
    _ = try build(
      Self.sources.reversed(), to: elsewhere,
      environment: ["TZ": "Pacific/Kiritimati", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: elsewhere)) == expected)
  }

  @Test func theClockIsWhatSomebodySays() throws {
    let scratch = Scratch()
    for name in ["a", "b"] {
      #expect(
        try build(Self.sources, to: scratch[name + ".fleetpack"], environment: ["SOURCE_DATE_EPOCH": "1700000000"])
          .status == 0)
    }
    let dated = try Data(contentsOf: URL(fileURLWithPath: scratch["a.fleetpack"]))
    #expect(try Data(contentsOf: URL(fileURLWithPath: scratch["b.fleetpack"])) == dated)
    let info = try scratch.contents("a.fleetpack", "bag-info.txt")
    #expect(info.contains("Bagging-Date: 2023-11-14\n"))
    #expect(try build(Self.sources, to: scratch["c.fleetpack"]).status == 0)
    #expect(try !scratch.contents("c.fleetpack", "bag-info.txt").contains("Bagging-Date"))
    #expect(try scratch.contents("a.fleetpack", "data/pack.json") == scratch.contents("c.fleetpack", "data/pack.json"))
  }

  @Test func namesDoNotDependOnTheOrder() throws {
    let scratch = Scratch()
    let lines = [
      Self.item(1, "Same title"), Self.item(2, "Same title"), Self.item(3, "Same title 0a000000"),
      Self.item(4, "Ελλάδα"),
      Self.item(5, "🙂🙂🙂🙂"),
    ]
    let orders = [lines, lines.reversed(), [lines[2], lines[0], lines[4], lines[1], lines[3]]]
    var lists: Set<String> = []
    for (number, order) in orders.enumerated() {
      let source = try scratch.write("\(number).jsonl", order.joined(separator: "\n"))
      let answer = try build([source], config: scratch.write("pack.yml", Self.yml), to: scratch["\(number).fleetpack"])
      #expect(answer.status == 0, "\(answer.errors)")
      lists.insert(try Shell.run("bsdtar", ["-tf", scratch["\(number).fleetpack"]]).output)
    }
    #expect(lists.count == 1)
    let names = try #require(lists.first).split(separator: "\n").filter { $0.hasPrefix("data/guides/") }
    #expect(
      names == [
        "data/guides/ellada.md", "data/guides/same-title-0a000000-0000-4000-8000-000000000001.md",
        "data/guides/same-title-0a000000-0000-4000-8000-000000000002.md", "data/guides/same-title-0a000000.md",
        "data/guides/untitled.md",
      ])
  }

  // MARK: Omitted content

  @Test func whatIsPersonalStaysOut() throws {
    let scratch = Scratch()
    let more = """
      "visibility":"public","sync_status":"synced","creator_id":"0A000000-0000-4000-8000-0000000000FF","fork_count":3,\
      "rating_average":4.5,"rating_count":2,"is_pinned":true,"pinned_order":1,"published_at":"2026-01-05T10:11:12.345Z",\
      "public_id":"knots","public_metadata":{"publishedAt":"2026-01-05T10:11:12Z","publicID":"knots","canFork":true},\
      "original_author_username":"anna_sails","original_content_public_id":"old-knots",\
      "extras":{"provenance":{"created_at":"file"},"mood":"calm"}
      """
    let cards = """
      "creatorID":"0A000000-0000-4000-8000-0000000000FF","syncStatus":"synced",\
      "cards":[{"front":"Which knot?","back":"A bowline.","review":{"easeFactor":2.5,"intervalDays":3,"repetitions":1,"lapses":0}},\
      {"front":"And then?","back":"A clove hitch."}]
      """
    let charter =
      #"{"kind":"charter","id":"0A000000-0000-4000-8000-0000000000C0","name":"Ionian","created_at":"2026-01-05T10:11:12.345Z"}"#
    let source = try scratch.write(
      "a.jsonl",
      [charter, Self.item(1, "Knots", type: "flashcard_deck", more: more, content: cards)].joined(separator: "\n"))
    let answer = try build(
      [source], config: scratch.write("pack.yml", Self.yml), to: scratch["a.fleetpack"], ["--json"])
    #expect(answer.status == 0, "\(answer.errors)")
    let text = try scratch.contents("a.fleetpack", "data/decks/knots.json")
    for word in [
      "\"public\"", "synced", "0000000000FF", "review", "4.5", "provenance", "\"knots\"", "canFork",
      "true,\n  \"pinned",
    ] {
      #expect(!text.contains(word), "\(word)")
    }
    for word in ["anna_sails", "old-knots", "\"mood\": \"calm\"", "A clove hitch.", "\"is_pinned\": false"] {
      #expect(text.contains(word), "\(word)")
    }
    // The rest is unchanged, because only these members differ.
    let difference = try Shell.fleetkit("diff", source, scratch["a.fleetpack"], "--type", "item", "--json")
    #expect(!difference.output.contains("/content_data/cards/1") && !difference.output.contains("/title"))
    let losses = (answer.value("/losses/items") as? [[String: Any]] ?? []).compactMap { $0["field"] as? String }
    // One finding for each reason.
    for field in [
      "/visibility", "/creator_id", "/fork_count", "/is_pinned", "/content_data/cards/review", "/extras/provenance",
    ] { #expect(losses.contains(field), "\(losses)") }
    #expect(try !Shell.run("bsdtar", ["-tf", scratch["a.fleetpack"]]).output.contains("records.jsonl"))
    let attribution = try scratch.contents("a.fleetpack", "data/ATTRIBUTION.md")
    #expect(attribution.contains("## Knots\n") && attribution.contains("- Original author: anna\\_sails\n"))
    #expect(
      attribution.contains("- File: `decks/knots.json`\n")
        && attribution.contains("- Public id of the original: old-knots\n"))
  }

  @Test func attachmentsThatItemsUseGoIn() throws {
    let scratch = Scratch()
    let vault = scratch["vault"]
    try FileManager.default.createDirectory(atPath: vault + "/img", withIntermediateDirectories: true)
    let front = "---\ntype: guide\ndescription: What to do.\n"
    _ = try scratch.write("vault/Used.md", front + "title: Used\n---\n![a knot](img/Knot.PNG)\n")
    _ = try scratch.write("vault/Other.md", front + "title: Other\ntags: [left]\n---\n![a buoy](img/buoy.jpg)\n")
    _ = try scratch.write("vault/img/Knot.PNG", "bytes of a knot")
    _ = try scratch.write("vault/img/buoy.jpg", "bytes of a buoy")
    let answer = try build(
      [vault], config: scratch.write("pack.yml", Self.yml + "select: {title: Used}\n"), to: scratch["a.fleetpack"])
    #expect(answer.status == 0, "\(answer.errors)")
    let names = try Shell.run("bsdtar", ["-tf", scratch["a.fleetpack"]]).output
    let hash = try #require(Shell.run("sha256sum", [vault + "/img/Knot.PNG"]).output.split(separator: " ").first)
    #expect(names.contains("data/media/\(hash).png\n") && names.contains("data/records.jsonl"))
    #expect(names.split(separator: "\n").count { $0.hasPrefix("data/media/") } == 1)
    #expect(try scratch.contents("a.fleetpack", "data/media/\(hash).png") == "bytes of a knot")
    // The attachment that no item uses is omitted.
    #expect(answer.errors.contains(/attachments +2 +1 +0 +1\n/), "\(answer.errors)")
  }

  // MARK: Refused content

  @Test func whatIsNotFitToBePublishedIsNotBuilt() throws {
    let scratch = Scratch()
    let good = Self.item(1)
    let empty = Self.item(2, "Empty", content: "\"markdown\":\"\"")
    let cases: [(name: String, text: String, code: String)] = [
      ("rule", good + "\n" + empty, "PUB"),
      ("schema", good + "\n" + Self.item(2, content: "\"markdown\":7"), "SCH0101"),
      ("twice", good + "\n" + good, "LNT0101"),
      ("broken", good + "\n{\"kind\":\"charter\",\"name\":7}", "SCH0101"),
      ("json", good + "\n{\"kind\":", "JSN"),
    ]
    let config = try scratch.write("pack.yml", Self.yml)
    for test in cases {
      let source = try scratch.write(test.name + ".jsonl", test.text)
      let answer = try build([source], config: config, to: scratch["out.fleetpack"])
      #expect(answer.status == 1, "\(test.name): \(answer.status) \(answer.errors)")
      #expect(
        answer.errors.contains("\(source):2:") && answer.errors.contains(test.code), "\(test.name): \(answer.errors)")
      let asJSON = try build([source], config: config, to: scratch["out.fleetpack"], ["--json"])
      #expect(asJSON.status == 1 && asJSON.output.contains("\"built\":false") && asJSON.output.contains(test.code))
    }
    #expect(!scratch.names.contains { $0.contains("out.fleetpack") }, "\(scratch.names)")
  }

  @Test func aBrokenCharterThatIsNotMeantDoesNotMatterToRules() throws {
    let scratch = Scratch()
    let charter =
      #"{"kind":"charter","id":"0A000000-0000-4000-8000-0000000000C0","name":"x","start_date":"2026-02-01T00:00:00Z","end_date":"2026-01-01T00:00:00Z"}"#
    let source = try scratch.write("a.jsonl", Self.item(1) + "\n" + charter)
    let answer = try build([source], config: scratch.write("pack.yml", Self.yml), to: scratch["a.fleetpack"])
    #expect(answer.status == 0 && !answer.errors.contains("LNT"), "\(answer.errors)")
  }

  @Test func theCommandLineIsChecked() throws {
    let scratch = Scratch()
    let source = try scratch.write("a.jsonl", Self.item(1))
    let config = try scratch.write("pack.yml", Self.yml)
    func status(_ arguments: String...) throws -> (Int32, String) {
      let answer = try Shell.run(Paths.command, ["pack", "build"] + arguments, folder: scratch.path)
      return (answer.status, answer.errors)
    }
    let without = try status(source, "--to", "a.fleetpack")
    #expect(without.0 == 64 && without.1.contains("publisher: "))
    #expect(try status(source, "--config", config, "--to", "-").0 == 64)
    #expect(try status(source, "--config", scratch["no.yml"], "--to", "a.fleetpack").0 == 64)
    #expect(try status(source, "--config", config, "--tag", "nothing", "--to", "a.fleetpack").0 == 4)
    #expect(try status(scratch["no.jsonl"], "--config", config, "--to", "a.fleetpack").0 == 2)
    #expect(try status(source, "--config", config, "--to", "a.fleetpack", "--dry-run").0 == 0)
    #expect(scratch.names == ["a.jsonl", "pack.yml"])
    #expect(try status(source, "--config", config, "--to", "a.fleetpack", "-q").1.isEmpty)
    #expect(try status(source, "--config", config, "--to", "a.fleetpack").0 == 4)
    #expect(try status(source, "--config", config, "--to", "a.fleetpack", "--overwrite").0 == 0)
    // pack.yml in the folder to be packed, and every kind of archive.
    for target in ["b.zip", "b.tar.gz", "b/"] {
      let answer = try status(scratch.path, "--to", scratch["out-" + target], "--id", "0A000000", "--path", "*a.jsonl")
      #expect(answer.0 == 0, "\(answer.1)")
    }
    #expect(try PackHead(scratch["out-b"]).info == PackHead(scratch["a.fleetpack"]).info)
    #expect(try PackHead(scratch["out-b.zip"]).info?.items.map(\.title) == ["Anchoring at night"])
  }

  // MARK: History

  @Test func aNewVersionCarriesOnTheHistory() throws {
    let scratch = Scratch()
    let source = try scratch.write("a.jsonl", Self.item(1))
    func build(_ version: String, _ previous: String?, name: String = "test") throws -> Answer {
      let config = try scratch.write(
        "pack.yml", Self.yml.replacing("1.0.0", with: version).replacing("name: test", with: "name: \(name)"))
      return try self.build(
        [source], config: config, to: scratch["\(name)-\(version).fleetpack"],
        previous.map { ["--previous", scratch["test-\($0).fleetpack"]] } ?? [])
    }
    #expect(try build("1.0.0", nil).status == 0)
    #expect(try build("1.1.0-rc.1", "1.0.0").status == 0)
    #expect(try build("1.1.0", "1.1.0-rc.1").status == 0)
    let info = try #require(PackHead(scratch["test-1.1.0.fleetpack"]).info)
    let hashes = try ["1.1.0-rc.1", "1.0.0"].map {
      try Shell.run("sha256sum", [scratch["test-\($0).fleetpack"]]).output.split(separator: " ").first.map(String.init)
    }
    #expect(info.previous.map(\.version.text) == ["1.1.0-rc.1", "1.0.0"] && info.previous.map(\.sha256) == hashes)
    #expect(try build("1.1.0+later", "1.1.0").status == 64)
    #expect(try build("1.0.5", "1.1.0").status == 64)
    #expect(try build("2.0.0", "1.1.0", name: "other").status == 64)
  }

  // MARK: Judges

  @Test(.enabled(if: Judges.has(module: "bagit") && Shell.has("bsdtar"), Judges.reason))
  func othersAcceptWhatWeBuild() throws {
    let scratch = Scratch()
    for target in ["a.fleetpack", "a.zip", "a.tar.gz"] {
      #expect(try build(Self.sources, to: scratch[target]).status == 0)
      let folder = try unpacked(scratch[target], scratch, target + ".d")
      let bagit = try Judges.run("python", ["-m", "bagit", "--validate", folder])
      #expect(bagit.status == 0, "\(bagit.errors)")
      #expect(
        try Shell.run("sha256sum", ["-c", "--strict", "--quiet", "manifest-sha256.txt"], folder: folder).status == 0)
      #expect(try Shell.run("bsdtar", ["-tf", scratch[target]]).output.hasPrefix("data/pack.json\n"))
    }
    let schema = try Shell.fleetkit("validate", "--schema", "pack", scratch["a.zip.d"] + "/data/pack.json")
    #expect(schema.status == 0, "\(schema.output)")
  }
}

extension Scratch {
  /// Returns the text of a file in a pack.
  func contents(_ pack: String, _ name: String) throws -> String {
    try Shell.run("bsdtar", ["-xOf", self[pack], name]).output
  }
}
