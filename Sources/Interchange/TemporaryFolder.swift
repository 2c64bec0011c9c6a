import Foundation

/// A folder for work in progress, removed when it is no longer needed.
///
/// The folder is locked while its owner is alive, so that a later run can recognize and remove the leftovers of a
/// killed run.
public final class TemporaryFolder: Sendable {
  /// The open folder.
  package let folder: OpenFolder
  private let parent: OpenFolder
  private let name: String

  /// The path of the folder.
  public var path: String { folder.path }

  /// Makes an empty folder under `TMPDIR` that only its owner can read.
  /// - Throws: `RunFailure` with status 2 if the folder cannot be created.
  public convenience init() throws {
    do {
      // The name is a fixed word and a UUID. A folder with any other name is never removed as a leftover.
      try self.init(in: OpenFolder(named: Self.root), named: { "fleetkit-\(UUID().uuidString)" }, mode: 0o700) {
        $0.hasPrefix("fleetkit-") && $0.count == 45
      }
    } catch let failure as RunFailure where failure.status == .failed {
      throw RunFailure(
        .failed, "make a temporary folder in '\(Self.root)': \(failure.message)",
        advice: "Set TMPDIR to a writable folder.")
    }
  }

  /// Makes an empty hidden folder next to a target, on the same file system.
  /// - Parameters:
  ///   - ending: the last part of the names of such folders, by which leftovers are recognized.
  ///   - mode: the permissions; 0o700 for a folder that only its owner can read.
  /// - Throws: `RunFailure` with status 2 if the containing folder cannot be written.
  package convenience init(beside target: String, ending: String, mode: mode_t = 0o700) throws {
    do {
      let (parent, name) = try OpenFolder.containing(target)
      let prefix = ".\(name).fleetkit-"
      try self.init(
        in: parent, named: { "\(prefix)\(getpid())-\(UInt32.random(in: .min ... .max))\(ending)" }, mode: mode
      ) { $0.hasPrefix(prefix) && $0.hasSuffix(ending) }
    } catch let failure as RunFailure where failure.status == .failed {
      throw RunFailure(
        .failed, "make a folder next to '\(target)': \(failure.message)", advice: "Check the folder that contains it.")
    }
  }

  private init(
    in parent: OpenFolder, named newName: () -> String, mode: mode_t, isLeftover: (String) -> Bool
  ) throws {
    self.parent = parent
    // The lock of a living owner is taken; the lock of a dead owner is free. Leftovers of other users are not touched.
    for name in parent.names where isLeftover(name) {
      if let folder = try? parent.folder(name, owners: .effectiveUser), folder.lock() { parent.remove(name) }
    }
    while true {
      let name = newName()
      // Until the folder is locked, another run may mistake it for a leftover and remove it. In that case, a new folder
      // is made.
      if let folder = try parent.newFolder(name, mode: mode, owners: .effectiveUser), folder.lock(),
        parent.entry(name) == .folder
      {
        self.name = name
        self.folder = folder
        return
      }
    }
  }

  deinit { remove() }

  /// Removes the folder and its content. A second call does nothing.
  public func remove() { parent.remove(name) }

  /// The folder for temporary files: the value of `TMPDIR`, otherwise `/tmp`.
  public static var root: String {
    let named = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
    return named.isEmpty ? "/tmp" : named.hasSuffix("/") ? String(named.dropLast()) : named
  }
}

/// A new folder that gets its name when all of its files are written.
package final class StagedFolder {
  /// The temporary path that its files are written to.
  package let path: String
  private let target: String
  private var isDone = false

  /// Begins the folder next to its target.
  /// - Throws: `RunFailure` with status 4 if the target exists and is not empty, 2 if the folder cannot be made.
  package init(_ target: Target) throws {
    var folder = target.path
    while folder.utf8.count > 1, folder.utf8.last == UInt8(ascii: "/") { folder = String(folder.dropLast()) }
    self.target = folder
    let files = FileManager.default
    if let there = try? files.contentsOfDirectory(atPath: folder), !there.isEmpty {
      throw RunFailure(
        .refused, "write '\(folder)/': the folder exists and is not empty",
        advice: "Name a new folder.")
    }
    let url = URL(fileURLWithPath: folder)
    path = url.deletingLastPathComponent().path + "/.\(url.lastPathComponent).fleetkit-\(UUID().uuidString).tmp"
    do {
      try files.createDirectory(atPath: path, withIntermediateDirectories: false)
    } catch {
      throw RunFailure(.failed, "write '\(folder)/': \(error.localizedDescription)", advice: "Check the folder.")
    }
  }

  deinit { discard() }

  /// Gives the folder its name.
  /// - Throws: `RunFailure` if the target is no longer empty.
  package func publish() throws {
    // A folder can replace an empty folder, but never a folder with files.
    guard rename(path, target) == 0 else {
      throw RunFailure(.failed, "name '\(target)/': \(SystemError.last)")
    }
    isDone = true
  }

  /// Removes the folder, unless it already has its name.
  package func discard() {
    if !isDone { try? FileManager.default.removeItem(atPath: path) }
  }
}
