import Foundation
import RegistryTestSupport
import Testing

/// Runs `samples/registry/restore-drill.sh` against a server that archives its WAL, while a registry writes.
@Suite(.serialized) struct RestoreDrillTests {
  private static let script =
    URL(filePath: #filePath).deletingLastPathComponent().path + "/../../../samples/registry/restore-drill.sh"

  @Test func `a backup and the archive restore the database to a point`() throws {
    let scratch = Scratch()
    let archive = scratch["archive"]
    for folder in [scratch.path, archive] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      // The server's user differs from the tests' user if the tests run as root.
      try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
    }
    let server = try DatabaseServer(settings: [
      "archive_mode=on", "archive_command=cp %p \(archive)/.%f && mv \(archive)/.%f \(archive)/%f",
    ])
    let database = try ScratchDatabase(on: server)
    let registry = try ProcessServer(
      ["--port", "0", "--dev", "--log-level", "warning"],
      environment: [
        "JWT_SECRET_KEY": String(repeating: "k", count: 40), "RATE_LIMIT_ENABLED": "false",
        "DATABASE_URL": database.address,
      ])
    defer { registry.stop() }
    let client = ProcessClient(port: registry.port)
    let token = try #require(client.signIn())
    let port = registry.port
    let writer = Thread {
      let client = ProcessClient(port: port)
      for number in 0... {
        let body = ProcessClient.publication("item-\(number)-0A1B2C3D", title: "Item \(number)")
        guard client.send("POST", "/api/v1/content/share", token: token, body: body)?.status == 201,
          client.send("GET", "/api/v1/content/item-\(number)-0A1B2C3D")?.status == 200
        else { return }
      }
    }
    writer.start()
    func count() throws -> Int { try Int(database.query("SELECT count(*) FROM shared_content")) ?? 0 }
    while try count() < 20 { usleep(10_000) }
    let before = try count()
    let (status, output) = try drill(database, archive, scratch)
    let after = try count()
    #expect(status == 0, "\(output)")
    let row = output.split(separator: "\n").first { $0.hasPrefix("shared_content|") }?.split(separator: "|")
    let restored = row.flatMap { $0.count == 3 ? Int($0[1]) : nil } ?? 0
    // The registry wrote before the point and after it.
    #expect(before <= restored && restored < after, "\(before) \(restored) \(after)")

    // Without the archive there is nothing to restore from.
    let empty = scratch["empty"]
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: empty)
    let failed = try drill(database, empty, scratch)
    #expect(failed.status == 2, "\(failed.output)")
  }

  private func drill(
    _ database: ScratchDatabase, _ archive: String, _ scratch: Scratch
  ) throws -> (status: Int32, output: String) {
    // The server's user may not be able to read the checkout.
    let script = scratch["restore-drill.sh"]
    if !FileManager.default.fileExists(atPath: script) {
      try FileManager.default.copyItem(atPath: Self.script, toPath: script)
    }
    return try SpawnedProcess.run(
      script, [database.address, archive],
      environment: [
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DRILL_USER": "nobody", "DRILL_FOLDER": scratch.path,
        "DRILL_PORT": String(try DatabaseServer.freePort()),
      ])
  }
}
