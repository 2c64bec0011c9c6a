import Content
import Diagnostics
import FleetKit
import Foundation
import Interchange
import TestSupport
import Testing

@testable import Markdown

/// Files that notes refer to: as records, next to a library, and in other formats.
@Suite struct MediaTests {
  private static let bytes = "\u{1}PNG, or nearly\n"

  private static func vault() throws -> Scratch {
    let scratch = Scratch()
    for folder in ["vault/images", "vault/guides"] {
      try FileManager.default.createDirectory(atPath: scratch[folder], withIntermediateDirectories: true)
    }
    _ = try scratch.write(
      "vault/guides/a.md",
      "---\nid: 3F2A0001-0000-4000-8000-00000000000B\n---\n# A\n\n![k](../images/knot.png) [[plan.pdf]]\n")
    _ = try scratch.write(
      "vault/b.md",
      "---\nid: 3F2A0001-0000-4000-8000-00000000000A\n---\n# B\n\n![[knot.png]] ![[knot.png|300]] ![x](out.png)\n")
    _ = try scratch.write("vault/images/knot.png", bytes)
    _ = try scratch.write("vault/plan.pdf", "%PDF")
    _ = try scratch.write("vault/unused.png", "nobody")
    _ = try scratch.write("secret.png", "secret")
    try FileManager.default.createSymbolicLink(
      atPath: scratch["vault/out.png"], withDestinationPath: scratch["secret.png"])
    return scratch
  }

  private static func context() -> RunContext { RunContext(now: Timestamp(milliseconds: 0)) }

  private static func attachments(_ path: String, _ context: RunContext = context()) throws -> [String] {
    var lines: [String] = []
    _ = try RecordScan(sources: try SourceList([path])).run(context: context) {
      if $0.kind == .attachment { lines.append($0.json) }
    }
    return lines
  }

  private static func sha256(_ path: String) throws -> String {
    String(try Shell.run("sha256sum", [path]).output.prefix(64))
  }

  @Test func filesBecomeAttachments() throws {
    let scratch = try Self.vault()
    let context = Self.context()
    let lines = try Self.attachments(scratch["vault"], context)
    try #require(lines.count == 2)
    let knot = try #require(try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any])
    #expect(knot["path"] as? String == "images/knot.png")
    #expect(knot["name"] as? String == "knot.png")
    #expect(knot["media_type"] as? String == "image/png")
    #expect(knot["bytes"] as? Int == Self.bytes.utf8.count)
    #expect(try knot["sha256"] as? String == Self.sha256(scratch["vault/images/knot.png"]))
    #expect(
      knot["item_ids"] as? [String]
        == ["3F2A0001-0000-4000-8000-00000000000A", "3F2A0001-0000-4000-8000-00000000000B"])
    #expect(lines[1].contains("\"path\":\"plan.pdf\""))
    #expect(try Self.attachments(scratch["vault"]) == lines)
    // A link to a path outside the vault is reported, and its file is not copied.
    let missing = context.findings.kept.filter { $0.code.id == "LNT0305" }
    #expect(missing.map(\.place.file) == [scratch["vault/out.png"]])
  }

  @Test func pathsNeverLeadOut() throws {
    let scratch = try Self.vault()
    for path in ["../secret.png", "out.png", "images/../../secret.png", "images", "", "/etc/passwd", "none"] {
      #expect(LinkPath.open(path, in: scratch["vault"]) == nil, "\(path)")
    }
    let descriptor = try #require(LinkPath.open("images/knot.png", in: scratch["vault"]))
    close(descriptor)
    #expect(LinkPath.resolved("../../x.png", from: "a/b.md") == nil)
    #expect(LinkPath.resolved("../x.png", from: "a/b.md") == "x.png")
  }

  /// A note that is read alone also imports the files that it links to.
  @Test func aSingleNote() throws {
    let scratch = try Self.vault()
    _ = try scratch.write("vault/.fleetkit.yml", "source: test\n")
    let alone = try Self.attachments(scratch["vault/guides/a.md"])
    try #require(alone.count == 1)
    let whole = try Self.attachments(scratch["vault"])
    func id(_ line: String) -> Substring { line.dropFirst(26).prefix(40) }
    #expect(id(alone[0]) == id(whole[0]))
  }

  private static func importVault(_ scratch: Scratch, into library: String, dryRun: Bool = false) throws
    -> LibraryImport.Report
  {
    var run = LibraryImport(sources: try SourceList([scratch["vault"]]), library: library)
    run.createsLibrary = true
    return try run.run(context: RunContext(dryRun: dryRun, now: Timestamp(milliseconds: 0)))
  }

  @Test func bytesLieBesideALibrary() throws {
    let scratch = try Self.vault()
    let library = scratch["library.sqlite"]
    let media = scratch["library.sqlite.fleetkit/media"]
    _ = try Self.importVault(scratch, into: library)
    let hash = try Self.sha256(scratch["vault/images/knot.png"])
    #expect(try String(contentsOfFile: media + "/" + hash, encoding: .utf8) == Self.bytes)
    let names = try FileManager.default.contentsOfDirectory(atPath: media)
    #expect(names.count == 2)
    #expect(!names.contains(try Self.sha256(scratch["secret.png"])))

    // A second import changes nothing, and does not copy existing files again.
    let before = try FileManager.default.attributesOfItem(atPath: media + "/" + hash)[.systemFileNumber] as? Int
    let again = try Self.importVault(scratch, into: library)
    #expect(again.summary.tally[.attachment].unchanged == 2)
    #expect(
      try FileManager.default.attributesOfItem(atPath: media + "/" + hash)[.systemFileNumber] as? Int == before)

    // A missing media file is copied again.
    try FileManager.default.removeItem(atPath: media + "/" + hash)
    _ = try Self.importVault(scratch, into: library)
    #expect(FileManager.default.fileExists(atPath: media + "/" + hash))

    // A library provides the media files to readers.
    let reader = try SourceList([library]).readers(context: Self.context())[0]()
    var paths: [String] = []
    while let batch = try reader.next() {
      for record in batch.records where record.kind == .attachment {
        if let path = record.mediaPath { paths.append(path) }
      }
    }
    #expect(paths.map { ($0 as NSString).lastPathComponent }.sorted() == names.sorted())
    var copy = LibraryImport(sources: try SourceList([library]), library: scratch["second.sqlite"])
    copy.createsLibrary = true
    _ = try copy.run(context: Self.context())
    let copied = try FileManager.default.contentsOfDirectory(atPath: scratch["second.sqlite.fleetkit/media"])
    #expect(copied.sorted() == names.sorted())
  }

  @Test func aDryRunCopiesNothing() throws {
    let scratch = try Self.vault()
    _ = try Self.importVault(scratch, into: scratch["library.sqlite"], dryRun: true)
    #expect(scratch.names == ["secret.png", "vault"])
  }

  @Test func aFailedImportLeavesNothing() throws {
    let scratch = try Self.vault()
    let library = scratch["library.sqlite"]
    _ = try Self.importVault(scratch, into: library)
    _ = try scratch.write("vault/images/knot.png", "another knot")
    var run = LibraryImport(sources: try SourceList([scratch["vault"]]), library: library)
    run.onConflict = .fail
    #expect(throws: RunFailure.self) { try run.run(context: Self.context()) }
    let media = try FileManager.default.contentsOfDirectory(atPath: scratch["library.sqlite.fleetkit/media"])
    #expect(media.count == 2)
    #expect(!media.contains(try Self.sha256(scratch["vault/images/knot.png"])))
  }

  @Test(arguments: ["out.jsonl", "out.json"])
  func aBundleSaysWhatItDoesNotHold(_ name: String) throws {
    let scratch = try Self.vault()
    let context = Self.context()
    let conversion = Conversion(sources: try SourceList([scratch["vault"]]), target: Target(scratch[name]))
    _ = try conversion.run(context: context)
    #expect(context.losses.byReason.map(\.count) == [2])
    // A conversion of the bundle loses nothing more, because the bundle never contained the bytes.
    let second = Self.context()
    _ = try Conversion(sources: try SourceList([scratch[name]]), target: Target(scratch["again.jsonl"])).run(
      context: second)
    #expect(second.losses.total == 0)
    #expect(try Self.attachments(scratch[name]).sorted() == Self.attachments(scratch["vault"]).sorted())
  }

  /// The library's attachment metadata is restored unchanged, with the bytes from the vault.
  @Test func attachmentsOfALibraryKeepTheirRecords() throws {
    let scratch = try Self.vault()
    let hash = try Self.sha256(scratch["vault/images/knot.png"])
    let id = "3F2A0001-0000-4000-8000-0000000000FF"
    let line =
      "{\"kind\":\"attachment\",\"id\":\"\(id)\",\"caption\":\"a knot\",\"path\":\"images/knot.png\",\"sha256\":\"\(hash)\"}"
    let lost = "{\"kind\":\"attachment\",\"id\":\"3F2A0001-0000-4000-8000-0000000000FE\",\"name\":\"lost.png\"}"
    let header = "{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1,\"min_reader\":1}"
    try FileManager.default.createDirectory(atPath: scratch["vault/.fleetkit"], withIntermediateDirectories: true)
    _ = try scratch.write("vault/.fleetkit/library.jsonl", [header, lost, line, ""].joined(separator: "\n"))
    #expect(Set(try Self.attachments(scratch["vault"])).isSuperset(of: [line, lost]))
    #expect(try Self.attachments(scratch["vault"]).count == 3)
    _ = try Self.importVault(scratch, into: scratch["library.sqlite"])
    #expect(FileManager.default.fileExists(atPath: scratch["library.sqlite.fleetkit/media/\(hash)"]))
    // A different picture with the same name is the same attachment with other bytes.
    _ = try scratch.write("vault/images/knot.png", "another knot")
    let changed = try Self.attachments(scratch["vault"]).filter { $0.contains(id) }
    #expect(changed.count == 1 && !changed[0].contains(hash))
  }

  @Test func whatStandsInTheWayOfNotesIsLeftOut() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["in/.fleetkit"], withIntermediateDirectories: true)
    let paths = ["guides", "guides/splicing.md/x.png", "a", "a/b", "b.png"]
    let lines = paths.enumerated().map { index, path in
      "{\"kind\":\"attachment\",\"id\":\"3F2A0001-0000-4000-8000-00000000000\(index)\",\"path\":\"\(path)\"}"
    }
    _ = try scratch.write("in/.fleetkit/library.jsonl", Vaults.bundle([Notes.guide(body: "x")] + lines))
    for name in ["guides", "a", "b.png"] { _ = try scratch.write("in/" + name, name) }
    let context = Self.context()
    _ = try Conversion(sources: try SourceList([scratch["in"]]), target: Target(scratch["out/"])).run(context: context)
    #expect(
      try Vaults.files(scratch["out"]).keys.sorted() == [".fleetkit/library.jsonl", "a", "b.png", "guides/splicing.md"])
    #expect(context.findings.counts[.leftAlone] == 1)
    // The attachment's record is kept.
    #expect(try scratch.text("out/.fleetkit/library.jsonl").contains("\"path\":\"guides\""))
  }

  /// Conversion from vault to library to vault restores the same files, and a second export writes nothing.
  @Test func bytesComeBackIntoAVault() throws {
    let scratch = try Self.vault()
    let library = scratch["library.sqlite"]
    _ = try Self.importVault(scratch, into: library)
    func export(overwrites: Bool) throws -> RunContext {
      let context = Self.context()
      var run = Conversion(
        sources: try SourceList([library]), target: Target(scratch["second"], overwrites: overwrites))
      run.targetFormat = .markdown
      _ = try run.run(context: context)
      return context
    }
    #expect(try export(overwrites: false).losses.total == 0)
    #expect(try scratch.text("second/images/knot.png") == Self.bytes)
    #expect(try scratch.text("second/plan.pdf") == "%PDF")
    #expect(
      try Self.attachments(scratch["second"]).sorted() == Self.attachments(library).sorted())
    let context = try export(overwrites: true)
    #expect(!context.findings.kept.contains { $0.code == .leftAlone })

    // A file that a user put into the vault is not replaced.
    _ = try scratch.write("second/plan.pdf", "mine")
    let third = try export(overwrites: true)
    #expect(third.findings.kept.filter { $0.code == .leftAlone }.map(\.place.file) == [scratch["second/plan.pdf"]])
    #expect(try scratch.text("second/plan.pdf") == "mine")
  }
}
