import Diagnostics

extension DiagnosticCode {
  /// `data/pack.json` cannot be used.
  public static let packInfo = DiagnosticCode(
    "PCK0101", "pack-info", .error, "A pack does not say what it must about itself.",
    why: "without data/pack.json nobody knows whose content this is, nor where its items lie",
    fix: "build the pack anew, or correct data/pack.json and the manifests")
  /// The index names a file that is not there.
  public static let packFileMissing = DiagnosticCode(
    "PCK0301", "pack-file-missing", .error, "The index of a pack names a file that the pack does not have.",
    why: "what the pack promises is not in it", fix: "ask the publisher for a complete pack, or build it anew")
  /// The index has another checksum than the file.
  public static let packFileDiffers = DiagnosticCode(
    "PCK0302", "pack-file-differs", .error, "A file of a pack has another checksum than the index says.",
    why: "either the file or the index is not what the publisher wrote",
    fix: "ask the publisher for the pack again, or build it anew")
  /// The index says something else about an item than the item's file.
  public static let packItemDiffers = DiagnosticCode(
    "PCK0303", "pack-item-differs", .error, "The index of a pack says something else about an item than its file.",
    why: "a list of the pack shows what is not in it", fix: "build the pack anew")
  /// An item that the index does not list.
  public static let packItemUnlisted = DiagnosticCode(
    "PCK0304", "pack-item-unlisted", .error, "The index of a pack does not list an item that the pack has.",
    why: "whoever looks at the list does not see everything that the pack brings", fix: "build the pack anew")
  /// A file that is no part of the content.
  public static let packFileUnread = DiagnosticCode(
    "PCK0305", "pack-file-unread", .warning, "A file of a pack was not read.",
    why: "what is in it is not taken over", fix: "put content where packs have it: formats/content-pack.md says where")
  /// A pack of a newer format version that this reader may read.
  public static let packNewer = DiagnosticCode(
    "PCK0306", "pack-newer", .warning, "A pack has a newer format version than this FleetKit knows.",
    why: "what is new in it may be passed over", fix: "update FleetKit")
  /// What a damaged archive is to `validate`.
  public static let packDamaged = DiagnosticCode(
    "PCK0307", "pack-damaged", .error, "A pack is damaged, or is no pack.",
    why: "nothing of a pack is used that is not what its checksums say", fix: "fetch it again from where it came")

  /// Findings of packs.
  package static let pack = [
    packInfo, packFileMissing, packFileDiffers, packItemDiffers, packItemUnlisted, packFileUnread, packNewer,
    packDamaged,
  ]
}
