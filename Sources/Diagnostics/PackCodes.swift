extension DiagnosticCode {
  /// There is no `bagit.txt`.
  public static let notABag = DiagnosticCode(
    "BAG0101", "not-a-bag", .error, "There is no bagit.txt.",
    why: "a bag says with it that it is one, of which version, and how its lists are written",
    fix: "choose the bag itself; to make one, use fleetkit pack build")
  /// `bagit.txt` is not as it must be.
  public static let bagDeclaration = DiagnosticCode(
    "BAG0102", "bag-declaration", .error, "bagit.txt is not as it must be.",
    why: "it has exactly two lines, BagIt-Version and Tag-File-Character-Encoding, in UTF-8 without a byte order mark",
    fix: "write the bag again with a tool that knows BagIt")
  /// A version of BagIt that nobody knows.
  public static let bagVersion = DiagnosticCode(
    "BAG0103", "bag-version", .error, "The version of BagIt is none that FleetKit knows.",
    why: "another version may have other rules; versions 0.93 to 0.97 and 1.0 are known",
    fix: "write the bag as version 1.0")
  /// A tag file that is not in its encoding.
  public static let tagEncoding = DiagnosticCode(
    "BAG0104", "tag-encoding", .error, "A tag file is not text in the encoding that bagit.txt names.",
    why: "names and checksums in it cannot be read",
    fix: "write the tag files in UTF-8 and say so in bagit.txt")
  /// There is no list of payload files.
  public static let noManifest = DiagnosticCode(
    "BAG0105", "no-manifest", .error, "There is no payload manifest that can be read.",
    why: "without one, nobody knows which files belong to the bag and whether they are as they were",
    fix: "add manifest-sha256.txt")
  /// A line of a manifest that is none.
  public static let manifestLine = DiagnosticCode(
    "BAG0106", "manifest-line", .error, "A line of a manifest is not a checksum and a path.",
    why: "the file that it means is not checked",
    fix: "write it as the checksum in hexadecimal digits, two spaces, the path")
  /// A path that leads out of the bag.
  public static let pathOutOfScope = DiagnosticCode(
    "BAG0107", "path-out-of-scope", .error, "A path leads out of the bag.",
    why: "it could make a reader look at, or write to, files that are none of the bag's",
    fix: "do not trust this bag; paths are relative and have no .., no ~ and no drive")
  /// A file that a manifest lists twice.
  public static let listedTwice = DiagnosticCode(
    "BAG0108", "listed-twice", .error, "A manifest lists a file twice.",
    why: "two checksums for one file contradict each other, and readers choose differently",
    fix: "remove one of the lines")
  /// A listed file that is not there.
  public static let fileMissing = DiagnosticCode(
    "BAG0109", "file-missing", .error, "A file that a manifest lists is not in the bag.",
    why: "the bag is not complete",
    fix: "get the bag again from where it came from")
  /// A file that no manifest lists.
  public static let fileNotListed = DiagnosticCode(
    "BAG0110", "file-not-listed", .error, "A payload file is in no manifest, or not in all of them.",
    why: "nobody knows whether it belongs to the bag and whether it is as it was",
    fix: "remove the file, or add it to every payload manifest")
  /// A file whose checksum differs.
  public static let checksumDiffers = DiagnosticCode(
    "BAG0111", "checksum-differs", .error, "A file has another checksum than its manifest says.",
    why: "it was damaged or changed after the bag was made",
    fix: "get the bag again from where it came from")
  /// Payload-Oxum does not agree with the payload.
  public static let oxumDiffers = DiagnosticCode(
    "BAG0112", "oxum-differs", .error, "Payload-Oxum does not agree with the payload.",
    why: "files are missing, were added, or have other sizes than when the bag was made",
    fix: "get the bag again from where it came from")
  /// A line of `bag-info.txt` that is none.
  public static let bagInfoLine = DiagnosticCode(
    "BAG0113", "bag-info-line", .error, "A line of bag-info.txt is not a label, a colon and a value.",
    why: "what it says cannot be read",
    fix: "write it as 'Label: value'; further lines of a value begin with a space")
  /// A line of `fetch.txt` that is none.
  public static let fetchLine = DiagnosticCode(
    "BAG0114", "fetch-line", .error, "A line of fetch.txt is not an address, a length and a path of the payload.",
    why: "nobody can tell which file it means",
    fix: "write it as the address, the length or -, and the path")
  /// A file that would have to be fetched.
  public static let fetchNeeded = DiagnosticCode(
    "BAG0115", "fetch-needed", .error, "A file is not in the bag; fetch.txt says where it could be fetched.",
    why: "FleetKit never fetches; without the file the bag is not complete",
    fix: "complete the bag with a tool of your choice and check it again")
  /// There is no payload.
  public static let noPayload = DiagnosticCode(
    "BAG0116", "no-payload", .error, "There is no folder data.",
    why: "a bag keeps its payload there, even when it is empty",
    fix: "get the bag again from where it came from")
  /// A manifest as `md5sum` writes it.
  public static let checksumToolLine = DiagnosticCode(
    "BAG0117", "checksum-tool-line", .warning, "A path in a manifest has a star before it.",
    why: "md5sum and its kin mark files so; other readers take the star for a part of the name",
    fix: "remove the star")
  /// A path that begins with `./`.
  public static let dottedPath = DiagnosticCode(
    "BAG0118", "dotted-path", .warning, "A path in a manifest begins with './'.",
    why: "other readers do not find the file by that name",
    fix: "remove './'")
  /// Names that some file systems take for the same.
  public static let namesCollide = DiagnosticCode(
    "BAG0119", "names-collide", .warning, "Two names differ only in case or in how their accents are written.",
    why: "on many disks they are one file, and one of the two is lost",
    fix: "rename one of the files")
  /// A file that an operating system left.
  public static let systemFile = DiagnosticCode(
    "BAG0120", "system-file", .warning, "A file is one that an operating system leaves in folders.",
    why: "systems change and remove such files without asking, and then the bag is not valid any more",
    fix: "make the bag without it")
  /// A manifest of an unknown kind.
  public static let unknownAlgorithm = DiagnosticCode(
    "BAG0121", "unknown-algorithm", .warning, "A manifest has checksums of a kind that FleetKit does not know.",
    why: "it was not checked; md5, sha1, sha256, sha384 and sha512 are",
    fix: "add a manifest of sha256 or sha512")
  /// A tag file that is written in another way than it should.
  public static let loosely = DiagnosticCode(
    "BAG0122", "loosely-written", .warning, "A tag file is written more loosely than its version of BagIt allows.",
    why: "other readers may refuse it",
    fix: "write the bag again with a tool that knows BagIt")

  /// There is more than is listed.
  public static let moreFindings = DiagnosticCode(
    "BAG0123", "more-findings", .error, "There are more findings than are listed.",
    why: "a list of millions helps nobody; all of them count",
    fix: "correct what is listed and check again")

  static let bag = [
    notABag, bagDeclaration, bagVersion, tagEncoding, noManifest, manifestLine, pathOutOfScope, listedTwice,
    fileMissing, fileNotListed, checksumDiffers, oxumDiffers, bagInfoLine, fetchLine, fetchNeeded, noPayload,
    checksumToolLine, dottedPath, namesCollide, systemFile, unknownAlgorithm, loosely, moreFindings,
  ]

  /// `data/pack.json` cannot be used.
  public static let packInfo = DiagnosticCode(
    "PCK0101", "pack-info", .error, "A pack does not say what it must about itself.",
    why: "without data/pack.json nobody knows whose content this is, nor where its items lie",
    fix: "build the pack anew, or correct data/pack.json and the manifests")

  static let pack = [packInfo]

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

  static let packReading = [
    packFileMissing, packFileDiffers, packItemDiffers, packItemUnlisted, packFileUnread, packNewer, packDamaged,
  ]

  /// A pack that nobody signed is older than the one before.
  public static let olderPack = DiagnosticCode(
    "PCK0401", "older-pack", .warning,
    "A pack is older than the version that was imported before, and nobody signed it.",
    why: "what is newer in the library may be written over with what the publisher has corrected since",
    fix: "import the newest version; a signed pack that is older is refused")
  /// Nobody said whom to trust.
  public static let unprovedPack = DiagnosticCode(
    "PCK0402", "unproved-pack", .warning, "A pack is signed, and nobody said which key to trust.",
    why: "without the publisher's key nobody knows whether the signature is the publisher's",
    fix: "get the publisher's key from the publisher and say --trust KEY; it is remembered for the next import")
  /// Another key than before.
  public static let otherPackKey = DiagnosticCode(
    "PCK0403", "other-pack-key", .warning, "A pack is signed by another trusted key than the version before.",
    why: "the chain of versions begins anew with it: what came before is not held against it",
    fix: "nothing, if the publisher has a new key; else ask the publisher")

  static let packTrust = [olderPack, unprovedPack, otherPackKey]
}
