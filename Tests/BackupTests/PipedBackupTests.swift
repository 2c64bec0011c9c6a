import Foundation
import TestSupport
import Testing

/// Backups that are written to and read from pipes without a file.
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

  /// Runs the commands of docs/backups.md with gpg as the judge: encrypting and decrypting a backup does not change it.
  @Test(.enabled(if: Shell.has("gpg"), Judges.reason)) func throughGpgAndBack() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(
      atPath: scratch["keys"], withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    _ = try scratch.write("anyfleet.pass", "a long passphrase\n")
    let gpg = "GNUPGHOME=keys gpg --batch --pinentry-mode loopback --passphrase-file anyfleet.pass"
    defer { _ = try? run("GNUPGHOME=keys gpgconf --kill all", in: scratch) }
    let made = try run("fleetkit backup '\(library)' --to - | \(gpg) --symmetric > x.fleetpack.gpg", in: scratch)
    #expect(made.status == 0, "\(made.errors)")
    let verified = try run("\(gpg) --decrypt x.fleetpack.gpg | fleetkit verify - --restore", in: scratch)
    #expect(verified.status == 0, "\(verified.errors)")
    let back = try run("\(gpg) --decrypt x.fleetpack.gpg | fleetkit restore - --to new.sqlite", in: scratch)
    #expect(back.status == 0, "\(back.errors)")
    #expect(try Shell.fleetkit("diff", library, scratch["new.sqlite"]).status == 0)
    // The file is encrypted after it was written, as in a nightly job; armored output must work, too.
    let file = try run(
      "fleetkit backup '\(library)' --to y.fleetpack -q && \(gpg) --armor --symmetric -o y.asc y.fleetpack"
        + " && \(gpg) -o z.fleetpack --decrypt y.asc && cmp y.fleetpack z.fleetpack", in: scratch)
    #expect(file.status == 0, "\(file.errors)")
    for name in ["x.fleetpack.gpg", "y.asc"] {
      let refused = try Shell.fleetkit("restore", scratch[name], "--to", scratch["no.sqlite"])
      #expect(refused.status == 64 && refused.errors.contains("gpg"), "\(refused.errors)")
    }
    #expect(try run("head -c 3000 x.fleetpack.gpg | \(gpg) --decrypt | fleetkit verify -", in: scratch).status != 0)
  }

  @Test func whatIsNoPipeIsRefused() throws {
    let scratch = Scratch()
    #expect(try run("fleetkit backup '\(library)' --to - --json", in: scratch).status == 64)
    #expect(try run("fleetkit restore - --to new.sqlite < /dev/null", in: scratch).status == 2)
  }
}
