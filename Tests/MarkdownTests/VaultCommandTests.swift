import Foundation
import TestSupport
import Testing

/// The command with vaults and notes: refused targets, streams, selections and exit statuses.
@Suite struct VaultCommandTests {
  private static let library = Paths.libraries + "/library-v2.2.0.sqlite"
  private static let sample = Paths.root + "/samples/vault"

  private func names(_ scratch: Scratch, _ folder: String) throws -> [String] {
    try Vaults.files(scratch[folder]).keys.sorted()
  }

  @Test func foldersOfOthersAreRefused() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["mine"], withIntermediateDirectories: true)
    _ = try scratch.write("mine/diary.txt", "mine")
    let refused = try Shell.fleetkit("export", Self.library, "--to", scratch["mine/"])
    #expect(refused.status == 4 && refused.errors.contains("--overwrite"))
    #expect(try names(scratch, "mine") == ["diary.txt"])
    let forced = try Shell.fleetkit("export", Self.library, "--to", scratch["mine/"], "--overwrite", "-q")
    #expect(forced.status == 0)
    #expect(try scratch.text("mine/diary.txt") == "mine")
    #expect(try names(scratch, "mine").count > 20)
    // The folder is now a vault that FleetKit wrote.
    #expect(try Shell.fleetkit("export", Self.library, "--to", scratch["mine/"], "-q").status == 0)
    // A file cannot be used as a folder.
    let file = try Shell.fleetkit("export", Self.library, "--to", scratch["mine/diary.txt/"], "-q")
    #expect([2, 4, 64].contains(file.status))
    #expect(try scratch.text("mine/diary.txt") == "mine")
  }

  @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
  func foldersThatCannotBeWrittenFail() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(
      atPath: scratch["locked"], withIntermediateDirectories: true, attributes: [.posixPermissions: 0o555])
    let answer = try Shell.fleetkit("export", Self.library, "--to", scratch["locked/vault/"])
    #expect(answer.status == 2 && answer.errors.contains("locked"))
  }

  @Test func targetsBelowAFileFail() throws {
    let scratch = Scratch()
    _ = try scratch.write("file", "x")
    let answer = try Shell.fleetkit("export", Self.library, "--to", scratch["file/vault/"])
    #expect(answer.status == 2 && answer.errors.contains("Not a directory"))
    #expect(scratch.names == ["file"])
  }

  @Test func oneItemIsOneNote() throws {
    let scratch = Scratch()
    let id = "FE5E96A7-BE04-42FD-910C-91A1AA64DBB3"
    let answer = try Shell.fleetkit("export", Self.library, "--to", "one.md", "--id", id, folder: scratch.path)
    #expect(answer.status == 0 && scratch.names == ["one.md"])
    #expect(try scratch.text("one.md").contains("id: \(id)\n"))
    let again = try Shell.fleetkit("export", Self.library, "--to", "one.md", "--id", id, folder: scratch.path)
    #expect(again.status == 4, "a file is not replaced unasked")
    let stream = try Shell.fleetkit("export", Self.library, "--to", "-", "--to-format", "markdown", "--id", id, "-q")
    #expect(stream.status == 0)
    let note = try scratch.text("one.md")
    #expect(stream.output.hasPrefix("<!-- file: guides/anchoring-in-the-med.md -->\n" + note))
    // Read from standard input, the note is the same item.
    let back = try Shell.fleetkit(
      "convert", "-", "--from-format", "markdown", "--to", "-", "--to-format", "jsonl", "-q", input: note)
    #expect(back.status == 0 && back.output.contains("\"id\":\"\(id)\""))
    let equal = try Shell.fleetkit("diff", "one.md", Self.library, "--id", id, folder: scratch.path)
    #expect(equal.status == 0, "\(equal.output)")
  }

  @Test func selectionsBecomeVaults() throws {
    let scratch = Scratch()
    let answer = try Shell.fleetkit("export", Self.library, "--type", "guide", "--to", scratch["vault/"])
    #expect(answer.status == 0)
    let found = try names(scratch, "vault")
    #expect(found.allSatisfy { $0.hasPrefix("guides/") || $0 == ".fleetkit/library.jsonl" } && found.count == 10)
    #expect(try scratch.text("vault/.fleetkit/library.jsonl").split(separator: "\n").count == 1)
    let none = try Shell.fleetkit("export", Self.library, "--title", "nothing like it", "--to", scratch["none/"])
    #expect(none.status == 4 && scratch.names == ["vault"])
  }

  @Test func vaultsAreListedShownAndCompared() throws {
    let scratch = Scratch()
    let list = try Shell.fleetkit("list", Self.sample, "-q")
    #expect(list.status == 0 && list.output.contains("Heaving to") && list.output.contains("5 cards"))
    let json = try Shell.fleetkit("list", Self.sample, "--json", "-q")
    #expect(json.output.matches(of: /"kind":"item"/).count == 24, "\(json.output.prefix(300))")
    let one = try Shell.fleetkit("list", Self.sample + "/guides/Heaving to.md", "-q")
    #expect(one.status == 0 && one.output.split(separator: "\n").first { $0.contains("Heaving to") } != nil)
    let show = try Shell.fleetkit("show", Self.sample, "--title", "Engine start", "-q")
    #expect(show.status == 0 && show.output.contains("Engine start"))
    let note = try Shell.fleetkit("show", Self.sample + "/checklists/Engine start.md", "Engine", "-q")
    #expect(note.status == 0 && note.output.contains("Engine start"))
    let inspect = try Shell.fleetkit("inspect", Self.sample, "-q")
    #expect(
      inspect.status == 0 && inspect.output.contains(/checklists +9/) && inspect.output.contains(/attachments +4/))
    #expect(try Shell.fleetkit("inspect", Self.sample + "/Home.md", "-q").output.contains(/practice guides +1/))
    try Vaults.convert(Self.library, to: scratch["vault/"])
    #expect(try Shell.fleetkit("diff", scratch["vault"], Self.library).status == 0)
    let path = "vault/guides/anchoring-in-the-med.md"
    _ = try scratch.write(path, try scratch.text(path).replacing("boring", with: "dull"))
    let differs = try Shell.fleetkit("diff", Self.library, scratch["vault"])
    #expect(differs.status == 1 && differs.output.contains("Anchoring in the Med"))
  }

  @Test func statusesOfWhatCannotBeRead() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["empty"], withIntermediateDirectories: true)
    #expect(try Shell.fleetkit("convert", scratch["none.md"], "--to", scratch["a.jsonl"]).status == 2)
    #expect(try Shell.fleetkit("convert", scratch["empty"], "--to", scratch["a.jsonl"]).status == 2)
    // A note that is not text is rejected, and the others are imported.
    try Vaults.convert(Self.sample + "/guides", to: scratch["vault/"])
    try Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 7) }).write(
      to: URL(fileURLWithPath: scratch["vault/noise.md"]))
    let answer = try Shell.fleetkit("convert", scratch["vault"], "--to", scratch["a.jsonl"], "--json", "-q")
    #expect(answer.status == 3 && answer.output.contains(/"item":\{"read":7,"created":6,[^}]*"rejected":1/))
    #expect(try Shell.fleetkit("validate", scratch["vault"]).status == 1)
  }

  /// A part of a vault, below a folder whose name has more bytes than characters.
  @Test func aFolderOfCardsInAPartOfAVaultIsNamedAsTheUserWould() throws {
    let scratch = Scratch()
    let folder = scratch["vault/колоды/карточки/Узлы"]
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    _ = try scratch.write("vault/.fleetkit.yml", "version: 1\nsource: boat\n")
    for name in ["Булинь", "Штык"] { try Data("Ответ.\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name).md")) }
    let answer = try Shell.fleetkit("list", "колоды", "--explain", folder: scratch["vault"])
    #expect(answer.status == 0)
    #expect(answer.errors.contains("колоды/карточки/Узлы: ") && !answer.errors.contains("vault/"))
  }
}
