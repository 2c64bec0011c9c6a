import Foundation
import TestSupport
import Testing

/// Backups that go through pipes and never lie anywhere under a name.
@Suite struct PipedBackupTests {
  private let library = Paths.root + "/samples/phase1-library.sqlite"

  private func run(_ line: String, in scratch: Scratch) throws -> Answer {
    try Shell.run(
      "/bin/bash", ["-c", "set -o pipefail; " + line.replacing("fleetkit ", with: Paths.command + " ")],
      folder: scratch.path)
  }

  @Test func aBackupGoesThroughAPipeAndBack() throws {
    let scratch = Scratch()
    let answer = try run(
      "fleetkit backup '\(library)' --to - | tee kept | fleetkit restore - --to new.sqlite", in: scratch)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(try Shell.fleetkit("diff", library, scratch["new.sqlite"]).status == 0)
    let verified = try run("fleetkit verify - --restore < kept", in: scratch)
    #expect(verified.status == 0, "\(verified.errors)")
    let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
    #expect(left.filter { !$0.hasPrefix("new.sqlite") } == ["kept"])
  }

  @Test func aPipeThatBreaksIsNoBackup() throws {
    let scratch = Scratch()
    let cut = try run("fleetkit backup '\(library)' --to - | head -c 20000 > cut; true", in: scratch)
    #expect(cut.status == 0)
    #expect(try run("fleetkit verify - < cut", in: scratch).status == 5)
    #expect(try run("fleetkit restore - --to new.sqlite < cut", in: scratch).status == 5)
    #expect(!FileManager.default.fileExists(atPath: scratch["new.sqlite"]))
  }

  @Test func whatIsNoPipeIsRefused() throws {
    let scratch = Scratch()
    #expect(try run("fleetkit backup '\(library)' --to - --json", in: scratch).status == 64)
    #expect(try run("fleetkit restore - --to new.sqlite < /dev/null", in: scratch).status == 2)
  }
}
