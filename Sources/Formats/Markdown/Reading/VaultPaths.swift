import Foundation
import Interchange

/// How the notes of a source are called: for people, for the system, and within their vault.
struct VaultPaths: Sendable {
  /// The source as the user named it.
  let source: String
  /// Whether the source is one note and no folder.
  let isNote: Bool
  /// The vault around it.
  let place: VaultPlace

  /// Looks at a source.
  init(_ source: Source) {
    self.source = source.path
    var isFolder: ObjCBool = false
    isNote =
      source.isStandardInput
      || !(FileManager.default.fileExists(atPath: source.path, isDirectory: &isFolder) && isFolder.boolValue)
    let folder = isNote ? (source.path as NSString).deletingLastPathComponent : source.path
    place = VaultPlace(folder: folder.isEmpty ? "." : folder)
  }

  private var folder: String { source.hasSuffix("/") ? source : source + "/" }

  /// A note as the user would name it.
  func shown(_ path: String) -> String { isNote ? source : folder + path }

  /// A note as the system finds it.
  func real(_ path: String) -> String { isNote ? source : folder + path }

  /// A note's path from the vault's root.
  func inVault(_ path: String) -> String { place.prefix + path }
}
