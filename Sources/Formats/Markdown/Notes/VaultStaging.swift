import Foundation
import Interchange
import JSONText

/// The staging folder in which a vault is built before any file of it is visible, and the moves from the staging folder
/// to the vault.
///
/// A new vault is built next to its final path and appears by a single rename. Files are moved into an existing folder
/// one by one, each by a rename, so that every file is either the old or the new one if the run is killed. In that
/// case, the next run completes the vault. The folder is locked while its writer exists.
final class VaultStaging {
  /// The location of the vault.
  enum Place: Equatable {
    case newFolder
    case existingFolder
    case nowhere
  }

  let place: Place
  /// The folder as the user named it, without a trailing slash.
  let target: String
  /// The folder in which files are staged.
  let path: String
  /// The vault and its `.fleetkit` folder, if the vault already exists.
  private let vault: OpenFolder?
  private var hiddenFolder: OpenFolder?
  private var madeHiddenFolder = false
  /// The folders that were created in a new vault.
  private var made: Set<String> = []
  private let temporary: TemporaryFolder?
  private var isDone = false

  /// Creates a staging folder for a vault.
  /// - Throws: `RunFailure` with status 4 if FleetKit must not use the folder, or 7 if another run writes to it.
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
        throw RunFailure(.refused, "write '\(name)': a dangling link has that name")
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
        .refused, "write '\(name)': a file with that name already exists",
        advice: "Choose another name, or remove the file first.")
    }
    try Self.checkIsOurs(name, overwrites: target.overwrites)
    let vault = try OpenFolder(named: name)
    let isNew = vault.entry(VaultPath.hiddenFolder) == .nothing
    let hidden = try vault.makeFolder(VaultPath.hiddenFolder, mode: 0o755)
    guard hidden.lock(tries: 10) else {
      throw RunFailure(.locked, "write '\(name)': another run is writing to it", advice: "Try again when the run ends.")
    }
    // These folders were left by killed runs.
    for name in hidden.names where name.hasPrefix("staging-") { hidden.remove(name) }
    path = try hidden.makeFolder("staging-\(getpid())-\(UInt32.random(in: .min ... .max))", mode: 0o755).path
    madeHiddenFolder = isNew
    hiddenFolder = hidden
    self.vault = vault
  }

  deinit { discard() }

  /// Refuses folders that contain other files.
  private static func checkIsOurs(_ folder: String, overwrites: Bool) throws {
    let hidden = folder + "/" + VaultPath.hiddenFolder
    guard [.nothing, .folder].contains(VaultPath.entry(at: hidden)),
      [.nothing, .file].contains(VaultPath.entry(at: folder + "/" + VaultPath.records))
    else {
      throw RunFailure(.refused, "write '\(folder)': its '\(VaultPath.hiddenFolder)' is a link or is not a folder")
    }
    if overwrites || VaultPath.entry(at: folder + "/" + VaultPath.records) == .file { return }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    // Hidden files (.git, .obsidian) are not touched, so they are allowed.
    guard names.allSatisfy({ $0.hasPrefix(".") }) else {
      throw RunFailure(
        .refused, "write '\(folder)': the folder is not empty and is not a vault that FleetKit wrote",
        advice: "Name a new folder, or add --overwrite to write notes into this one; other files are not changed.")
    }
  }

  static func failure(_ what: String, _ path: String) -> RunFailure {
    RunFailure(.failed, "\(what) '\(path)': \(String(cString: strerror(errno)))")
  }

  // MARK: Moving

  /// The folder into which the vault's files are moved: the vault, or the tree that becomes the vault.
  var tree: String { place == .existingFolder ? target : path + "/tree" }

  /// Moves a staged file to its path in the vault.
  /// - Throws: `RunFailure` if the enclosing path is not a folder or the file cannot be moved.
  func move(_ staged: String, to note: String) throws {
    if place != .existingFolder, made.isEmpty, VaultPath.entry(at: tree) == .nothing, mkdir(tree, 0o755) != 0 {
      throw Self.failure("make", tree)
    }
    // No other process uses the tree of a new vault, so each of its folders need only be created once.
    for folder in VaultPath.folders(of: note) where place == .existingFolder || made.insert(folder).inserted {
      let path = tree + "/" + folder
      if mkdir(path, 0o755) == 0 || errno == EEXIST && VaultPath.entry(at: path) == .folder { continue }
      throw RunFailure(.refused, "write '\(path)/': a link or a file with that name exists")
    }
    // rename() replaces a link, never its target.
    guard rename(path + "/" + staged, tree + "/" + note) == 0 else { throw Self.failure("name", tree + "/" + note) }
  }

  /// Completes the vault: gives a new vault its name, and removes the rest of the staging folder.
  func publish() throws {
    if place == .newFolder {
      guard VaultPath.entry(at: target) == .nothing, rename(tree, target) == 0 else {
        throw RunFailure(.refused, "write '\(target)': a file or folder with that name appeared in the meantime")
      }
      Self.sync(URL(fileURLWithPath: target).deletingLastPathComponent().path)
    }
    madeHiddenFolder = false
    discard()
  }

  /// Flushes a folder's entries to the disk.
  static func sync(_ folder: String) {
    (try? OpenFolder(named: folder))?.sync()
  }

  /// Flushes a file's bytes to the disk.
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
    // Releasing the folder also releases the lock.
    hiddenFolder = nil
  }
}

/// Writes the notes of a vault to standard output one after another, for people and for `git diff`.
///
/// A line with its path precedes each note. The records that Markdown cannot express follow as one block of JSON lines.
enum VaultOutput {
  /// Writes the notes, sorted by path.
  /// - Parameters:
  ///   - notes: the path of each note in the vault, and the file with its text.
  ///   - records: the path of the bundle; nil if the notes contain everything.
  /// - Returns: the number of bytes written.
  static func write(_ notes: [(path: String, file: String)], records: String?) throws -> Int {
    let output = ByteSink(descriptor: 1, name: "standard output")
    do {
      for note in notes.sorted(by: { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }) {
        try output.write("<!-- file: \(note.path) -->\n")
        let last = try copy(note.file, to: output, skippingLine: false)
        try output.write(last == 0x0A ? "\n" : "\n\n")
      }
      if let records {
        try output.write("```jsonl\n")
        // Skip the header, which is not content: it names the FleetKit version that wrote the bundle.
        _ = try copy(records, to: output, skippingLine: true)
        try output.write("```\n")
      }
      try output.flush()
    } catch is BrokenPipe {
      // A reader that closes the pipe early needs no more output, so this is not an error.
    }
    return output.count
  }

  /// Copies a file to the output.
  /// - Returns: the file's last byte.
  private static func copy(_ path: String, to output: ByteSink, skippingLine: Bool) throws -> UInt8? {
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
    } catch {
      throw RunFailure(.failed, "read '\(path)': \(error.localizedDescription)")
    }
    try data.withUnsafeBytes { raw in
      let bytes = raw.bindMemory(to: UInt8.self)
      let start = skippingLine ? bytes.firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count : 0
      try output.write(bytes.span.extracting(droppingFirst: start))
    }
    return data.last
  }
}

/// Reads and writes whole small files without following links.
enum SmallFile {
  /// Creates a new file.
  /// - Throws: `RunFailure` with status 2 if the disk is full.
  static func write(_ bytes: [UInt8], to path: String) throws {
    let file = descriptor(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { throw VaultStaging.failure("write", path) }
    defer { close(file) }
    var at = 0
    while at < bytes.count {
      let sent = bytes.withUnsafeBytes { room in
        room.baseAddress.map { systemWrite(file, $0 + at, bytes.count - at) } ?? 0
      }
      if sent < 0, errno == EINTR { continue }
      guard sent > 0 else { throw VaultStaging.failure("write", path) }
      at += sent
    }
  }

  /// Returns the bytes of a file; nil if the file is not regular, cannot be read, or is longer than `limit`.
  static func bytes(_ path: String, limit: Int) -> [UInt8]? {
    let file = descriptor(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var at = 0
    while at < bytes.count {
      let count = bytes.count - at
      let got = bytes.withUnsafeMutableBytes { room in room.baseAddress.map { read(file, $0 + at, count) } ?? 0 }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { return nil }
      at += got
    }
    return bytes
  }

  /// Whether a file contains exactly the given bytes.
  static func holds(_ path: String, _ bytes: [UInt8]) -> Bool { self.bytes(path, limit: bytes.count) == bytes }

  /// Whether two files contain the same bytes.
  static func same(_ left: String, _ right: String) -> Bool {
    guard let first = try? Data(contentsOf: URL(fileURLWithPath: left), options: .mappedIfSafe),
      VaultPath.entry(at: right) == .file,
      let second = try? Data(contentsOf: URL(fileURLWithPath: right), options: .mappedIfSafe)
    else { return false }
    return first == second
  }

  /// Returns the size of a file in bytes.
  static func size(_ path: String) -> Int {
    var status = stat()
    return lstat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Gives a staged file the same permissions as the file that it replaces.
  static func copyMode(from old: String, to new: String) {
    var status = stat()
    if lstat(old, &status) == 0, status.st_mode & S_IFMT == S_IFREG { chmod(new, status.st_mode & 0o7777) }
  }

  private static func descriptor(_ path: String, _ flags: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.open(path, flags, 0o644)
    #else
      Darwin.open(path, flags, 0o644)
    #endif
  }

  private static func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    #if canImport(Glibc)
      Glibc.write(file, bytes, count)
    #else
      Darwin.write(file, bytes, count)
    #endif
  }
}
