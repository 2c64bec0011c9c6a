import Foundation
import PostgreSQLStore
import RegistryStore
import SQLiteStore

/// Where a registry's data is.
enum DatabaseAddress: Equatable {
  /// A SQLite file, by its path.
  case file(String)
  /// A PostgreSQL database, by its address.
  case server(String)

  /// - Throws: `StartFailure` with status 64.
  init(_ text: String?) throws(StartFailure) {
    guard var path = text, !path.isEmpty else {
      throw .usage(
        "no database is given", "Name one with --database registry.sqlite, --database postgresql://… or DATABASE_URL.")
    }
    if let scheme = path.range(of: "://"), path[..<scheme.lowerBound].hasPrefix("postgres") {
      // SQLAlchemy's addresses name a driver: postgresql+asyncpg://.
      self = .server("postgresql" + path[scheme.lowerBound...])
      return
    }
    if path.hasPrefix("sqlite:"), !path.hasPrefix("sqlite://") {
      path = String(path.dropFirst("sqlite:".count))
    } else if path.hasPrefix("sqlite://") {
      // The syntax is the same as in SQLAlchemy's URLs: sqlite:///relative, sqlite:////absolute.
      path = String(path.dropFirst("sqlite://".count))
      if path.hasPrefix("/") { path = String(path.dropFirst()) }
      if !path.hasPrefix("/"), !Self.hasFolder(path), Self.hasFolder("/" + path) {
        throw .usage(
          "the database's folder does not exist: \(text ?? "") is relative to the current folder",
          "For /\(path) write sqlite:////\(path), or only the path.")
      }
    } else if let scheme = path.range(of: "://") {
      throw .usage(
        "the database cannot be '\(path[..<scheme.lowerBound])'",
        "Use a path, sqlite:///registry.sqlite, or postgresql://user:password@host/database.")
    }
    guard !path.isEmpty, !path.utf8.contains(0), path != ":memory:" else {
      throw .usage("the database's path is empty", "Name a file: --database registry.sqlite.")
    }
    self = .file(path)
  }

  private static func hasFolder(_ path: String) -> Bool {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) && isFolder.boolValue
  }

  /// Opens the store, or explains why it cannot be opened.
  func open(connections: Int, replicas: [String]) throws(StartFailure) -> any RegistryStore {
    try StartFailure.explaining { () throws(StoreFailure) in
      switch self {
      case .file(let path): return try SQLiteStore(path: path)
      case .server(let address):
        var options = PostgreSQLStoreOptions()
        options.readers = connections / 2
        options.writers = connections - options.readers
        options.replicas = replicas
        return try PostgreSQLStore(address, options: options)
      }
    }
  }
}

extension StartFailure {
  /// Runs `body`; the store's reasons name the database and the remedy.
  static func explaining<Value>(_ body: () throws(StoreFailure) -> Value) throws(StartFailure) -> Value {
    do { return try body() } catch {
      switch error {
      case .busy(let why): throw StartFailure(.locked, why, advice: "")
      case .unavailable(let why): throw StartFailure(.failed, why, advice: "")
      case .closed, .unknownUser:
        throw StartFailure(.failed, "open the database: the store is closed", advice: "Start the registry again.")
      }
    }
  }
}
