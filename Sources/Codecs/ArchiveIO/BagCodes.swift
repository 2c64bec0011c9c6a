import Diagnostics

extension DiagnosticCode {
  /// `bagit.txt` is missing.
  public static let notABag = DiagnosticCode(
    "BAG0101", "not-a-bag", .error, "There is no bagit.txt.",
    why: "every bag has this file, which states the version of BagIt and the encoding of the tag files",
    fix: "specify the folder or file of the bag itself; to make a bag, use fleetkit pack build")
  /// `bagit.txt` is malformed.
  public static let bagDeclaration = DiagnosticCode(
    "BAG0102", "bag-declaration", .error, "bagit.txt is malformed.",
    why: "it must have two lines, BagIt-Version and Tag-File-Character-Encoding, in UTF-8 without a byte order mark",
    fix: "write the bag again with a tool that supports BagIt")
  /// The version of BagIt is not supported.
  public static let bagVersion = DiagnosticCode(
    "BAG0103", "bag-version", .error, "Unsupported BagIt version.",
    why: "other versions may have different rules; FleetKit supports 0.93 to 0.97 and 1.0",
    fix: "write the bag as version 1.0")
  /// A tag file that is not in its declared encoding.
  public static let tagEncoding = DiagnosticCode(
    "BAG0104", "tag-encoding", .error, "A tag file is not text in the encoding that bagit.txt names.",
    why: "the names and checksums in the file cannot be read",
    fix: "write the tag files in UTF-8 and name UTF-8 in bagit.txt")
  /// There is no readable payload manifest.
  public static let noManifest = DiagnosticCode(
    "BAG0105", "no-manifest", .error, "There is no readable payload manifest.",
    why: "without a manifest, it is unknown which files belong to the bag and whether they were changed",
    fix: "add manifest-sha256.txt")
  /// A line that is not a valid manifest line.
  public static let manifestLine = DiagnosticCode(
    "BAG0106", "manifest-line", .error, "A line of a manifest is not a checksum and a path.",
    why: "the file that the line refers to is not checked",
    fix: "write the line as a checksum in hexadecimal digits, two spaces and a path")
  /// A path that points outside the bag.
  public static let pathOutOfScope = DiagnosticCode(
    "BAG0107", "path-out-of-scope", .error, "A path points outside the bag.",
    why: "it could make a reader read or write files outside the bag",
    fix: "do not trust this bag; valid paths are relative, without .., ~ or a drive")
  /// A file that a manifest lists twice.
  public static let listedTwice = DiagnosticCode(
    "BAG0108", "listed-twice", .error, "A manifest lists a file twice.",
    why: "the checksums may contradict each other, and readers differ in which one they use",
    fix: "remove one of the lines")
  /// A listed file that is missing.
  public static let fileMissing = DiagnosticCode(
    "BAG0109", "file-missing", .error, "A file that a manifest lists is not in the bag.",
    why: "the bag is not complete",
    fix: "get the bag again from its source")
  /// A file that no manifest lists.
  public static let fileNotListed = DiagnosticCode(
    "BAG0110", "file-not-listed", .error, "A payload file is not in all payload manifests.",
    why: "it is unknown whether the file belongs to the bag and whether it was changed",
    fix: "remove the file, or add it to every payload manifest")
  /// A file whose checksum differs.
  public static let checksumDiffers = DiagnosticCode(
    "BAG0111", "checksum-differs", .error, "A file's checksum differs from its manifest.",
    why: "the file was damaged or changed after the bag was made",
    fix: "get the bag again from its source")
  /// Payload-Oxum does not match the payload.
  public static let oxumDiffers = DiagnosticCode(
    "BAG0112", "oxum-differs", .error, "Payload-Oxum does not match the payload.",
    why: "files were removed, added or changed in size after the bag was made",
    fix: "get the bag again from its source")
  /// A line of `bag-info.txt` that is not a field.
  public static let bagInfoLine = DiagnosticCode(
    "BAG0113", "bag-info-line", .error, "A line of bag-info.txt is not a label, a colon and a value.",
    why: "the content of the line cannot be read",
    fix: "write the line as 'Label: value'; continuation lines of a value begin with a space")
  /// A line of `fetch.txt` that is not an entry.
  public static let fetchLine = DiagnosticCode(
    "BAG0114", "fetch-line", .error, "A line of fetch.txt is not an address, a length and a payload path.",
    why: "it is unknown which file the line refers to",
    fix: "write the line as an address, a length or -, and a path")
  /// A file that would have to be fetched.
  public static let fetchNeeded = DiagnosticCode(
    "BAG0115", "fetch-needed", .error, "A file is not in the bag; fetch.txt has its address.",
    why: "FleetKit never fetches files; without the file, the bag is not complete",
    fix: "complete the bag with another tool and check it again")
  /// The payload folder is missing.
  public static let noPayload = DiagnosticCode(
    "BAG0116", "no-payload", .error, "The folder 'data' is missing.",
    why: "a bag must have this folder, even if the payload is empty",
    fix: "get the bag again from its source")
  /// A manifest as `md5sum` writes it.
  public static let checksumToolLine = DiagnosticCode(
    "BAG0117", "checksum-tool-line", .warning, "A path in a manifest has an asterisk before it.",
    why: "md5sum and similar tools write it, but other readers treat the asterisk as part of the name",
    fix: "remove the asterisk")
  /// A path that begins with `./`.
  public static let dottedPath = DiagnosticCode(
    "BAG0118", "dotted-path", .warning, "A path in a manifest begins with './'.",
    why: "other readers do not find the file under that name",
    fix: "remove './'")
  /// Names that some file systems treat as the same.
  public static let namesCollide = DiagnosticCode(
    "BAG0119", "names-collide", .warning, "Two names differ only in case or in how their accents are written.",
    why: "on many disks, both names refer to one file, so one of the files would be lost",
    fix: "rename one of the files")
  /// A file that an operating system created.
  public static let systemFile = DiagnosticCode(
    "BAG0120", "system-file", .warning, "An operating system created a file in the bag.",
    why: "operating systems change and remove such files, and the bag is then no longer valid",
    fix: "make the bag again without the file")
  /// A manifest with an unsupported checksum algorithm.
  public static let unknownAlgorithm = DiagnosticCode(
    "BAG0121", "unknown-algorithm", .warning, "A manifest uses a checksum algorithm that FleetKit does not support.",
    why: "the manifest was not checked; FleetKit supports md5, sha1, sha256, sha384 and sha512",
    fix: "add a manifest with sha256 or sha512")
  /// A tag file that deviates from the layout rules of its version.
  public static let loosely = DiagnosticCode(
    "BAG0122", "loosely-written", .warning, "A tag file is written more loosely than its version of BagIt allows.",
    why: "other readers may reject the bag",
    fix: "write the bag again with a tool that supports BagIt")
  /// There are more findings than are listed.
  public static let moreFindings = DiagnosticCode(
    "BAG0123", "more-findings", .error, "There are more findings than are listed.",
    why: "a list of millions of findings would not help; unlisted findings count too",
    fix: "correct the listed findings and check again")

  /// The codes of findings about bags.
  package static let bag = [
    notABag, bagDeclaration, bagVersion, tagEncoding, noManifest, manifestLine, pathOutOfScope, listedTwice,
    fileMissing, fileNotListed, checksumDiffers, oxumDiffers, bagInfoLine, fetchLine, fetchNeeded, noPayload,
    checksumToolLine, dottedPath, namesCollide, systemFile, unknownAlgorithm, loosely, moreFindings,
  ]
}
