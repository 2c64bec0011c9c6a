import Diagnostics

extension DiagnosticCode {
  /// `bagit.txt` is missing.
  public static let notABag = DiagnosticCode(
    "BAG0101", "not-a-bag", .error, "There is no bagit.txt.",
    why: "every BagIt folder has this file; it names the version and the encoding of the lists",
    fix: "choose the folder or file of the bag itself; to make a bag, use fleetkit pack build")
  /// `bagit.txt` is malformed.
  public static let bagDeclaration = DiagnosticCode(
    "BAG0102", "bag-declaration", .error, "bagit.txt is malformed.",
    why: "it must have two lines, BagIt-Version and Tag-File-Character-Encoding, in UTF-8 without a byte order mark",
    fix: "write the bag again with a tool that supports BagIt")
  /// A version of BagIt that is not supported.
  public static let bagVersion = DiagnosticCode(
    "BAG0103", "bag-version", .error, "Unsupported BagIt version.",
    why: "another version may have other rules; FleetKit supports 0.93 to 0.97 and 1.0",
    fix: "write the bag as version 1.0")
  /// A tag file that is not in its declared encoding.
  public static let tagEncoding = DiagnosticCode(
    "BAG0104", "tag-encoding", .error, "A tag file is not text in the encoding that bagit.txt names.",
    why: "names and checksums in it cannot be read",
    fix: "write the tag files in UTF-8 and name UTF-8 in bagit.txt")
  /// There is no readable payload manifest.
  public static let noManifest = DiagnosticCode(
    "BAG0105", "no-manifest", .error, "There is no readable payload manifest.",
    why: "without one, it is unknown which files belong to the bag and whether they were changed",
    fix: "add manifest-sha256.txt")
  /// A line that is not a valid manifest line.
  public static let manifestLine = DiagnosticCode(
    "BAG0106", "manifest-line", .error, "A line of a manifest is not a checksum and a path.",
    why: "the file that it refers to is not checked",
    fix: "write it as the checksum in hexadecimal digits, two spaces, the path")
  /// A path that leads out of the bag.
  public static let pathOutOfScope = DiagnosticCode(
    "BAG0107", "path-out-of-scope", .error, "A path leads out of the bag.",
    why: "it could make a reader read or write files outside the bag",
    fix: "do not trust this bag; valid paths are relative, without .., ~ or a drive")
  /// A file that a manifest lists twice.
  public static let listedTwice = DiagnosticCode(
    "BAG0108", "listed-twice", .error, "A manifest lists a file twice.",
    why: "two checksums for one file contradict each other, and readers choose differently",
    fix: "remove one of the lines")
  /// A listed file that is missing.
  public static let fileMissing = DiagnosticCode(
    "BAG0109", "file-missing", .error, "A file that a manifest lists is not in the bag.",
    why: "the bag is not complete",
    fix: "get the bag again from its source")
  /// A file that no manifest lists.
  public static let fileNotListed = DiagnosticCode(
    "BAG0110", "file-not-listed", .error, "A payload file is in no manifest, or not in all of them.",
    why: "it is unknown whether it belongs to the bag and whether it was changed",
    fix: "remove the file, or add it to every payload manifest")
  /// A file whose checksum differs.
  public static let checksumDiffers = DiagnosticCode(
    "BAG0111", "checksum-differs", .error, "A file's checksum differs from its manifest.",
    why: "it was damaged or changed after the bag was made",
    fix: "get the bag again from its source")
  /// Payload-Oxum does not match the payload.
  public static let oxumDiffers = DiagnosticCode(
    "BAG0112", "oxum-differs", .error, "Payload-Oxum does not match the payload.",
    why: "files are missing, were added, or have other sizes than when the bag was made",
    fix: "get the bag again from its source")
  /// A line of `bag-info.txt` that is not a field.
  public static let bagInfoLine = DiagnosticCode(
    "BAG0113", "bag-info-line", .error, "A line of bag-info.txt is not a label, a colon and a value.",
    why: "its content cannot be read",
    fix: "write it as 'Label: value'; further lines of a value begin with a space")
  /// A line of `fetch.txt` that is not an entry.
  public static let fetchLine = DiagnosticCode(
    "BAG0114", "fetch-line", .error, "A line of fetch.txt is not an address, a length and a path of the payload.",
    why: "it is unknown which file it refers to",
    fix: "write it as the address, the length or -, and the path")
  /// A file that would have to be fetched.
  public static let fetchNeeded = DiagnosticCode(
    "BAG0115", "fetch-needed", .error, "A file is not in the bag; fetch.txt names where to fetch it.",
    why: "FleetKit never fetches; without the file the bag is not complete",
    fix: "complete the bag with a tool of your choice and check it again")
  /// The payload folder is missing.
  public static let noPayload = DiagnosticCode(
    "BAG0116", "no-payload", .error, "The folder data is missing.",
    why: "a bag keeps its payload there, even when it is empty",
    fix: "get the bag again from its source")
  /// A manifest as `md5sum` writes it.
  public static let checksumToolLine = DiagnosticCode(
    "BAG0117", "checksum-tool-line", .warning, "A path in a manifest has a star before it.",
    why: "md5sum and similar tools write it; other readers treat the star as part of the name",
    fix: "remove the star")
  /// A path that begins with `./`.
  public static let dottedPath = DiagnosticCode(
    "BAG0118", "dotted-path", .warning, "A path in a manifest begins with './'.",
    why: "other readers do not find the file by that name",
    fix: "remove './'")
  /// Names that some file systems treat as the same.
  public static let namesCollide = DiagnosticCode(
    "BAG0119", "names-collide", .warning, "Two names differ only in case or in how their accents are written.",
    why: "on many disks they are one file, and one of the two would be lost",
    fix: "rename one of the files")
  /// A file that an operating system created.
  public static let systemFile = DiagnosticCode(
    "BAG0120", "system-file", .warning, "A file was created by an operating system, not by a person.",
    why: "systems change and remove such files on their own, and the bag is then no longer valid",
    fix: "make the bag again without it")
  /// A manifest with an unsupported kind of checksum.
  public static let unknownAlgorithm = DiagnosticCode(
    "BAG0121", "unknown-algorithm", .warning, "A manifest has checksums of a kind that FleetKit does not support.",
    why: "it was not checked; FleetKit checks md5, sha1, sha256, sha384 and sha512",
    fix: "add a manifest of sha256 or sha512")
  /// A tag file that deviates from the rules for its layout.
  public static let loosely = DiagnosticCode(
    "BAG0122", "loosely-written", .warning, "A tag file is written more loosely than its version of BagIt allows.",
    why: "other readers may refuse it",
    fix: "write the bag again with a tool that supports BagIt")
  /// There are more findings than are listed.
  public static let moreFindings = DiagnosticCode(
    "BAG0123", "more-findings", .error, "There are more findings than are listed.",
    why: "a list of millions would not help; all of them count",
    fix: "correct what is listed and check again")

  /// The codes of findings about bags.
  package static let bag = [
    notABag, bagDeclaration, bagVersion, tagEncoding, noManifest, manifestLine, pathOutOfScope, listedTwice,
    fileMissing, fileNotListed, checksumDiffers, oxumDiffers, bagInfoLine, fetchLine, fetchNeeded, noPayload,
    checksumToolLine, dottedPath, namesCollide, systemFile, unknownAlgorithm, loosely, moreFindings,
  ]
}
