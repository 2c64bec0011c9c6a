import Foundation
import Interchange

/// The folder in which a vault is made before anything of it is visible, and the way from there to its place.
///
/// A new vault is made beside its place and appears by one rename. In a folder that is there already, files are moved
/// in one by one, each by a rename, so that every file is the old or the new one whenever the run is killed; the next
/// run completes it. The folder is locked while its writer lives.
final class VaultStaging {
  /// Where the vault goes.
  enum Place: Equatable {
    case newFolder
    case existingFolder
    case nowhere
  }

  let place: Place
  /// The folder as the user named it, without a slash at its end.
  let target: String
  /// Where files are made.
  let path: String
  /// The vault, and `.fleetkit` in it, where the vault is there already.
  private let vault: OpenFolder?
  private var hiddenFolder: OpenFolder?
  private var madeHiddenFolder = false
  private let temporary: TemporaryFolder?
  private var isDone = false

  /// Makes a staging folder for a vault.
  /// - Throws: `RunFailure` with status 4 when the folder is not for us, 7 when another run writes to it.
  init(_ target: Target) throws {
    var name = target.path
    while name.count > 1, name.hasSuffix("/") { name.removeLast() }
    self.target = name
    if target.isStandardOutput {
      place = .nowhere
      let folder = try TemporaryFolder()
      temporary = folder
      path = folder.path
      vault = nil
      hiddenFolder = nil
      return
    }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: name, isDirectory: &isFolder) else {
      guard VaultPath.entry(at: name) == .nothing else {
        throw RunFailure(.refused, "write '\(name)': a link that leads nowhere is there")
      }
      place = .newFolder
      let folder = try TemporaryFolder(beside: name, ending: ".tmp", mode: 0o755)
      temporary = folder
      path = folder.path
      vault = nil
      hiddenFolder = nil
      return
    }
    place = .existingFolder
    temporary = nil
    guard isFolder.boolValue else {
      throw RunFailure(
        .refused, "write '\(name)': a file of that name is there already",
        advice: "Choose another name, or remove the file first.")
    }
    try Self.checkIsOurs(name, overwrites: target.overwrites)
    let vault = try OpenFolder(named: name)
    let isNew = vault.entry(VaultPath.hiddenFolder) == .nothing
    let hidden = try vault.makeFolder(VaultPath.hiddenFolder, mode: 0o755)
    guard hidden.lock(tries: 10) else {
      throw RunFailure(.locked, "write '\(name)': another run writes to it", advice: "Try again when it has ended.")
    }
    // Killed runs left them.
    for name in hidden.names where name.hasPrefix("staging-") { hidden.remove(name) }
    path = try hidden.makeFolder("staging-\(getpid())-\(UInt32.random(in: .min ... .max))", mode: 0o755).path
    madeHiddenFolder = isNew
    hiddenFolder = hidden
    self.vault = vault
  }

  deinit { discard() }

  /// Refuses folders in which somebody else keeps files.
  private static func checkIsOurs(_ folder: String, overwrites: Bool) throws {
    let hidden = folder + "/" + VaultPath.hiddenFolder
    guard [.nothing, .folder].contains(VaultPath.entry(at: hidden)),
      [.nothing, .file].contains(VaultPath.entry(at: folder + "/" + VaultPath.records))
    else { throw RunFailure(.refused, "write '\(folder)': '\(VaultPath.hiddenFolder)' in it is a link or no folder") }
    if overwrites || VaultPath.entry(at: folder + "/" + VaultPath.records) == .file { return }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    // What is hidden (.git, .obsidian) is not touched, so it is not in the way.
    guard names.allSatisfy({ $0.hasPrefix(".") }) else {
      throw RunFailure(
        .refused, "write '\(folder)': the folder is not empty, and no vault that FleetKit wrote",
        advice: "Name a new folder, or add --overwrite to write notes into this one; files of others stay as they are.")
    }
  }

  static func failure(_ what: String, _ path: String) -> RunFailure {
    RunFailure(.failed, "\(what) '\(path)': \(String(cString: strerror(errno)))")
  }

  // MARK: Moving

  /// The folder that the vault's files are moved into: the vault, or the tree that becomes it.
  var tree: String { place == .existingFolder ? target : path + "/tree" }

  /// Moves a staged file to its place in the vault.
  /// - Throws: `RunFailure` when the folder around it is no folder or the file cannot be moved.
  func move(_ staged: String, to note: String) throws {
    if place != .existingFolder, VaultPath.entry(at: tree) == .nothing, mkdir(tree, 0o755) != 0 {
      throw Self.failure("make", tree)
    }
    for folder in VaultPath.folders(of: note) {
      let path = tree + "/" + folder
      if mkdir(path, 0o755) == 0 || errno == EEXIST && VaultPath.entry(at: path) == .folder { continue }
      throw RunFailure(.refused, "write '\(path)/': a link or a file of that name is there")
    }
    // rename() replaces a link, never what it leads to.
    guard rename(path + "/" + staged, tree + "/" + note) == 0 else { throw Self.failure("name", tree + "/" + note) }
  }

  /// Ends the run: a new vault gets its name, what is left of the staging goes.
  func publish() throws {
    if place == .newFolder {
      guard VaultPath.entry(at: target) == .nothing, rename(tree, target) == 0 else {
        throw RunFailure(.refused, "write '\(target)': a file or folder of that name appeared meanwhile")
      }
      Self.sync(URL(fileURLWithPath: target).deletingLastPathComponent().path)
    }
    madeHiddenFolder = false
    discard()
  }

  /// Sees a folder's names onto the disk.
  static func sync(_ folder: String) {
    (try? OpenFolder(named: folder))?.sync()
  }

  /// Sees a file's bytes onto the disk.
  static func syncFile(_ path: String) {
    guard let file = FileHandle(forUpdatingAtPath: path) else { return }
    fsync(file.fileDescriptor)
    try? file.close()
  }

  /// Removes everything that was staged.
  func discard() {
    if isDone { return }
    isDone = true
    temporary?.remove()
    hiddenFolder?.remove((path as NSString).lastPathComponent)
    if madeHiddenFolder { vault?.removeIfEmpty(VaultPath.hiddenFolder) }
    // The lock goes with it.
    hiddenFolder = nil
  }
}
