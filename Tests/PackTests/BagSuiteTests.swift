import ArchiveIO
import Diagnostics
import Foundation
import TestSupport
import Testing

/// The official BagIt suite, and our own bags for cases that it does not cover.
@Suite struct BagSuiteTests {
  /// Cases of the suite that must be refused, each with codes that must be among the reasons.
  static let invalid: [(String, [DiagnosticCode])] = [
    ("v0.97/invalid/baginfo-missing-encoding", [.bagDeclaration]),
    ("v0.97/invalid/bom-in-bagit.txt", [.bagDeclaration]),
    ("v0.97/invalid/corrupt-data-file", [.checksumDiffers]),
    ("v0.97/invalid/corrupt-tag-file", [.checksumDiffers]),
    ("v0.97/invalid/extra-file-in-bag", [.fileNotListed]),
    ("v0.97/invalid/invalid-version-number", [.bagDeclaration]),
    ("v0.97/invalid/missing-baginfo", [.fileMissing]),
    ("v0.97/invalid/out-of-scope-file-paths-using-dot-notation", [.pathOutOfScope]),
    ("v0.97/invalid/same-filename-listed-twice-with-different-hashes", [.listedTwice]),
    ("v0.97/linux-only/out-of-scope-file-paths-using-absolute-path", [.pathOutOfScope]),
    ("v0.97/linux-only/out-of-scope-file-paths-using-absolute-path-for-fetch", [.pathOutOfScope]),
    ("v0.97/linux-only/out-of-scope-file-paths-using-shortcut", [.pathOutOfScope]),
    ("v0.97/linux-only/out-of-scope-file-paths-using-shortcut-for-fetch", [.pathOutOfScope]),
    ("v0.97/linux-only/out-of-scope-file-paths-using-shortcut-username-for-fetch", [.pathOutOfScope]),
    ("v1.0/invalid/bagit-with-invalid-whitespace", [.bagDeclaration]),
    ("v1.0/invalid/notAllManifestsListAllFiles", [.fileNotListed]),
    ("v1.0/invalid/same-filename-listed-twice-with-different-hashes", [.listedTwice]),
    ("v1.0/invalid/same-filename-listed-twice-with-the-same-hash", [.listedTwice]),
  ]

  /// Cases that must be accepted with a warning.
  static let remarkable: [(String, DiagnosticCode)] = [
    ("duplicate-file-with-different-case", .namesCollide), ("made-with-md5sum-tools", .checksumToolLine),
    ("relative-path", .dottedPath), ("same-filename-listed-twice-with-different-normalization", .namesCollide),
    ("special-system-files", .systemFile),
  ]

  @Test(.enabled(if: Judges.has(suite: "bagit"), Judges.reason), arguments: invalid)
  func invalidBagsAreRefusedWithTheReason(name: String, codes: [DiagnosticCode]) throws {
    let path = Judges.suite("bagit/" + name)
    let report = try BagCheck(path, level: .content).run()
    #expect(!report.isValid)
    for code in codes {
      #expect(
        report.findings.contains { $0.code == code && $0.severity == .error }, "\(report.findings.map(\.message))")
    }
    #expect(throws: (any Error).self) { try BagImage(path) }
  }

  @Test(.enabled(if: Judges.has(suite: "bagit"), Judges.reason))
  func everyCaseOfTheSuiteIsNamedHere() throws {
    let root = Judges.suite("bagit")
    var found: Set<String> = []
    for version in try FileManager.default.contentsOfDirectory(atPath: root) {
      for kind in try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(version)") where kind != "valid" {
        for name in try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(version)/\(kind)") {
          found.insert("\(version)/\(kind)/\(name)")
        }
      }
    }
    let known = Self.invalid.map(\.0) + Self.remarkable.map { "v0.97/warning/" + $0.0 }
    #expect(found.subtracting(known).isEmpty)
  }

  @Test(.enabled(if: Judges.has(suite: "bagit"), Judges.reason))
  func validBagsAreAccepted() throws {
    var count = 0
    for version in ["v0.97", "v1.0"] {
      let root = Judges.suite("bagit/\(version)/valid")
      for name in (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [] where name != "Makefile" {
        let report = try BagCheck(root + "/" + name, level: .content).run()
        #expect(report.findings.map { "\($0.place): \($0.message)" } == [], "\(name)")
        _ = try BagImage(root + "/" + name)
        count += 1
      }
    }
    #expect(count > 0)
  }

  @Test(.enabled(if: Judges.has(suite: "bagit"), Judges.reason), arguments: remarkable)
  func remarkableBagsAreAcceptedWithAWarning(name: String, code: DiagnosticCode) throws {
    let report = try BagCheck(Judges.suite("bagit/v0.97/warning/" + name), level: .content).run()
    #expect(report.isValid, "\(report.findings.map { "\($0.place): \($0.message)" })")
    #expect(report.findings.contains { $0.code == code && $0.severity == .warning })
  }

  /// Changes to a small bag with the expected finding; nil if the change is not an error.
  static let variants: [(String, [String: String?], DiagnosticCode?)] = [
    ("as it is", [:], nil),
    ("no bagit.txt", ["bagit.txt": nil], .notABag),
    ("no manifest", ["manifest-md5.txt": nil], .noManifest),
    ("CR line ends", ["bagit.txt": "BagIt-Version: 1.0\rTag-File-Character-Encoding: UTF-8\r"], nil),
    ("CRLF line ends", ["bagit.txt": "BagIt-Version: 1.0\r\nTag-File-Character-Encoding: UTF-8\r\n"], nil),
    ("no last line end", ["bagit.txt": "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8"], nil),
    ("unknown encoding", ["bagit.txt": "BagIt-Version: 1.0\nTag-File-Character-Encoding: WOOF\n"], .tagEncoding),
    ("unknown version", ["bagit.txt": "BagIt-Version: 7.1\nTag-File-Character-Encoding: UTF-8\n"], .bagVersion),
    ("three lines", ["bagit.txt": "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\nx: y\n"], .bagDeclaration),
    ("other way round", ["bagit.txt": "Tag-File-Character-Encoding: UTF-8\nBagIt-Version: 1.0\n"], .bagDeclaration),
    ("fetch absent", ["fetch.txt": "http://a.b/c - data/a.txt\n"], nil),
    ("fetch outside", ["fetch.txt": "http://a.b/c - ../a.txt\n"], .pathOutOfScope),
    ("fetch of no payload", ["fetch.txt": "http://a.b/c - a.txt\n"], .fetchLine),
    ("fetch nonsense", ["fetch.txt": "http://a.b/c data/a.txt\n"], .fetchLine),
    ("fetch drive", ["fetch.txt": "http://a.b/c - C:\\a.txt\n"], .pathOutOfScope),
    ("info folded", ["bag-info.txt": "A: b\n  c\nPayload-Oxum: 2.1\n"], nil),
    ("info nonsense", ["bag-info.txt": "just words\n"], .bagInfoLine),
    ("wrong oxum", ["bag-info.txt": "Payload-Oxum: 3.1\n"], .oxumDiffers),
    ("wrong digest", ["manifest-md5.txt": "00000000000000000000000000000000  data/a.txt\n"], .checksumDiffers),
    ("upper-case digest", ["manifest-md5.txt": "49F68A5C8493EC2C0BF489821C21FC3B  data/a.txt\n"], nil),
    ("tab", ["manifest-md5.txt": "49f68a5c8493ec2c0bf489821c21fc3b\tdata/a.txt\n"], nil),
    ("outside", ["manifest-md5.txt": "49f68a5c8493ec2c0bf489821c21fc3b  ../a.txt\n"], .pathOutOfScope),
    ("home", ["manifest-md5.txt": "49f68a5c8493ec2c0bf489821c21fc3b  ~root/a.txt\n"], .pathOutOfScope),
    ("drive", ["manifest-md5.txt": "49f68a5c8493ec2c0bf489821c21fc3b  c:\\a.txt\n"], .pathOutOfScope),
    ("UNC", ["manifest-md5.txt": "49f68a5c8493ec2c0bf489821c21fc3b  \\\\host\\a.txt\n"], .pathOutOfScope),
    ("not payload", ["manifest-md5.txt": "49f68a5c8493ec2c0bf489821c21fc3b  bagit.txt\n"], .pathOutOfScope),
    ("short digest", ["manifest-md5.txt": "49f68a5c  data/a.txt\n"], .manifestLine),
    ("missing", ["data/a.txt": nil, "data/b.txt": "x"], .fileMissing),
    (
      "to be fetched", ["data/a.txt": nil, "data/b.txt": "x", "fetch.txt": "http://a.b/c 2 data/a.txt\n"], .fetchNeeded
    ),
    ("unlisted", ["data/b.txt": "x"], .fileNotListed),
    ("unknown sums beside", ["manifest-whirlpool.txt": "00  data/a.txt\n"], nil),
    ("unknown sums alone", ["manifest-md5.txt": nil, "manifest-whirlpool.txt": "00  data/a.txt\n"], .noManifest),
    ("extra tag file", ["README": "x"], nil),
    ("tag file differs", ["tagmanifest-md5.txt": "00000000000000000000000000000000  bagit.txt\n"], .checksumDiffers),
    (
      "percent",
      [
        "data/a.txt": nil, "data/100%.txt": "hi",
        "manifest-md5.txt": "49f68a5c8493ec2c0bf489821c21fc3b  data/100%25.txt\n",
      ], nil
    ),
    (
      "line end in a name of 0.97",
      [
        "bagit.txt": "BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8\n", "data/a.txt": nil,
        "data/a%0Ab": "hi", "manifest-md5.txt": "49f68a5c8493ec2c0bf489821c21fc3b data/a%0Ab\n",
      ], nil
    ),
  ]

  @Test(arguments: variants)
  func aSmallBagChanged(name: String, changes: [String: String?], code: DiagnosticCode?) throws {
    let scratch = Scratch()
    var files: [String: String?] = [
      "bagit.txt": "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n", "data/a.txt": "hi",
      "manifest-md5.txt": "49f68a5c8493ec2c0bf489821c21fc3b  data/a.txt\n",
    ]
    files.merge(changes) { $1 }
    try FileManager.default.createDirectory(atPath: scratch["bag/data"], withIntermediateDirectories: true)
    for (name, text) in files { if let text { _ = try scratch.write("bag/" + name, text) } }
    let report = try BagCheck(scratch["bag"], level: .content).run()
    let errors = report.findings.filter { $0.severity == .error }
    if let code {
      #expect(errors.contains { $0.code == code }, "\(name): \(report.findings.map(\.message))")
      #expect(throws: (any Error).self) { try BagImage(scratch["bag"]) }
    } else {
      #expect(errors.map(\.message) == [], "\(name)")
      _ = try BagImage(scratch["bag"])
    }
  }

  /// Tag files that are designed to exhaust memory.
  @Test(arguments: ["\n", "x\n", "49f68a5c8493ec2c0bf489821c21fc3b a\n"])
  func endlessTagFilesAreBounded(line: String) throws {
    let scratch = Scratch()
    let writer = scratch["bag.tar"]
    let manifest = Array(String(repeating: line, count: 2_000_000 / line.utf8.count).utf8)
    let declaration = Array("BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n".utf8)
    let tar =
      TarBytes.entry(Array("bagit.txt".utf8), declaration) + TarBytes.entry(Array("manifest-md5.txt".utf8), manifest)
      + TarBytes.entry(Array("bag-info.txt".utf8), manifest) + TarBytes.entry(Array("fetch.txt".utf8), manifest)
    try Data(GzipBytes.stored(tar + TarBytes.end)).write(to: URL(fileURLWithPath: writer))
    let report = try BagCheck(writer, level: .content).run()
    #expect(!report.isValid)
    #expect(report.findings.count <= 10_001)
    if line == "x\n" { #expect(report.findings.last?.code == .moreFindings) }
  }

  @Test func aPlaceNamesEntryAndLine() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["bag/data"], withIntermediateDirectories: true)
    _ = try scratch.write("bag/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n")
    _ = try scratch.write("bag/manifest-md5.txt", "49f68a5c8493ec2c0bf489821c21fc3b  data/a.txt\nwhat?\n")
    _ = try scratch.write("bag/data/a.txt", "hi")
    let findings = try BagCheck(scratch["bag"], level: .content).run().findings
    #expect(findings.map { "\($0.place)" } == [scratch["bag"] + "/manifest-md5.txt:2"])
  }

  @Test func aBagMayLieInOneFolderOfAnArchive() throws {
    let scratch = Scratch()
    _ = try SampleBag.write(scratch["outer"], .folder)
    #expect(try Shell.run("tar", ["-czf", scratch["a.tgz"], "outer"], folder: scratch.path).status == 0)
    let image = try BagImage(scratch["a.tgz"])
    #expect(image.index(of: "data/guides/empty.md") != nil)
    #expect(try BagCheck(scratch["a.tgz"], level: .content).run().isValid)
    #expect(try BagCheck(scratch["a.tgz"], level: .structure).run().isValid)
  }
}
