import ArchiveIO
import Foundation
import Interchange
import TestSupport
import Testing

/// ZIP archives with 64-bit numbers: other tools read ours, and we read theirs.
@Suite(.serialized) struct LargeZipTests {
  /// Tests a whole archive with `unzip` and with Python.
  private func judge(_ archive: String, entries: Int, first: (name: String, size: Int)) throws {
    if Shell.has("unzip") {
      let answer = try Shell.run("unzip", ["-tqq", archive])
      #expect(answer.status == 0, "\(answer.output.suffix(500)) \(answer.errors.suffix(500))")
    }
    guard Shell.has("python3") else { return }
    let program = """
      import sys, zipfile
      archive = zipfile.ZipFile(sys.argv[1])
      print(len(archive.infolist()), archive.testzip(), archive.getinfo(sys.argv[2]).file_size)
      """
    let answer = try Shell.run("python3", ["-c", program, archive, first.name])
    #expect(answer.output == "\(entries) None \(first.size)\n", "\(answer.errors)")
  }

  private func finish(_ writer: BagWriter) throws {
    try writer.prepare(first: ("data/pack.json", Array("{}".utf8)), info: BagInfo())
    _ = try writer.finish()
  }

  /// Archives with more files than the 16-bit count at the end of an archive can express.
  @Test func moreThan65535FilesAreWrittenAndRead() throws {
    let scratch = Scratch()
    let archive = scratch["many.zip"]
    let writer = try BagWriter(archive, kind: .zip)
    let count = 66_000
    for number in 0..<count {
      _ = try writer.add("data/n/\(number).txt", Array("\(number)".utf8).span)
    }
    try finish(writer)
    let report = try BagCheck(archive, level: .content).run()
    #expect(report.isValid && report.files == count + 1, "\(report.findings)")
    try judge(archive, entries: count + 5, first: ("data/n/65999.txt", 5))
  }

  /// - Parameter isDense: whether the content is compressed thirtyfold, so that only its own size needs 64 bits.
  ///   Otherwise the content is incompressible, and the packed size and the offsets of all further files need 64 bits,
  ///   too.
  @Test(.enabled(if: Large.isWanted, Large.reason), arguments: [true, false])
  func moreThan4GiBAreWrittenAndRead(_ isDense: Bool) throws {
    let scratch = Scratch()
    let source = scratch["large"]
    _ = FileManager.default.createFile(atPath: source, contents: nil)
    let file = try #require(FileHandle(forWritingAtPath: source))
    var random = SeededRandom(seed: 64)
    // Compression looks back at most 32 KiB, so it does not recognize a repeated block.
    var block = Data(count: 1 << 20)
    for index in stride(from: 0, to: block.count, by: 1) where !isDense || index & 0x7FFF < 1024 {
      block[index] = UInt8(truncatingIfNeeded: random.below(256))
    }
    let blocks = 4200
    for _ in 0..<blocks { try file.write(contentsOf: block) }
    try file.close()
    let size = blocks << 20
    #expect(size > 1 << 32)

    let archive = scratch["large.zip"]
    let writer = try BagWriter(archive, kind: .zip, level: 1)
    let before = try writer.add("data/a-before", file: try scratch.write("small", "before"))
    let large = try writer.add("data/large", file: source)
    let behind = try writer.add("data/z-behind", file: try scratch.write("small", "behind"))
    unlink(source)
    try finish(writer)
    let packed = try #require(FileManager.default.attributesOfItem(atPath: archive)[.size] as? Int)
    #expect(isDense ? packed < 1 << 30 : packed > 1 << 32)

    let report = try BagCheck(archive, level: .content).run()
    #expect(report.isValid && report.bytes == size + 14, "\(report.findings)")
    for member in [before, large, behind] { #expect(report.checksums[member.path] == member.sha256) }
    try judge(archive, entries: 8, first: ("data/large", size))
    print("ZIP of \(size >> 20) MiB in \(packed >> 20) MiB")
  }
}
