import Foundation
import Synchronization

/// A folder for one test, which is removed afterwards.
public final class Scratch: Sendable {
  /// The folder.
  public let path: String

  /// The test's databases, which are removed with the folder.
  private let databases = Mutex<[ScratchDatabase]>([])

  /// Makes an empty folder.
  public init() {
    path = NSTemporaryDirectory() + "registry-test-" + UUID().uuidString
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Returns a path inside the folder.
  public subscript(name: String) -> String { path + "/" + name }

  /// Makes an empty PostgreSQL database.
  public func database() throws -> ScratchDatabase {
    let database = try ScratchDatabase()
    databases.withLock { $0.append(database) }
    return database
  }
}
