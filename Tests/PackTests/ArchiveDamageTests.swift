import ArchiveIO
import Foundation
import Interchange
import TestSupport
import Testing

@Suite struct ArchiveDamageTests {
  /// Writes a bag of several frames that is quick to read, and returns its bytes.
  private func bag(_ scratch: Scratch, _ kind: ArchiveKind) throws -> [UInt8] {
    var random = SeededRandom(seed: 11)
    let writer = try BagWriter(scratch["whole"], kind: kind)
    for number in 0..<40 {
      let text = (0..<400).map { _ in random.pick(["anchor", "buoy", "reef", "tack", "gybe", "\n"]) }
      try Array(text.joined(separator: " ").utf8).withUnsafeBufferPointer {
        _ = try writer.add("data/guides/\(number).md", $0.span)
      }
    }
    let noise = (0..<40_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    _ = try writer.add("data/media/noise", noise.span)
    try writer.prepare(first: ("data/pack.json", Array("{}".utf8)), info: BagInfo([("A", "b")]))
    _ = try writer.finish()
    return Array(try Data(contentsOf: URL(fileURLWithPath: scratch["whole"])))
  }

  @Test func aFlippedByteIsFoundOrChangesNothing() throws {
    let scratch = Scratch()
    let whole = try bag(scratch, .fleetpack)
    let content = try ArchiveProbe.content(scratch["whole"])
    var random = SeededRandom(seed: 1000)
    var unused = 0
    for round in 0..<1000 {
      var bytes = whole
      let at = random.below(bytes.count)
      bytes[at] ^= UInt8(1 + random.below(255))
      try Data(bytes).write(to: URL(fileURLWithPath: scratch["flipped"]))
      do {
        _ = try BagImage(scratch["flipped"])
        // zstd ignores this bit, so every byte of the content is unchanged.
        #expect(try ArchiveProbe.content(scratch["flipped"]) == content, "round \(round), byte \(at)")
        unused += 1
      } catch let failure as RunFailure {
        #expect(failure.status == .mismatch || failure.status == .failed)
        let namesEntry = content.keys.contains { failure.message.contains($0) }
        #expect(
          failure.message.contains("byte ") || namesEntry || at < 4, "round \(round), byte \(at): \(failure.message)")
      }
    }
    #expect(unused < 50)
  }

  @Test(arguments: [ArchiveKind.zip, .tarGzip])
  func aFlippedByteOfOtherKindsIsFoundOrChangesNothing(kind: ArchiveKind) throws {
    let scratch = Scratch()
    let whole = try bag(scratch, kind)
    let content = try ArchiveProbe.content(scratch["whole"])
    var random = SeededRandom(seed: 300)
    for round in 0..<300 {
      var bytes = whole
      bytes[random.below(bytes.count)] ^= UInt8(1 + random.below(255))
      try Data(bytes).write(to: URL(fileURLWithPath: scratch["flipped"]))
      do {
        _ = try BagImage(scratch["flipped"])
        #expect(try ArchiveProbe.content(scratch["flipped"]) == content, "round \(round)")
      } catch is RunFailure {}
    }
  }

  @Test(arguments: [ArchiveKind.fleetpack, .zip, .tarGzip])
  func whatIsCutOffNeverPasses(kind: ArchiveKind) throws {
    let scratch = Scratch()
    let whole = try bag(scratch, kind)
    var random = SeededRandom(seed: 200)
    var lengths = (0..<190).map { _ in random.below(whole.count) }
    lengths += [0, 1, 2, 3, 4, 5, whole.count - 1, whole.count - 2, whole.count - 22, whole.count / 2]
    lengths += frameEnds(whole)
    for length in lengths {
      try Data(whole.prefix(length)).write(to: URL(fileURLWithPath: scratch["cut"]))
      #expect(throws: RunFailure.self, "\(length) of \(whole.count)") { try BagImage(scratch["cut"]) }
      // Reading fails even without a comparison with the manifest.
      #expect(throws: RunFailure.self, "\(length) of \(whole.count)") { try ArchiveProbe.size(scratch["cut"]) }
    }
  }

  @Test(arguments: [ArchiveKind.fleetpack, .zip, .tarGzip])
  func whatIsAddedIsNoticed(kind: ArchiveKind) throws {
    let scratch = Scratch()
    let whole = try bag(scratch, kind)
    for tail in [[0], [1, 2, 3], Array(whole.prefix(100)), whole] as [[UInt8]] {
      try Data(whole + tail).write(to: URL(fileURLWithPath: scratch["long"]))
      #expect(throws: RunFailure.self) { try BagImage(scratch["long"]) }
    }
  }

  @Test(arguments: [0, 100, 5_000, 40_000])
  func tarsThatLackTheirEndAreDamaged(cut: Int) throws {
    let scratch = Scratch()
    try SampleBag.write(scratch["bag"], .folder)
    #expect(try Shell.run("tar", ["-cf", scratch["a.tar"], "-C", scratch["bag"], "."]).status == 0)
    var tar = Array(try Data(contentsOf: URL(fileURLWithPath: scratch["a.tar"])))
    // Removes the trailing zeros and some more bytes.
    while tar.last == 0 { tar.removeLast() }
    tar += [UInt8](repeating: 0, count: TarBytes.padding(tar.count))
    try Data(tar.dropLast(cut)).write(to: URL(fileURLWithPath: scratch["b.tar"]))
    #expect(try Shell.run("zstd", ["-q", scratch["b.tar"]]).status == 0)
    #expect(throws: RunFailure.self) { try ArchiveProbe.size(scratch["b.tar.zst"]) }
  }

  /// Returns the ends of the zstd frames. A cut at such a position leaves only whole frames.
  private func frameEnds(_ bytes: [UInt8]) -> [Int] {
    bytes.indices.dropFirst().filter { bytes[$0...].prefix(4).elementsEqual([0x28, 0xB5, 0x2F, 0xFD]) }
  }
}
