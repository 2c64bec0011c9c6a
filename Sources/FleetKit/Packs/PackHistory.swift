import ContentPack
import Foundation
import Interchange

/// The versions that came before a pack.
enum PackHistory {
  /// The history of a new version: that of the one before, and the one before itself.
  /// - Parameter previous: its file.
  /// - Throws: `RunFailure`: 64 when it is another pack, or no older one; 2 when it cannot be read.
  static func behind(_ info: PackInfo, previous: String) throws -> [PackPrevious] {
    let head = try PackHead(previous)
    guard let old = head.info else {
      throw RunFailure(
        .failed, "build on '\(previous)': it is a bag, and no pack", advice: "Name the file of the version before.")
    }
    guard head.kind != .folder else {
      throw RunFailure(
        .usage, "build on '\(previous)': a folder has no checksum that a history could name",
        advice: "Name the file that was published.")
    }
    guard old.profile == .content, let version = old.version else {
      throw RunFailure(
        .usage, "build on '\(previous)': it is a \(old.profile.rawValue) and no published pack",
        advice: "Name the file of the version before.")
    }
    guard old.name.utf8.elementsEqual(info.name.utf8) else {
      throw RunFailure(
        .usage, "build on '\(previous)': that is the pack '\(old.name)', and this one is '\(info.name)'",
        advice: "Say name: \(old.name) in pack.yml, or leave --previous out for a new pack.")
    }
    guard let new = info.version, version.precedes(new) else {
      throw RunFailure(
        .usage, "build on '\(previous)': version \(info.version?.text ?? "") does not follow version \(version)",
        advice: "Raise the version in pack.yml.")
    }
    return [PackPrevious(version: version, sha256: try FileDigest.sha256(of: previous))] + old.previous
  }
}
