import Diagnostics

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

  /// Findings of bags, as BagIt calls them.
  package static let bag = [
    notABag, bagDeclaration, bagVersion, tagEncoding, noManifest, manifestLine, pathOutOfScope, listedTwice,
    fileMissing, fileNotListed, checksumDiffers, oxumDiffers, bagInfoLine, fetchLine, fetchNeeded, noPayload,
    checksumToolLine, dottedPath, namesCollide, systemFile, unknownAlgorithm, loosely, moreFindings,
  ]
}
