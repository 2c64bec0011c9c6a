import Content
import Foundation
import Interchange

/// Chooses a backup in a folder by time: the newest backup, or the newest backup at a given time.
///
/// ```swift
/// let backup = try BackupChoice("backups/", .at(try BackupChoice.time("2026-11-20"))).run()
/// ```
/// If the chosen backup is damaged, it is never silently replaced by an older one. Instead, the failure names the older
/// one.
public struct BackupChoice: Sendable {
  /// The time by which a backup is chosen.
  public enum Moment: Sendable, Hashable {
    /// The newest backup.
    case latest
    /// The newest backup that was taken at or before a time.
    case at(Timestamp)
  }

  /// The folder.
  public let folder: String
  /// The time by which a backup is chosen.
  public let moment: Moment
  /// The library's name, or at least four digits of its origin; nil if the folder has backups of one library only.
  public var library: String?

  /// Prepares a choice.
  public init(_ folder: String, _ moment: Moment) {
    self.folder = folder
    self.moment = moment
  }

  /// Parses a time in the form that people write. A day means its end in local time, and a time without an offset is
  /// local.
  /// - Returns: The last moment that the string covers; nil if the string is not a time.
  public static func time(_ text: String) -> Timestamp? {
    guard let (time, quirks) = Timestamp.parse(text), !quirks.contains(.rollsOver) else { return nil }
    let isDay = text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0 >= 0x30 && $0 <= 0x39 }
    let clock = text.utf8.drop { $0 != UInt8(ascii: ":") }
    let offsets = [UInt8(ascii: "Z"), UInt8(ascii: "z"), UInt8(ascii: "+"), UInt8(ascii: "-")]
    if !isDay, clock.contains(where: offsets.contains) { return time }
    // The parser read the time as UTC; here, the same digits are local time.
    var seconds = time_t(time.milliseconds / 1000)
    var parts = tm()
    guard gmtime_r(&seconds, &parts) != nil else { return nil }
    if isDay { parts.tm_mday += 1 }
    parts.tm_isdst = -1
    let local = Int64(mktime(&parts)) * 1000
    return Timestamp(milliseconds: isDay ? local - 1 : local + time.milliseconds % 1000)
  }

  /// Chooses a backup.
  /// - Throws: `RunFailure`: 2 if the folder cannot be read or has no such backup, 5 if that backup is damaged or needs
  ///   a damaged one, 64 if the library is ambiguous.
  public func run() throws -> BackupFile {
    let content = try BackupFolder(folder)
    let entries = try of(content.entries)
    let limit: Timestamp? =
      switch moment {
      case .latest: nil
      case .at(let time): time
      }
    let candidates = entries.filter { entry in limit.map { entry.file.info.takenAt <= $0 } ?? true }
    let newest = candidates.max { $0.file.info.takenAt < $1.file.info.takenAt }
    // A file that cannot be read might be the requested backup.
    let names = Set(entries.map { Array($0.file.info.name.utf8) })
    let unreadable = content.others.filter { other in
      guard let named = BackupName(other.path), names.isEmpty || names.contains(Array(named.library.utf8)) else {
        return false
      }
      return (limit.map { named.takenAt <= $0 } ?? true)
        && (newest.map { named.isNewer(than: $0.file) } ?? true)
    }.max { $0.path < $1.path }
    if let unreadable {
      throw failure(unreadable.path, unreadable.reason, candidates, unreadable.status == .newer ? .newer : .mismatch)
    }
    guard let newest else {
      let oldest = entries.min { $0.file.info.takenAt < $1.file.info.takenAt }?.file.info.takenAt.wholeSeconds
      throw RunFailure(
        .failed,
        oldest == nil
          ? "choose a backup in '\(folder)': it has no backups\(library.map { " of '\($0)'" } ?? "")"
          : "choose a backup in '\(folder)': it has no backup from before that time",
        advice: oldest.map { "The oldest one is from \($0)." } ?? "To list them, run 'fleetkit backups \(folder)'.")
    }
    guard !newest.isBroken else {
      let missing = newest.missing.map { "'\($0)'" } ?? "a backup"
      throw failure(newest.file.path, "\(missing), which it needs, is missing or damaged", candidates, .mismatch)
    }
    return newest.file
  }

  /// Returns the newest restorable backup that is older than the given one, after verifying all checksums of the backup
  /// and of its chain.
  /// - Throws: `RunFailure` if the user stops it.
  public func sound(before failed: BackupFile) throws -> BackupFile? {
    let content = try BackupFolder(folder)
    return try sound(
      try of(content.entries).filter { $0.file.info.takenAt < failed.info.takenAt }, content.entries.map(\.file))
  }

  private func sound(_ candidates: [BackupFolder.Entry], _ all: [BackupFile]) throws -> BackupFile? {
    let soundness = BackupSoundness(all, onProgress: nil)
    for entry in candidates.sorted(by: { $0.file.info.takenAt > $1.file.info.takenAt }) where !entry.isBroken {
      if try soundness.problem(of: entry.file) == nil { return entry.file }
    }
    return nil
  }

  private func failure(
    _ path: String, _ reason: String, _ candidates: [BackupFolder.Entry], _ status: ExitStatus
  ) -> RunFailure {
    let other = try? sound(candidates.filter { $0.file.path != path }, candidates.map(\.file))
    return RunFailure(
      status, "restore '\(path)': \(reason)",
      advice: Self.advice(other ?? nil))
  }

  /// Returns the advice for a backup that cannot be restored.
  public static func advice(_ other: BackupFile?) -> String {
    other.map {
      "The newest restorable backup before it is '\($0.path)' of \($0.info.takenAt.wholeSeconds): name that file."
    } ?? "No backup before it can be restored; to check all backups in a folder, use 'fleetkit backups FOLDER --check'."
  }

  /// Returns the backups of the requested library.
  private func of(_ entries: [BackupFolder.Entry]) throws -> [BackupFolder.Entry] {
    let meant = entries.filter { entry in
      guard let library else { return true }
      let info = entry.file.info
      return info.name.utf8.elementsEqual(library.utf8)
        || library.utf8.count >= 4 && info.origin?.utf8.starts(with: library.utf8) ?? false
    }
    var words: [String] = []
    for entry in meant {
      let info = entry.file.info
      let word = info.origin.map { "\(info.name) (\($0.prefix(8)))" } ?? info.name
      if !words.contains(where: { $0.utf8.elementsEqual(word.utf8) }) { words.append(word) }
    }
    guard words.count > 1 else { return meant }
    throw RunFailure(
      .usage,
      "choose a backup in '\(folder)': it has backups of \(words.count) libraries: \(words.joined(separator: ", "))",
      advice: "Name one with --library NAME, or with the digits in parentheses.")
  }
}
