import ArchiveIO
import Foundation
import Interchange
import TestSupport
import Testing

@Suite struct BagRoundTripTests {
  @Test(arguments: ArchiveKind.allCases)
  func whatGoesInComesOut(kind: ArchiveKind) throws {
    let scratch = Scratch()
    let path = scratch["pack"]
    let size = try SampleBag.write(path, kind)
    #expect(size > 0)
    #expect(scratch.names == ["pack"])
    let image = try BagImage(path)
    // The files of a folder have no order.
    let names = ["data/pack.json"] + SampleBag.files.map(\.path)
    let found = image.members.map { Array($0.path.utf8) }
    #expect(Set(found) == Set(names.map { Array($0.utf8) }))
    if kind != .folder { #expect(found == names.map { Array($0.utf8) }) }
    #expect(image.info["publisher"] == "Harbour School")
    for file in SampleBag.files {
      let index = try #require(image.index(of: file.path))
      #expect(image.bytes(of: index).elementsEqual(file.bytes))
    }
    #expect(image.warnings.isEmpty)
    let report = try BagCheck(path, level: .content).run()
    #expect(report.isValid)
    #expect(report.files == SampleBag.files.count + 1)
  }

  @Test(arguments: [ArchiveKind.fleetpack, .zip, .tarGzip])
  func theHeadStandsFirst(kind: ArchiveKind) throws {
    let scratch = Scratch()
    _ = try SampleBag.write(scratch["pack"], kind)
    let reader = try ArchiveReader(scratch["pack"])
    var names: [String] = []
    while let entry = try reader.next() { names.append(entry.path) }
    #expect(
      names.prefix(5) == [
        "data/pack.json", "bagit.txt", "bag-info.txt", "manifest-sha256.txt", "tagmanifest-sha256.txt",
      ])
  }
}

/// A small bag with names and sizes of many kinds.
enum SampleBag {
  /// The files of the bag.
  static let files: [(path: String, bytes: [UInt8])] = {
    var random = SeededRandom(seed: 5)
    return [
      ("data/checklists/engine.json", Array("{\"title\":\"Engine\"}\n".utf8)),
      ("data/guides/Anker lichten – Übung.md", Array("# Anker\n".utf8)),
      ("data/guides/якорь.md", Array("# Якорь\n".utf8)),
      ("data/guides/Nu\u{301}n\u{303}ez.md", Array("decomposed\n".utf8)),
      ("data/guides/empty.md", []),
      ("data/decks/\(String(repeating: "long ", count: 30))name.json", Array("{}".utf8)),
      ("data/media/random", (0..<300_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }),
      ("data/media/zeros", [UInt8](repeating: 0, count: 9_000_000)),
    ]
  }()

  /// Writes the bag.
  @discardableResult
  static func write(
    _ path: String, _ kind: ArchiveKind, time: Int64? = nil, threads: Int = 2, mode: UInt32 = 0o644
  ) throws -> Int {
    let writer = try BagWriter(path, kind: kind, time: time, mode: mode, threads: threads)
    for file in files { _ = try writer.add(file.path, file.bytes.span) }
    try writer.prepare(first: ("data/pack.json", Array("{}\n".utf8)), info: BagInfo([("Publisher", "Harbour School")]))
    return try writer.finish()
  }
}
