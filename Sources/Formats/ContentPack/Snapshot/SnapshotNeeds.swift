import ArchiveIO
import Foundation
import Interchange

/// The files that belong to a backup in addition to the library. Each is taken from the newest backup in the chain that
/// contains it.
struct SnapshotNeeds {
  /// The path of the index.
  let index: String
  /// The path of the sidecar's database; nil until the file is found, and if it is not needed.
  private(set) var state: String?
  /// The paths of the attachment files found so far.
  private(set) var media: [String: String] = [:]

  private let folder: String
  private var wantedState: String?
  private var wantedMedia: Set<String> = []

  /// Begins with the requested backup and takes its index.
  init(_ info: BackupInfo, parts: SnapshotAssembly.Parts, folder: String, bag: BagImage) throws {
    self.folder = folder + "/library.sqlite.fleetkit"
    index = folder + "/index.jsonl"
    let member = try SnapshotAssembly.member(BackupInfo.Path.index, of: bag)
    try SnapshotAssembly.expect(info.indexSHA256, bag.members[member], of: bag)
    try bag.extract(member, to: index)
    if parts.contains(.state) { wantedState = info.stateSHA256 }
    if parts.contains(.media) { wantedMedia = Set(info.media.map(\.sha256)) }
  }

  /// Takes the files that are still missing from a backup.
  mutating func take(from bag: BagImage) throws {
    // The hash must match, because an older backup contains an older database.
    if let wanted = wantedState, let member = bag.index(of: BackupInfo.Path.state),
      bag.members[member].sha256 == wanted
    {
      try makeFolder("")
      let path = folder + "/state.sqlite"
      try bag.extract(member, to: path)
      state = path
      wantedState = nil
    }
    guard !wantedMedia.isEmpty else { return }
    for (number, member) in bag.members.enumerated() where member.path.hasPrefix(BackupInfo.Path.media) {
      let name = String(member.path.dropFirst(BackupInfo.Path.media.count))
      guard wantedMedia.remove(name) != nil else { continue }
      try makeFolder("/media")
      let path = folder + "/media/" + name
      try bag.extract(number, to: path)
      media[name] = path
    }
  }

  /// Checks that no file is missing.
  /// - Throws: `RunFailure` with status 5 if a file is missing.
  func finish(_ path: String) throws {
    let missing =
      wantedState.map { "\(BackupInfo.Path.state) with SHA-256 \($0)" }
      ?? wantedMedia.min().map { BackupInfo.Path.media + $0 }
    guard let missing else { return }
    throw RunFailure(.mismatch, "assemble '\(path)': no backup in its chain contains \(missing)")
  }

  private func makeFolder(_ name: String) throws {
    do {
      try FileManager.default.createDirectory(
        atPath: folder + name, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw RunFailure(.failed, "create the folder '\(folder)\(name)': \(error.localizedDescription)")
    }
  }
}
