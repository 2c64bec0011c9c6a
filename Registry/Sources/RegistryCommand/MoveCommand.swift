import ArgumentParser
import Content
import Foundation
import Interchange
import PostgreSQLStore
import RegistryModel
import RegistryStore
import SQLiteStore

/// Moves a registry from a SQLite file to a PostgreSQL database.
struct MoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move",
    abstract: "Move a registry from a SQLite file into an empty PostgreSQL database.",
    discussion: """
      Stop the registry first. All rows are copied in one transaction. Before the commit, every value is read again and
      compared; the command prints the number of rows and a digest for each table. If anything differs, nothing is
      moved. The SQLite file stays as it is.

      EXAMPLES
        fleetkit-registry move --from sqlite:registry.sqlite \\
          --to postgresql://registry@localhost/registry

      EXIT STATUS
        0 moved and proved · 2 failed, nothing was moved · 7 a registry has the file open · 64 wrong usage
      """)

  @Option(help: ArgumentHelp("The SQLite file, as a path or sqlite:path.", valueName: "database"))
  var from: String

  @Option(help: ArgumentHelp("The PostgreSQL database.", valueName: "postgresql://…"))
  var to: String

  func run() async throws {
    do {
      guard case .file(let path) = try DatabaseAddress(from) else {
        throw StartFailure(.usage, "move: --from must be a SQLite file", advice: "")
      }
      guard FileManager.default.fileExists(atPath: path) else {
        throw StartFailure(.failed, "move: '\(path)' does not exist", advice: "Name the registry's file.")
      }
      try await move(path, try DatabaseAddress.server(to, "move"))
    } catch let failure as StartFailure {
      StandardError.fail(failure)
    }
  }

  private func move(_ path: String, _ address: String) async throws {
    let store = try StartFailure.explaining { () throws(StoreFailure) in try SQLiteStore(path: path) }
    let result = Result {
      try store.withTables { source in
        try RegistryMove(address).run(from: source) { proof in
          StandardOutput.write("\(proof.table): \(proof.count) rows, sha256 \(Digest.hex(proof.digest))")
        }
      }
    }
    try await store.close()
    do { try result.get() } catch let failure as StoreFailure {
      try StartFailure.explaining { () throws(StoreFailure) in throw failure }
    }
    StandardOutput.write("moved; both sides are equal")
  }
}

/// Writes a registry's public items to a bundle.
struct DumpCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Write all public items of a PostgreSQL database to a bundle (.jsonl), from one snapshot.",
    discussion: """
      The bundle can be read by fleetkit (import, validate, convert) and by fleetkit-registry load. It contains no
      accounts, sessions or unpublished items; for these, use pg_dump or pg_basebackup.

      EXAMPLES
        fleetkit-registry dump --to registry.jsonl
        fleetkit-registry dump --to - | gzip > registry.jsonl.gz

      EXIT STATUS
        0 done · 2 failed, nothing was written · 4 the file exists · 64 wrong usage
      """)

  @Option(help: ArgumentHelp("The bundle; - for stdout. An existing file is not replaced.", valueName: "file"))
  var to: String

  @Option(help: ArgumentHelp("The database; DATABASE_URL if it is left out.", valueName: "postgresql://…"))
  var database: String?

  func run() async throws {
    do {
      let address = try DatabaseAddress.server(database, "dump")
      let count = try to == "-" ? write(address, to: .standardOutput) : writeFile(address)
      StandardError.write("dumped \(count) items")
    } catch let failure as StartFailure {
      StandardError.fail(failure)
    }
  }

  private func writeFile(_ address: String) throws -> Int {
    do {
      let file = try AtomicFile(to, overwrites: false)
      let count = try write(address, to: FileHandle(fileDescriptor: file.descriptor))
      try file.publish()
      return count
    } catch let failure as RunFailure {
      throw StartFailure(
        failure.status == .refused ? .refused : .failed, failure.message, advice: failure.advice ?? "")
    }
  }

  private func write(_ address: String, to file: FileHandle) throws -> Int {
    var block = Data(LibraryItem.bundleHeader.utf8 + [10])
    var count = 0
    do {
      try RegistryDump.forEachLine(of: address) { line in
        block.append(contentsOf: line.utf8)
        block.append(10)
        count += 1
        guard block.count >= 1 << 20 else { return }
        try file.write(contentsOf: block)
        block.removeAll(keepingCapacity: true)
      }
      try file.write(contentsOf: block)
      return count
    } catch let failure as StoreFailure {
      try StartFailure.explaining { () throws(StoreFailure) in throw failure }
      return count
    } catch let failure as StartFailure { throw failure } catch {
      throw StartFailure(.failed, "dump: cannot write '\(to)'", advice: "Check the disk.")
    }
  }
}
