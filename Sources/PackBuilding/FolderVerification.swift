import ArchiveIO
import Backup
import Content
import ContentPack
import Diagnostics
import Foundation
import Interchange

/// Verifies every backup and every chain in a folder, and finds leftovers of killed runs.
///
/// ```swift
/// let report = try FolderVerification("backups/").run()
/// for file in report.files where file.state != .sound { print(file.path, file.state.rawValue) }
/// ```
/// Each file is read once, even if several chains need it. With `BackupLevel.restore`, each backup is restored with its
/// chain.
public struct FolderVerification: Sendable {
  /// The path of the folder.
  public let folder: String
  /// The level of the verification.
  public var level: BackupLevel
  /// The library to verify; nil for all. Files that cannot be read are always reported.
  public var library: String?
  /// Receives, at intervals, the current step, the amount done and the total.
  public var onProgress: (@Sendable (_ what: String, _ done: Int, _ total: Int) -> Void)?

  /// Prepares a verification.
  public init(_ folder: String, level: BackupLevel = .content) {
    self.folder = folder
    self.level = level
  }

  /// The state of a file in the folder.
  public enum State: String, Sendable, CaseIterable {
    /// A backup that can be restored, or another pack that is complete.
    case sound
    /// The file is truncated or empty.
    case cutOff = "cut off"
    /// The file's bytes have changed since they were written, or cannot be read.
    case damaged
    /// The backup itself is complete, but it depends on another one that is damaged or missing.
    case unrestorable
    /// A temporary file of a run that was killed, or a backup that failed its verification.
    case unfinished
    /// The file was made by a newer FleetKit.
    case newer
    /// The file has the name of an archive, but is not a pack.
    case other
  }

  /// A backup that can be restored in place of another backup.
  public struct Alternative: Sendable, Hashable {
    /// The path of the backup.
    public let path: String
    /// The time when the backup was taken.
    public let takenAt: Timestamp
  }

  /// A file of the folder.
  public struct File: Sendable {
    /// The path of the file.
    public let path: String
    /// The state of the file.
    public internal(set) var state: State
    /// The reason why the file is not sound; nil if it is sound.
    public internal(set) var reason: String?
    /// The file at fault, if it is a different file; otherwise nil.
    public internal(set) var culprit: String?
    /// The report on the file; nil for a file that was not opened.
    public let report: PackVerification.Report?
    /// The newest earlier backup of the library that can be restored; nil if the file is sound, or there is no such
    /// backup.
    public internal(set) var before: Alternative?
    /// The oldest later backup of the library that can be restored; nil if the file is sound, or there is no such
    /// backup.
    public internal(set) var after: Alternative?
  }

  /// The result of the verification.
  public struct Report: Sendable {
    /// The folder.
    public let folder: String
    /// The requested level.
    public let level: BackupLevel
    /// The backups, ordered by library, oldest first, then all other files by name.
    public internal(set) var files: [File] = []
    /// The findings: one for each file that is not sound.
    public let findings = DiagnosticLog()
    /// The newest backup of each library that can be restored, by library.
    public internal(set) var newest: [(library: String, backup: Alternative)] = []
    /// The duration in seconds.
    public internal(set) var seconds = 0.0

    /// The status: 0 if every backup can be restored, 5 if one cannot be restored, 6 if a newer FleetKit made one.
    public var status: ExitStatus {
      if files.contains(where: { [.cutOff, .damaged, .unrestorable].contains($0.state) }) { return .mismatch }
      return files.contains { $0.state == .newer } ? .newer : .success
    }
  }

  /// Whether a folder contains backups or leftovers of backups, and is not itself a bag.
  public static func applies(to path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, access(path + "/bagit.txt", F_OK) != 0 else {
      return false
    }
    // If the folder contains only a bag, as some tools produce it, the folder is verified as that bag.
    return names(in: path).contains { name in
      (ArchiveKind.named(name) ?? .folder) != .folder || unfinishedTarget(of: name) != nil
    }
  }

  private static func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Verifies the folder. Problems are in the report.
  /// - Throws: `RunFailure`: 2 if the folder cannot be read, 130 if the verification was interrupted.
  public func run() throws -> Report {
    let started = Date()
    var report = Report(folder: folder, level: level)
    let content = try BackupFolder(folder)
    let catalog = BackupCatalog(content)
    let backups = content.entries.filter { entry in
      library.map { $0.utf8.elementsEqual(entry.file.info.name.utf8) } ?? true
    }
    for entry in backups { report.files.append(try verify(entry.file.path, catalog)) }
    for other in content.others { report.files.append(try verify(other.path, catalog)) }
    for name in Self.names(in: folder) {
      guard let target = Self.unfinishedTarget(of: name) else { continue }
      let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
      let reason =
        name.hasPrefix(".")
        ? Self.isLocked(path)
          ? "another run is writing '\(target)' now"
          : "it was left by a killed run that wrote '\(target)'; it cannot be restored"
        : "the verification of '\(target)' failed"
      report.files.append(File(path: path, state: .unfinished, reason: reason, report: nil))
    }
    findAlternatives(backups, &report)
    for file in report.files { Self.finding(of: file).map(report.findings.report) }
    report.seconds = Date().timeIntervalSince(started)
    return report
  }

  private func verify(_ path: String, _ catalog: BackupCatalog) throws -> File {
    try Interruption.check()
    var verification = PackVerification(path, level: level)
    let name = (path as NSString).lastPathComponent
    if let onProgress { verification.onProgress = { onProgress("\(name): \($0)", $1, $2) } }
    let report = try verification.run(catalog)
    var file = File(path: path, state: .sound, report: report)
    guard report.status != .success else { return file }
    let first = report.findings.kept.first { $0.severity == .error }
    file.reason = report.failure?.message ?? first?.message
    file.culprit = report.culprit
    file.state = Self.state(of: report)
    return file
  }

  private static func state(of report: PackVerification.Report) -> State {
    if report.culprit != nil { return .unrestorable }
    if CutOffFile.isCutOff(report.path) { return .cutOff }
    if report.status == .newer { return .newer }
    // The file may be, for example, a zip file of photos.
    return report.kind == nil && !report.path.hasSuffix(".fleetpack") ? .other : .damaged
  }

  // MARK: Restorable alternatives

  /// A library, identified by its name and origin in its backups. Both are compared by bytes.
  private struct Library: Hashable {
    let name: [UInt8]
    let origin: [UInt8]?

    init(_ info: BackupInfo) {
      name = Array(info.name.utf8)
      origin = info.origin.map { Array($0.utf8) }
    }
  }

  private func findAlternatives(_ backups: [BackupFolder.Entry], _ report: inout Report) {
    let infos = Dictionary(backups.map { ($0.file.path, $0.file.info) }, uniquingKeysWith: { $1 })
    var sound: [Library: [Alternative]] = [:]
    var order: [(key: Library, name: String)] = []
    for file in report.files where file.state == .sound {
      guard let info = infos[file.path] else { continue }
      let key = Library(info)
      if sound[key] == nil { order.append((key, info.name)) }
      sound[key, default: []].append(Alternative(path: file.path, takenAt: info.takenAt))
    }
    report.newest = order.compactMap { entry in
      sound[entry.key]?.max { $0.takenAt < $1.takenAt }.map { (entry.name, $0) }
    }
    for index in report.files.indices {
      let file = report.files[index]
      guard ![.sound, .other, .newer].contains(file.state) else { continue }
      let known = infos[file.path]
      let target = Self.unfinishedTarget(of: (file.path as NSString).lastPathComponent) ?? file.path
      let named = known == nil ? BackupName(target) : nil
      guard let time = known?.takenAt ?? named?.takenAt else { continue }
      // A file that cannot be read gives only the name of its library, so any library with that name may be meant.
      let candidates =
        known.map { sound[Library($0)] ?? [] }
        ?? order.filter { $0.name.utf8.elementsEqual((named?.library ?? "").utf8) }.flatMap { sound[$0.key] ?? [] }
      report.files[index].before = candidates.filter { $0.takenAt < time }.max { $0.takenAt < $1.takenAt }
      report.files[index].after = candidates.filter { $0.takenAt > time }.min { $0.takenAt < $1.takenAt }
    }
  }

  private static func finding(of file: File) -> Diagnostic? {
    let code: DiagnosticCode
    switch file.state {
    case .sound, .newer, .other: return nil
    case .cutOff: code = .cutOffBackup
    case .damaged: code = .damagedBackup
    case .unrestorable: code = .unrestorableBackup
    case .unfinished: code = .unfinishedBackup
    }
    return Diagnostic(code, file.reason ?? code.summary, at: Place(file: file.path))
  }

  // MARK: Leftovers of runs

  /// Returns the backup that a temporary file would have become; nil for other names.
  private static func unfinishedTarget(of name: String) -> String? {
    func archive(_ name: Substring) -> String? {
      (ArchiveKind.named(String(name)) ?? .folder) == .folder ? nil : String(name)
    }
    if name.hasSuffix(".unproved") { return archive(name.dropLast(".unproved".count)) }
    guard name.hasPrefix("."), let mark = name.range(of: ".fleetkit-", options: .backwards) else { return nil }
    return archive(name[..<mark.lowerBound].dropFirst())
  }

  /// Whether the run that writes a temporary file is still running.
  private static func isLocked(_ path: String) -> Bool {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return false }
    defer { close(file) }
    return flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }
}
