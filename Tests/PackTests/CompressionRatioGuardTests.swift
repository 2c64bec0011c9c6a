import ArchiveIO
import Foundation
import Interchange
import TestSupport
import Testing

/// A library that contains 300 MB of zeros is compressed a thousandfold, but does not count as a decompression bomb.
@Suite struct DenseContentTests {
  private func file(in scratch: Scratch) throws -> String {
    let path = scratch["zeros"]
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    #expect(truncate(path, 300 << 20) == 0)
    return path
  }

  @Test func aFleetpackOfZerosComesBack() throws {
    let scratch = Scratch()
    let writer = try BagWriter(scratch["a.fleetpack"], kind: .fleetpack)
    let member = try writer.add("data/zeros", file: file(in: scratch))
    try writer.prepare(first: ("data/pack.json", Array("{}".utf8)), info: BagInfo())
    _ = try writer.finish()
    let report = try BagCheck(scratch["a.fleetpack"], level: .content).run()
    #expect(report.isValid, "\(report.findings)")
    let image = try BagImage(scratch["a.fleetpack"])
    #expect(image.members.contains(member))
  }

  @Test(arguments: [ArchiveKind.zip, .tarGzip])
  func otherArchivesOfZerosAreNotWritten(kind: ArchiveKind) throws {
    let scratch = Scratch()
    let writer = try BagWriter(scratch["a.archive"], kind: kind)
    let path = try file(in: scratch)
    let failure = #expect(throws: RunFailure.self) { try writer.add("data/zeros", file: path) }
    #expect(failure?.status == .refused)
    writer.abort()
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["zeros"])
  }
}
