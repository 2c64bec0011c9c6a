import Foundation
import TestSupport
import Testing

/// `migrate --undo` restores the file that the migration saved, and no other.
struct MigrationBackupTests {
  private let scratch = Scratch()

  private func migrated() throws -> (library: String, backup: String) {
    let library = try scratch.writable("library-v1.4.0.sqlite", as: "\(UUID().uuidString).sqlite")
    try #require(try Shell.fleetkit("migrate", library, "--yes", "-q").status == 0)
    let folder = library + ".fleetkit/backups"
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
    return (library, folder + "/" + name)
  }

  private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

  private func refused(_ library: String) throws {
    let before = try bytes(library)
    let answer = try Shell.fleetkit("migrate", library, "--undo", "--yes")
    #expect(answer.status == 4, "\(answer.errors)")
    #expect(try bytes(library) == before)
  }

  @Test func theBackupComesBack() throws {
    let (library, backup) = try migrated()
    let saved = try bytes(backup)
    #expect(try Shell.fleetkit("migrate", library, "--undo", "--yes", "-q").status == 0)
    #expect(try SQLiteShell.run(library, ".sha3sum\n") == SQLiteShell.run(backup, ".sha3sum\n"))
    #expect(try bytes(backup) == saved)
  }

  @Test func anotherFileIsRefused() throws {
    let (library, backup) = try migrated()
    // A sound library of the same schema whose only difference is a title.
    try SQLiteShell.run(backup, "UPDATE checklists SET title = 'evil' WHERE rowid = 1;")
    try refused(library)
  }

  @Test func aLinkIsRefused() throws {
    let (library, backup) = try migrated()
    try FileManager.default.moveItem(atPath: backup, toPath: scratch["moved.sqlite"])
    try FileManager.default.createSymbolicLink(atPath: backup, withDestinationPath: scratch["moved.sqlite"])
    try refused(library)
  }

  @Test(arguments: ["../../evil.sqlite", "/etc/passwd", "..", "", "a/b.sqlite", "gone.sqlite"])
  func aNameThatLeadsElsewhereIsRefused(_ name: String) throws {
    let (library, backup) = try migrated()
    try FileManager.default.copyItem(atPath: backup, toPath: scratch["evil.sqlite"])
    try SQLiteShell.run(library + ".fleetkit/state.sqlite", "UPDATE runs SET backup = '\(name)';")
    try refused(library)
  }

  @Test func aBackupWithoutARecordedHashIsRefused() throws {
    let (library, _) = try migrated()
    try SQLiteShell.run(
      library + ".fleetkit/state.sqlite", "UPDATE runs SET detail = json_remove(detail, '$.backup_sha256');")
    try refused(library)
  }
}
