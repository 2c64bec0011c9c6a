import ArgumentParser
import Foundation
import PostgreSQLStore
import RegistryStore

/// Shows or carries out the upgrade of a PostgreSQL database's schema.
struct MigrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Show or carry out the upgrade of a PostgreSQL database.",
    discussion: """
      Each step is one transaction, and older registries may run meanwhile. A SQLite file needs no such command: it is
      upgraded when the registry opens it.

      EXAMPLES
        fleetkit-registry migrate --plan --database postgresql://registry@localhost/registry
        fleetkit-registry migrate --to-latest
      """)

  @Option(help: ArgumentHelp("The database; DATABASE_URL if it is left out.", valueName: "postgresql://…"))
  var database: String?

  @Flag(help: "Show the steps that are missing, and change nothing.")
  var plan = false

  @Flag(help: "Carry out the missing steps.")
  var toLatest = false

  func run() async throws {
    do {
      guard plan != toLatest else {
        throw StartFailure(.usage, "migrate: name --plan or --to-latest", advice: "")
      }
      try migrate(DatabaseAddress.server(database, "migrate"))
    } catch let failure as StartFailure {
      StandardError.fail(failure)
    }
  }

  private func migrate(_ address: String) throws(StartFailure) {
    let state = try StartFailure.explaining { () throws(StoreFailure) in try PostgreSQLMigration(address) }
    StandardOutput.write("schema \(state.version), latest \(PostgreSQLMigration.latest)")
    if state.steps.isEmpty { return StandardOutput.write("nothing to do") }
    guard toLatest else {
      for step in state.steps { StandardOutput.write(step.line) }
      return
    }
    try StartFailure.explaining { () throws(StoreFailure) in
      try state.run { StandardOutput.write($0.line + ": done") }
    }
  }
}

extension PostgreSQLMigration.Step {
  /// The step in one line, with the programs that still work after it.
  fileprivate var line: String { "step \(version): \(title) (programs for schema \(worksFrom) and later still work)" }
}

extension DatabaseAddress {
  /// Returns the address of a PostgreSQL database, from an option or `DATABASE_URL`.
  /// - Throws: `StartFailure` with status 64 for a SQLite file.
  static func server(_ option: String?, _ verb: String) throws(StartFailure) -> String {
    let text = option ?? ProcessInfo.processInfo.environment["DATABASE_URL"]
    switch try DatabaseAddress(text) {
    case .server(let address): return address
    case .file(let path):
      throw StartFailure(
        .usage, "\(verb): '\(path)' is a SQLite file", advice: "Name a PostgreSQL database: postgresql://….")
    }
  }
}

/// Messages on stdout.
enum StandardOutput {
  /// Writes a line.
  static func write(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8)) }
}
