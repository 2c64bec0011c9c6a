import ArchiveIO
import Foundation
import Interchange
import TestSupport
import Testing

/// Archives with random damage never cause a crash or a name that leads outside the target folder.
@Suite struct ArchiveFuzzTests {
  private static let rounds = Int(ProcessInfo.processInfo.environment["FLEETKIT_FUZZ_ROUNDS"] ?? "") ?? 300

  /// Returns small sound archives that together use every feature: links, long names, folders, several members.
  private func seeds(_ scratch: Scratch) throws -> [(bytes: [UInt8], ending: String)] {
    var seeds: [(bytes: [UInt8], ending: String)] = []
    for kind in [ArchiveKind.fleetpack, .zip, .tarGzip] {
      let writer = try BagWriter(scratch["seed"], kind: kind, overwrites: true)
      for name in ["data/a.md", "data/\u{E9}/b.md", "data/" + String(repeating: "c", count: 120)] {
        _ = try writer.add(name, Array("some words, some words".utf8).span)
      }
      try writer.prepare(first: ("data/pack.json", Array("{}".utf8)), info: BagInfo([("A", "b")]))
      _ = try writer.finish()
      seeds.append((Array(try Data(contentsOf: URL(fileURLWithPath: scratch["seed"]))), ""))
    }
    var tar = TarBytes.entry(Array("data/".utf8), type: "5")
    tar += TarBytes.pax(Array("data/\u{43C}\u{43E}\u{440}\u{435}".utf8), Array("sea".utf8))
    tar += TarBytes.entry(Array("././@LongLink".utf8), Array("data/long\0".utf8), type: "L")
    tar += TarBytes.entry(Array("data/l".utf8), Array("x".utf8)) + TarBytes.entry(Array("bagit.txt".utf8), [66])
    seeds.append((tar + TarBytes.end, "tar"))
    return seeds
  }

  private func change(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
    for _ in 0...random.below(4) {
      guard !bytes.isEmpty else { return }
      let at = random.below(bytes.count)
      switch random.below(7) {
      case 0: bytes[at] ^= UInt8(1 << random.below(8))
      case 1: bytes[at] = random.pick([0, 0xFF, 0x7F, 0x80, 0x2E, 0x2F])
      case 2: bytes.removeSubrange(at..<min(bytes.count, at + 1 + random.below(40)))
      case 3:
        bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + random.below(600))], at: random.below(bytes.count))
      case 4: bytes.removeLast(random.below(bytes.count))
      case 5:
        for place in at..<min(bytes.count, at + 8) { bytes[place] = UInt8(truncatingIfNeeded: random.next()) }
      default:
        bytes.replaceSubrange(
          at..<at, with: Array(random.pick(["../", "/", "\0", "7777777777\0", "PK\u{1}\u{2}"]).utf8))
      }
    }
  }

  @Test func damagedArchivesDoNoHarm() throws {
    let scratch = Scratch()
    let seeds = try seeds(scratch)
    let path = scratch["fuzz"]
    var random = SeededRandom(seed: 20_261_122)
    var read = 0
    for _ in 0..<Self.rounds {
      let seed = random.pick(seeds)
      var bytes = seed.bytes
      change(&bytes, &random)
      // A damaged tar file in a sound gzip file: sound compression does not prove sound content. The gzip data is
      // stored uncompressed, so no tool is needed.
      if seed.ending == "tar" { bytes = GzipBytes.stored(bytes) }
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      do {
        let reader = try ArchiveReader(path)
        while let entry = try reader.next() {
          let parts = entry.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
          #expect(parts.allSatisfy { !$0.isEmpty && !$0.elementsEqual("..".utf8) && !$0.elementsEqual(".".utf8) })
          #expect(entry.path.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\\") })
          try reader.read { read += $0.count }
        }
      } catch is RunFailure {}
      for level in BagCheck.Level.allCases { do { _ = try BagCheck(path, level: level).run() } catch is RunFailure {} }
      do { _ = try BagImage(path) } catch is RunFailure {}
    }
    #expect(read > 0)
    #expect(Set(scratch.names) == ["fuzz", "seed"])
  }

  @Test func damagedTagFilesDoNoHarm() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["bag/data"], withIntermediateDirectories: true)
    let files = [
      "bagit.txt": "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n",
      "bag-info.txt": "A: b\n c\nPayload-Oxum: 2.1\n", "fetch.txt": "http://a.b/c - data/a.txt\n",
      "manifest-md5.txt": "49f68a5c8493ec2c0bf489821c21fc3b  data/a.txt\n", "data/a.txt": "hi",
    ]
    var random = SeededRandom(seed: 8493)
    var valid = 0
    for _ in 0..<Self.rounds {
      let changed = random.pick(Array(files.keys).sorted())
      for (name, text) in files {
        var bytes = Array(text.utf8)
        if name == changed { change(&bytes, &random) }
        try Data(bytes).write(to: URL(fileURLWithPath: scratch["bag/" + name]))
      }
      if try BagCheck(scratch["bag"], level: .content).run().isValid { valid += 1 }
    }
    #expect(valid < Self.rounds)
  }
}

/// Gzip files without compression.
enum GzipBytes {
  /// Returns one gzip member that stores the bytes unchanged.
  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var all: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    var at = 0
    repeat {
      let piece = bytes[at..<min(bytes.count, at + 65_535)]
      at += piece.count
      all += [at == bytes.count ? 1 : 0] + ZipBytes.number(piece.count, 2) + ZipBytes.number(~piece.count, 2) + piece
    } while at < bytes.count
    return all + ZipBytes.number(ZipBytes.crc(bytes), 4) + ZipBytes.number(bytes.count, 4)
  }
}
