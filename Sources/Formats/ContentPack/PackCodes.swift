import Diagnostics

extension DiagnosticCode {
  /// `data/pack.json` cannot be used.
  public static let packInfo = DiagnosticCode(
    "PCK0101", "pack-info", .error, "A pack's description is missing or invalid.",
    why: "without a valid data/pack.json, the content's publisher and the items' files are unknown",
    fix: "build the pack again, or correct data/pack.json and the manifests")
  /// The index names a file that does not exist.
  public static let packFileMissing = DiagnosticCode(
    "PCK0301", "pack-file-missing", .error, "A pack's index names a file that the pack does not contain.",
    why: "content that the index lists is missing", fix: "ask the publisher for a complete pack, or build it again")
  /// The checksum in the index differs from the file's checksum.
  public static let packFileDiffers = DiagnosticCode(
    "PCK0302", "pack-file-differs", .error, "The checksum of a file in a pack differs from the one in the index.",
    why: "either the file or the index was changed after the publisher wrote it",
    fix: "ask the publisher for the pack again, or build it again")
  /// An index entry differs from the item's file.
  public static let packItemDiffers = DiagnosticCode(
    "PCK0303", "pack-item-differs", .error, "A pack's index disagrees with an item's file.",
    why: "lists made from the index show wrong data", fix: "build the pack again")
  /// An item is missing from the index.
  public static let packItemUnlisted = DiagnosticCode(
    "PCK0304", "pack-item-unlisted", .error, "An item in a pack is missing from the index.",
    why: "lists made from the index do not show all of the pack's content", fix: "build the pack again")
  /// A file is not part of the content.
  public static let packFileUnread = DiagnosticCode(
    "PCK0305", "pack-file-unread", .warning, "A file in a pack was not read.",
    why: "its content is not imported",
    fix: "move content to a path that packs use; formats/content-pack.md lists them")
  /// The pack has a newer format version, but this FleetKit may read it.
  public static let packNewer = DiagnosticCode(
    "PCK0306", "pack-newer", .warning, "A pack has a newer format version than this FleetKit supports.",
    why: "new parts of the format may be ignored", fix: "update FleetKit")
  /// The archive is damaged. `validate` reports this finding.
  public static let packDamaged = DiagnosticCode(
    "PCK0307", "pack-damaged", .error, "A pack is damaged, or the file is not a pack.",
    why: "FleetKit uses a pack only if all of its files match their checksums", fix: "download or copy the pack again")

  /// All codes for findings about packs.
  package static let pack = [
    packInfo, packFileMissing, packFileDiffers, packItemDiffers, packItemUnlisted, packFileUnread, packNewer,
    packDamaged,
  ]
}
