import ArchiveIO
import Foundation
import Interchange
import TestSupport
import Testing

/// Archives that are designed to do harm are refused before anything is written.
@Suite struct HostileArchiveTests {
  /// Names that lead elsewhere, or that have a different meaning on another system.
  static let names = [
    "../evil", "data/../../evil", "/etc/passwd", "//host/share", "data//x", "data/./x", "./../x", "data/..",
    "..", "~/x", "~root/x", "C:\\evil", "c:/evil", "C:evil", "\\\\host\\share\\x", "data\\..\\..\\evil", "..\\evil",
    "data/x.", "data/x ", "data/... ", "data/.. /x", "data/CON", "data/nul.txt", "data/com1", "data/LPT9.log",
    "data/aux .txt", "data/a\u{1B}[2Jb", "data/a\nb", "data/a\rb", "data/a\u{7}", "data/a\u{7F}", "data/\u{85}x",
    "data/gpj.\u{202E}exe", "data/\u{2066}x", "data/\u{200F}x", "data/x\u{FEFF}", "data/x::$DATA", "data/\u{2028}x",
    String(repeating: "d/", count: 40) + "x", "data/" + String(repeating: "n", count: 1200),
  ]

  private func write(_ bytes: [UInt8], _ scratch: Scratch, _ name: String = "evil") throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: scratch[name]))
    return scratch[name]
  }

  /// Writes tar bytes compressed with zstd and with gzip, and returns the paths.
  private func packed(_ tar: [UInt8], _ scratch: Scratch) throws -> [String] {
    let path = try write(tar, scratch, "evil.tar")
    #expect(try Shell.run("zstd", ["-qf", path]).status == 0)
    #expect(try Shell.run("gzip", ["-kf", path]).status == 0)
    return [path + ".zst", path + ".gz"]
  }

  private func expectRefused(_ path: String, _ comment: String = "", _ reason: String? = nil) {
    let failure = #expect(throws: RunFailure.self, "\(comment)") { try ArchiveProbe.size(path) }
    #expect(failure?.status == .failed || failure?.status == .mismatch, "\(comment)")
    if let reason { #expect(failure?.message.contains(reason) == true, "\(comment): \(failure?.message ?? "")") }
    // Whatever a name contains, a message consists of one line.
    #expect(failure?.message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E } == true)
    #expect(throws: RunFailure.self, "\(comment)") { try BagImage(path) }
    #expect(throws: RunFailure.self, "\(comment)") { try BagCheck(path, level: .structure).run() }
  }

  @Test(.enabled(if: Shell.has("zstd"), Judges.reason), arguments: names)
  func namesThatLeadElsewhereAreRefused(name: String) throws {
    let scratch = Scratch()
    let bytes = Array(name.utf8)
    for (form, tar) in [("pax", TarBytes.pax(bytes, [1])), ("ustar", TarBytes.entry(bytes, [1]))]
    where form == "pax" || bytes.count < 100 {
      for path in try packed(tar + TarBytes.end, scratch) { expectRefused(path, form, "refused") }
    }
    expectRefused(try write(ZipBytes.archive([(bytes, [1])]), scratch, "evil.zip"), "zip", "refused")
    #expect(Set(scratch.names).isSubset(of: ["evil.tar", "evil.tar.zst", "evil.tar.gz", "evil.zip"]))
  }

  @Test func namesThatAreNoTextAreRefused() throws {
    let scratch = Scratch()
    for name in [[0x64, 0xFF, 0xFE], [0x64, 0xC0, 0xAF], [0xED, 0xA0, 0x80]] as [[UInt8]] {
      for path in try packed(TarBytes.pax(name) + TarBytes.end, scratch) { expectRefused(path) }
      for path in try packed(TarBytes.entry(name) + TarBytes.end, scratch) { expectRefused(path) }
      expectRefused(try write(ZipBytes.archive([(name, [1])]), scratch, "evil.zip"))
    }
    expectRefused(try write(ZipBytes.archive([([0x61, 0, 0x62], [1])]), scratch, "evil.zip"))
    expectRefused(try write(ZipBytes.archive([([], [1])]), scratch, "evil.zip"))
  }

  @Test(arguments: [
    ["data/a.md", "data/A.md"], ["data/\u{E9}", "data/e\u{301}"], ["data/a", "data/a"], ["data/x", "data/x/y"],
    ["data/x/y", "data/x"], ["data/X/y", "data/x"], ["data/stra\u{DF}e", "data/STRASSE"], ["Data/a", "data/A"],
    ["data/a\u{200D}b", "data/ab"],
  ])
  func namesThatCollideAreRefused(names: [String]) throws {
    let scratch = Scratch()
    let bytes = names.map { Array($0.utf8) }
    for path in try packed(bytes.flatMap { TarBytes.pax($0, [1]) } + TarBytes.end, scratch) {
      expectRefused(path, "\(names)", "refused")
    }
    expectRefused(try write(ZipBytes.archive(bytes.map { ($0, [1]) }), scratch, "evil.zip"), "\(names)", "refused")
  }

  @Test(arguments: ["1", "2", "3", "4", "6", "S", "M"])
  func linksAndDevicesAreRefused(type: String) throws {
    let scratch = Scratch()
    let kind = type.first ?? "1"
    let tar =
      TarBytes.entry(Array("data/a".utf8), type: kind, link: "../../etc/passwd")
      + TarBytes.entry(Array("data/a/b".utf8), [1])
    for path in try packed(tar + TarBytes.end, scratch) { expectRefused(path, type) }
  }

  @Test func chainsOfLinksAreRefused() throws {
    let scratch = Scratch()
    var tar: [UInt8] = []
    for number in 0..<20 {
      tar += TarBytes.entry(Array("data/l\(number + 1)".utf8), type: "2", link: number == 0 ? ".." : "l\(number)/..")
    }
    for path in try packed(tar + TarBytes.entry(Array("data/l20/x".utf8), [1]) + TarBytes.end, scratch) {
      expectRefused(path, "", "link")
    }
    let link = ZipBytes.archive([(Array("data/l".utf8), Array("../..".utf8))], mode: 0o120777)
    expectRefused(try write(link, scratch, "evil.zip"), "", "link")
  }

  @Test func linksInFoldersAreRefused() throws {
    let scratch = Scratch()
    try SampleBag.write(scratch["bag"], .folder)
    try FileManager.default.createSymbolicLink(atPath: scratch["bag/data/x"], withDestinationPath: "/etc/passwd")
    expectRefused(scratch["bag"], "", "link")
  }

  @Test(.enabled(if: Shell.has("zstd"), Judges.reason))
  func bombsAreRefused() throws {
    let scratch = Scratch()
    let gigabytes = 10 << 30
    let header = try write(TarBytes.entry(Array("data/bomb".utf8), size: gigabytes - 1), scratch, "header")
    // A frame of a gigabyte is repeated, because compressing all of it would take ten times as long.
    let frame = scratch["frame.zst"]
    #expect(try Shell.run("sh", ["-c", "head -c 1G /dev/zero | zstd -q -3 --long=27 -T1 -o '\(frame)'"]).status == 0)
    let frames = "(zstd -q -c '\(header)'; for i in 1 2 3 4 5 6 7 8 9 10; do cat '\(frame)'; done)"
    #expect(try Shell.run("sh", ["-c", "\(frames) > '\(scratch["bomb.tar.zst"])'"]).status == 0)
    expectRefused(scratch["bomb.tar.zst"], "zstd", "times its size")
    // An archive that unpacks to this archive is refused, too, or is not recognized as an archive.
    #expect(try Shell.run("zstd", ["-q", scratch["bomb.tar.zst"], "-o", scratch["nested.tar.zst"]]).status == 0)
    expectRefused(scratch["nested.tar.zst"])
    #expect(
      try #require(FileManager.default.attributesOfItem(atPath: scratch["bomb.tar.zst"])[.size] as? Int) < 2 << 20)
    // A gzip file of a gigabyte takes a megabyte, so a single member is repeated.
    let member = scratch["member.gz"]
    #expect(try Shell.run("sh", ["-c", "head -c 1G /dev/zero | gzip -1 > '\(member)'"]).status == 0)
    let first = "(cat '\(header)' | gzip; for i in 1 2 3 4 5 6 7 8 9 10; do cat '\(member)'; done)"
    #expect(try Shell.run("sh", ["-c", "\(first) > '\(scratch["bomb.tar.gz"])'"]).status == 0)
    var limits = ArchiveLimits.standard
    limits.ratio = 150
    let failure = #expect(throws: RunFailure.self) { try ArchiveProbe.size(scratch["bomb.tar.gz"], limits: limits) }
    #expect(failure?.status == .failed && failure?.message.numbers.contains(150) == true, "\(failure?.message ?? "")")
  }

  @Test func bombsInZipAreRefused() throws {
    let scratch = Scratch()
    let script = """
      import sys, zipfile
      z = zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED)
      for i in range(3):
          with z.open('data/%d' % i, 'w', force_zip64=True) as f:
              for _ in range(128): f.write(bytes(1 << 20))
      z.close()
      """
    #expect(try Shell.run("python3", ["-c", script, scratch["bomb.zip"]]).status == 0)
    var limits = ArchiveLimits.standard
    limits.ratio = 200
    limits.freeBytes = 1 << 20
    let failure = #expect(throws: RunFailure.self) { try ArchiveProbe.size(scratch["bomb.zip"], limits: limits) }
    #expect(failure?.status == .failed && failure?.message.numbers.contains(200) == true, "\(failure?.message ?? "")")
    limits.bytes = 100 << 20
    limits.ratio = 5000
    let second = #expect(throws: RunFailure.self) { try ArchiveProbe.size(scratch["bomb.zip"], limits: limits) }
    #expect(second?.message.contains("bytes") == true)
  }

  @Test func filesThatLieInOneAnotherAreRefused() throws {
    let scratch = Scratch()
    // Many entries in the directory share one stored file.
    expectRefused(
      try write(ZipBytes.overlapping(count: 1000, size: 10_000), scratch, "evil.zip"), "shared", "refused")
    expectRefused(try write(ZipBytes.quoted(count: 200), scratch, "evil.zip"), "quoted", "refused")
  }

  @Test func directoriesThatLieAreRefused() throws {
    let scratch = Scratch()
    let name = Array("data/a".utf8)
    let zips: [(String, [UInt8])] = [
      ("other local name", ZipBytes.archive([(name, [1])], localName: Array("data/b".utf8))),
      ("encrypted", ZipBytes.archive([(name, [1])], flags: 1)),
      ("method", ZipBytes.archive([(name, [1])], method: 12)),
      ("claims more", ZipBytes.archive([(name, [1])], claimed: 5)),
      ("claims a terabyte", ZipBytes.archive([(name, [1])], claimed: 0xFFFF_FFF0)),
      ("a million", ZipBytes.archive([(name, [1])], count: 0xFFFE)),
      ("several disks", ZipBytes.archive([(name, [1])], disk: 1)),
    ]
    for (what, bytes) in zips { expectRefused(try write(bytes, scratch, "evil.zip"), what) }
  }

  @Test(.enabled(if: Shell.has("zstd"), Judges.reason))
  func aMillionEntriesAreRefused() throws {
    let scratch = Scratch()
    let script = """
      import sys
      def header(n):
          b = bytearray(512); name = b'data/%07d' % n
          b[0:len(name)] = name; b[100:108] = b'0000644\\0'; b[124:136] = b'00000000000\\0'; b[136:148] = b'00000000000\\0'
          b[156:157] = b'0'; b[257:263] = b'ustar\\0'; b[263:265] = b'00'; b[148:156] = b'        '
          b[148:156] = b'%06o\\0 ' % sum(b); return bytes(b)
      out = sys.stdout.buffer
      for n in range(1000000): out.write(header(n))
      out.write(bytes(1024))
      """
    let made = try Shell.run(
      "sh", ["-c", "python3 -c \"$1\" | zstd -q -1 -o \"$2\"", "sh", script, scratch["many.tar.zst"]])
    #expect(made.status == 0, "\(made.errors)")
    let failure = #expect(throws: RunFailure.self) { try ArchiveProbe.size(scratch["many.tar.zst"]) }
    #expect(failure?.message.contains("250000") == true, "\(failure?.message ?? "")")
    let zip = """
      import sys, zipfile
      z = zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_STORED)
      for n in range(260000): z.writestr(zipfile.ZipInfo('data/%07d' % n), b'')
      z.close()
      """
    #expect(try Shell.run("python3", ["-c", zip, scratch["many.zip"]]).status == 0)
    let second = #expect(throws: RunFailure.self) { try ArchiveProbe.size(scratch["many.zip"]) }
    #expect(second?.message.contains("250000") == true)
  }

  @Test func otherFilesAreNoArchives() throws {
    let scratch = Scratch()
    for bytes in [[], [0], Array("SQLite format 3\0".utf8), Array("7z\u{BC}\u{AF}".utf8)] as [[UInt8]] {
      let failure = #expect(throws: RunFailure.self) { try ArchiveReader(try write(bytes, scratch)) }
      #expect(failure?.status == .failed)
    }
    #expect(throws: RunFailure.self) { try ArchiveReader(scratch["absent"]) }
    mkfifo(scratch["pipe"], 0o600)
    #expect(throws: RunFailure.self) { try ArchiveReader(scratch["pipe"]) }
  }
}
