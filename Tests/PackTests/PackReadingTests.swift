import ArchiveIO
import FleetKit
import Foundation
import TestSupport
import Testing

/// Packs as sources of every verb that reads content.
@Suite struct PackReadingTests {
  @Test(arguments: ArchiveKind.allCases)
  func theSameRecordsWhateverItIsPackedIn(_ kind: ArchiveKind) throws {
    let scratch = Scratch()
    let path = try HandPack.small.write(scratch[HandPack.name(kind)], kind)
    let answer = try Shell.fleetkit("convert", path, "--to", scratch["out.jsonl"])
    #expect(answer.status == 0, "\(answer.errors)")
    let lines = try scratch.text("out.jsonl").split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[1].hasPrefix("{\"kind\":\"item\",\"id\":\"\(HandPack.guideID)\""))
    #expect(lines[2].hasPrefix("{\"kind\":\"item\",\"id\":\"\(HandPack.checklistID)\""))
    let reference = scratch["reference.jsonl"]
    let plain = try HandPack.small.write(scratch["reference"], .folder)
    #expect(try Shell.fleetkit("convert", plain, "--to", reference).status == 0)
    #expect(try scratch.text("out.jsonl") == scratch.text("reference.jsonl"))
    #expect(try Shell.fleetkit("diff", path, plain).status == 0)
    #expect(try Shell.fleetkit("show", path, HandPack.guideID).output.contains("Five times the depth."))
  }

  @Test func aNoteWithoutAnIDGetsOneFromThePacksNameAndItsPath() throws {
    let scratch = Scratch()
    var pack = HandPack()
    pack.files.append(("guides/anchoring.md", HandPack.guide(id: nil)))
    _ = try pack.write(scratch["first.fleetpack"], .fleetpack)
    _ = try pack.write(scratch["second.zip"], .zip)
    func noteID(_ path: String) throws -> String? {
      let answer = try Shell.fleetkit("show", path, "--title", "Anchoring", "--json")
      return try JSONDocument(parsing: answer.output).root["id"]?.string
    }
    let id = try noteID(scratch["first.fleetpack"])
    #expect(id == CanonicalUUID.derived(["hand-made", "guides/anchoring.md", ""]))
    #expect(try noteID(scratch["second.zip"]) == id)
  }

  @Test(arguments: ArchiveKind.allCases)
  func attachmentsComeWithTheirBytes(_ kind: ArchiveKind) throws {
    let scratch = Scratch()
    var pack = HandPack.small
    let picture = "not really a picture"
    let hash = Digest.hex(Digest.sha256(picture.utf8.span))
    pack.files.append(
      (
        "records.jsonl",
        """
        {"kind":"bundle","format":"fleetkit.bundle","version":1,"min_reader":1}
        {"kind":"attachment","id":"A1","path":"guides/knot.png","name":"knot.png","sha256":"\(hash)"}

        """
      ))
    pack.files.append(("media/\(hash).png", picture))
    let path = try pack.write(scratch[HandPack.name(kind)], kind)
    #expect(try Shell.fleetkit("convert", path, "--to", scratch["vault/"]).status == 0)
    #expect(try scratch.text("vault/guides/knot.png") == picture)
    let answer = try Shell.fleetkit("import", path, "--into", scratch["l.sqlite"], "--create")
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(try scratch.text("l.sqlite.fleetkit/media/\(hash)") == picture)
  }

  @Test func aNewVersionOfAPackUpdatesTheItemsOfTheOldOne() throws {
    let scratch = Scratch()
    var pack = HandPack.small
    _ = try pack.write(scratch["one-1.0.fleetpack"], .fleetpack)
    #expect(
      try Shell.fleetkit("import", scratch["one-1.0.fleetpack"], "--into", scratch["l.sqlite"], "--create").status == 0)
    let again = try Shell.fleetkit("import", scratch["one-1.0.fleetpack"], "--into", scratch["l.sqlite"], "--json")
    let kinds = try JSONDocument(parsing: again.output).root
    #expect(again.output.contains("\"unchanged\":2") && again.output.contains("\"created\":0"), "\(again.output)")
    #expect(kinds["status"]?.integer ?? 0 == 0)
    // The new version contains its note under a different name and without an id.
    pack = HandPack()
    pack.version = "1.1.0"
    pack.add(
      "checklists/berth.json", HandPack.checklist(step: "Start the motor"), id: HandPack.checklistID, type: "checklist",
      title: "Leaving the berth")
    pack.add("guides/anchoring.md", HandPack.guide(), id: HandPack.guideID, type: "practice_guide", title: "Anchoring")
    _ = try pack.write(scratch["two-1.1.zip"], .zip)
    let update = try Shell.fleetkit("import", scratch["two-1.1.zip"], "--into", scratch["l.sqlite"], "--json")
    #expect(update.output.contains("\"updated\":1") && update.output.contains("\"unchanged\":1"), "\(update.output)")
    #expect(try Shell.fleetkit("show", scratch["l.sqlite"], HandPack.checklistID).output.contains("Start the motor"))
  }

  @Test func listAndInspectReadTheHeadOnly() throws {
    let scratch = Scratch()
    for kind in ArchiveKind.allCases {
      let path = try HandPack.small.write(scratch[HandPack.name(kind)], kind)
      let list = try Shell.fleetkit("list", path)
      #expect(
        list.status == 0 && list.output.contains("9B2C0A54  checklist       Leaving the berth  en"), "\(list.output)")
      let one = try Shell.fleetkit("list", path, "--type", "guide", "--title", "anch*", "--json")
      let items = try JSONDocument(parsing: one.output).root.elements
      #expect(items.count == 1 && items[0]["id"]?.string == HandPack.guideID && items[0]["steps"] == nil)
      let inspect = try Shell.fleetkit("inspect", path)
      for words in [
        "hand-made", "1.0.0", "Blue Sea Sailing School", "CC-BY-4.0", "What a crew needs.",
      ] { #expect(inspect.output.contains(words), "\(words): \(inspect.output)") }
      let json = try JSONDocument(parsing: try Shell.fleetkit("inspect", path, "--json").output).root
      let source = json["sources"]?[0]
      #expect(source?["version"]?.string == "1.0.0" && source?["verified"]?.bool == false)
    }
    let unsigned = try Shell.fleetkit("inspect", scratch["first.zip"]).output
    _ = try scratch.write("first.zip.minisig", "x")
    #expect(try Shell.fleetkit("inspect", scratch["first.zip"]).output != unsigned)
  }

  @Test func whatLiesBehindTheHeadMayBeBrokenForAList() throws {
    let scratch = Scratch()
    let path = try HandPack.small.write(scratch["first"], .folder)
    _ = try scratch.write("first/data/guides/anchoring.md", HandPack.guide(body: "Twice the depth."))
    #expect(try Shell.fleetkit("list", path).status == 0)
    #expect(try Shell.fleetkit("inspect", path).status == 0)
    for verb in [
      ["convert", path, "--to", scratch["out.jsonl"]], ["import", path, "--into", scratch["l.sqlite"], "--create"],
      ["show", path, HandPack.guideID], ["list", path, "--tag", "x"],
    ] {
      let answer = try Shell.run(Paths.command, verb)
      #expect(answer.status == 5 && answer.output.isEmpty, "\(verb) \(answer.status) \(answer.errors)")
      #expect(answer.errors.contains("guides/anchoring.md"), "\(answer.errors)")
    }
    #expect(scratch.names == ["first"])
    let validate = try Shell.fleetkit("validate", path)
    #expect(validate.status == 1 && validate.output.contains("guides/anchoring.md"), "\(validate.output)")
  }

  @Test func aDamagedArchiveIsAFinding() throws {
    let scratch = Scratch()
    for kind in [ArchiveKind.fleetpack, .zip, .tarGzip] {
      let path = try HandPack.small.write(scratch[HandPack.name(kind)], kind)
      var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      bytes[bytes.count * 3 / 4] ^= 0x10
      try bytes.write(to: URL(fileURLWithPath: path))
      let answer = try Shell.fleetkit("validate", path)
      #expect(answer.status == 1 && answer.output.contains("error"), "\(kind) \(answer.output) \(answer.errors)")
      let convert = try Shell.fleetkit("convert", path, "--to", scratch["out.jsonl"])
      #expect(convert.status == 5, "\(kind) \(convert.errors)")
    }
    #expect(!scratch.names.contains("out.jsonl"))
  }

  @Test func aNewerPackIsReadAsFarAsItAllows() throws {
    let scratch = Scratch()
    let info = HandPack.small.info.replacing("\"format_version\": 1", with: "\"format_version\": 2")
    let newer = try HandPack.small.write(scratch["newer.fleetpack"], .fleetpack, info: info)
    let answer = try Shell.fleetkit("convert", newer, "--to", scratch["out.jsonl"])
    #expect(answer.status == 0 && answer.errors.contains("PCK0306"), "\(answer.errors)")
    let closed = try HandPack.small.write(
      scratch["closed.fleetpack"], .fleetpack, info: info.replacing("\"min_reader\": 1", with: "\"min_reader\": 2"))
    for verb in [["convert", closed, "--to", scratch["b.jsonl"]], ["list", closed], ["validate", closed]] {
      let answer = try Shell.run(Paths.command, verb)
      #expect(answer.status == 6 && (answer.errors + answer.output).contains("FleetKit"), "\(answer.errors)")
    }
  }

  @Test func archivesThatAreNoPacksSaySo() throws {
    let scratch = Scratch()
    _ = try scratch.write("notes.txt", "plain")
    for (name, arguments, status) in [
      ("a.gz", ["sh", "-c", "gzip -c notes.txt > a.gz"], Int32(2)),
      ("a.tar.gz", ["tar", "czf", "a.tar.gz", "notes.txt"], 1),
      ("a.tar.zst", ["tar", "--zstd", "-cf", "a.tar.zst", "notes.txt"], 1),
    ] {
      #expect(try Shell.run("env", arguments, folder: scratch.path).status == 0)
      let answer = try Shell.fleetkit("list", scratch[name])
      #expect(answer.status == 2, "\(answer.errors)")
      #expect(answer.errors.contains(name), "\(answer.errors)")
      #expect(try Shell.fleetkit("validate", scratch[name]).status == status)
    }
  }

  @Test func aBagWithoutADescriptionIsNoPack() throws {
    let scratch = Scratch()
    let path = try HandPack.small.write(scratch["first"], .folder)
    let data = try Data(contentsOf: URL(fileURLWithPath: scratch["first/data/pack.json"]))
    try FileManager.default.removeItem(atPath: scratch["first/data/pack.json"])
    for list in ["manifest-sha256.txt", "tagmanifest-sha256.txt", "bag-info.txt"] {
      let text = (try? scratch.text("first/" + list)) ?? ""
      let kept = text.split(separator: "\n").filter {
        !$0.hasSuffix("data/pack.json") && !$0.hasPrefix("Payload-Oxum") && !$0.hasSuffix(" manifest-sha256.txt")
          && !$0.hasSuffix(" bag-info.txt")
      }
      _ = try scratch.write("first/" + list, kept.map { $0 + "\n" }.joined())
    }
    #expect(data.count > 100)
    let answer = try Shell.fleetkit("convert", path, "--to", scratch["out.jsonl"])
    #expect(answer.status == 2 && !answer.errors.isEmpty, "\(answer.errors)")
    let validate = try Shell.fleetkit("validate", path)
    #expect(validate.status == 1 && validate.output.contains("PCK0101"), "\(validate.output)\(validate.errors)")
  }

  @Test func packsInAFolderAreOneSourceEach() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["content/sub"], withIntermediateDirectories: true)
    _ = try scratch.write("content/own.md", HandPack.guide("Own", id: "1E0E8A0C-4A0F-4B52-9E43-5E2C7E0D1F77"))
    _ = try HandPack.small.write(scratch["content/sub/pack"], .folder)
    let answer = try Shell.fleetkit("list", scratch["content"], "--json")
    let items = try JSONDocument(parsing: answer.output).root.elements.compactMap { $0["title"]?.string }
    #expect(items.sorted() == ["Anchoring", "Leaving the berth", "Own"], "\(answer.output)\(answer.errors)")
    // A user who requests the Markdown format for a pack's folder gets the notes in that folder.
    let notes = try Shell.fleetkit("list", scratch["content/sub/pack"], "--from-format", "markdown", "--json")
    #expect(try JSONDocument(parsing: notes.output).root.elements.count == 1)
  }
}
