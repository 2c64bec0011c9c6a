import Foundation
import Interchange
import SQLiteLibrary

/// The backup of a library from just before it is replaced, in its sidecar; the last three are kept.
final class SavedLibrary {
  private let library: String
  private let sidecar: Sidecar
  private var before: [Int] = []
  /// The backup.
  private(set) var path = ""

  private static let ending = "-restore.fleetpack"
  private static let kept = 3

  init(_ library: String, _ sidecar: Sidecar) {
    self.library = library
    self.sidecar = sidecar
  }

  /// Makes the backup.
  /// - Throws: `RunFailure` with what to do when the library is too damaged to be backed up.
  func save(_ progress: (Int, Int) throws -> Void) throws -> SavedLibrary {
    before = Self.state(of: library)
    path = try sidecar.freshName(.backups, "restore", "fleetpack")
    throw RunFailure(.internalError, "backups cannot be made yet")
  }

  /// Whether nobody has written to the library since.
  func isCurrent(_ library: String) -> Bool { Self.state(of: library) == before }

  /// An empty log is none.
  private static func state(of library: String) -> [Int] {
    let state = WritableLibrary.fileState(library)
    return state[3] > 0 ? state : Array(state[..<3])
  }

  /// Removes all but the newest.
  func rotate() {
    let folder = sidecar.path + "/" + Sidecar.Part.backups.rawValue
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter {
      $0.hasSuffix(Self.ending) && !$0.hasPrefix(".")
    }
    for name in names.sorted().dropLast(Self.kept) where folder + "/" + name != path { unlink(folder + "/" + name) }
  }
}
