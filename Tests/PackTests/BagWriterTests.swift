import ArchiveIO
import Foundation
import Interchange
import TestSupport
import Testing

@Suite struct BagWriterTests {
  private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

  @Test(arguments: [ArchiveKind.fleetpack, .zip, .tarGzip])
  func theSameContentGivesTheSameBytes(kind: ArchiveKind) throws {
    let scratch = Scratch()
    try SampleBag.write(scratch["a"], kind)
    try SampleBag.write(scratch["b"], kind, threads: 1)
    try SampleBag.write(scratch["c"], kind, threads: 3)
    setenv("TZ", "Pacific/Auckland", 1)
    tzset()
    try SampleBag.write(scratch["d"], kind)
    unsetenv("TZ")
    tzset()
    for other in ["b", "c", "d"] { #expect(try bytes(scratch["a"]) == bytes(scratch[other])) }
    try SampleBag.write(scratch["e"], kind, time: 1_700_000_000)
    try SampleBag.write(scratch["f"], kind, time: 1_700_000_000)
    #expect(try bytes(scratch["e"]) == bytes(scratch["f"]))
    #expect(try bytes(scratch["e"]) != bytes(scratch["a"]))
  }

  @Test(.enabled(if: Shell.has("unzip"), Judges.reason))
  func zipTimesAreUTC() throws {
    let scratch = Scratch()
    try SampleBag.write(scratch["a.zip"], .zip, time: 1_700_000_000)
    let listed = try Shell.run("unzip", ["-l", scratch["a.zip"]], environment: ["TZ": "UTC"]).output
    #expect(listed.contains("2023-11-14 22:13"))
  }

  @Test(arguments: ArchiveKind.allCases)
  func nothingIsVisibleBeforeTheEnd(kind: ArchiveKind) throws {
    let scratch = Scratch()
    do {
      let writer = try BagWriter(scratch["pack"], kind: kind)
      _ = try writer.add("data/a", ([1, 2, 3] as [UInt8]).span)
      try writer.prepare(first: ("data/pack.json", [0x7B, 0x7D]), info: BagInfo())
      #expect(!FileManager.default.fileExists(atPath: scratch["pack"]))
      writer.abort()
    }
    #expect(scratch.names == [])
  }

  @Test(arguments: ArchiveKind.allCases)
  func whatIsThereIsNotReplaced(kind: ArchiveKind) throws {
    let scratch = Scratch()
    if kind == .folder {
      try FileManager.default.createDirectory(atPath: scratch["pack/mine"], withIntermediateDirectories: true)
    } else {
      _ = try scratch.write("pack", "mine")
    }
    let failure = #expect(throws: RunFailure.self) { try BagWriter(scratch["pack"], kind: kind) }
    #expect(failure?.status == .refused)
    if kind == .folder {
      // The target is not a bag, so it is not overwritten even with this option.
      #expect(throws: RunFailure.self) { try BagWriter(scratch["pack"], kind: kind, overwrites: true) }
    }
  }

  @Test func aBagInAFolderIsReplacedWhole() throws {
    let scratch = Scratch()
    try SampleBag.write(scratch["pack"], .folder)
    let writer = try BagWriter(scratch["pack/"], kind: .folder, overwrites: true)
    try writer.prepare(first: ("data/pack.json", [0x7B, 0x7D]), info: BagInfo())
    _ = try writer.finish()
    #expect(scratch.names == ["pack"])
    #expect(try BagImage(scratch["pack"]).members.count == 1)
  }

  @Test(arguments: [ArchiveKind.fleetpack, .zip, .tarGzip])
  func onlyItsOwnerMayReadWhatIsPrivate(kind: ArchiveKind) throws {
    let scratch = Scratch()
    let writer = try BagWriter(scratch["pack"], kind: kind, mode: 0o600)
    for name in scratch.names {
      let mode = try FileManager.default.attributesOfItem(atPath: scratch[name])[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
    try writer.prepare(first: ("data/pack.json", [0x7B, 0x7D]), info: BagInfo())
    _ = try writer.finish()
    let mode = try FileManager.default.attributesOfItem(atPath: scratch["pack"])[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test(arguments: [
    "data/../x", "data/", "data/a/../b", "data/CON", "data/a\u{1B}[2J", "data/a:b", "data/.", "data/x ",
  ])
  func namesThatReadersRefuseAreNotWritten(name: String) throws {
    let scratch = Scratch()
    let writer = try BagWriter(scratch["pack"], kind: .fleetpack)
    #expect(throws: RunFailure.self) { _ = try writer.add(name, ([1] as [UInt8]).span) }
  }

  @Test(.enabled(if: Shell.has("python3"), Judges.reason))
  func moreFilesThanSixteenBitsCount() throws {
    let scratch = Scratch()
    let writer = try BagWriter(scratch["many.zip"], kind: .zip)
    let one: [UInt8] = [65]
    for number in 0..<66_000 { _ = try writer.add("data/\(number)", one.span) }
    try writer.prepare(first: ("data/pack.json", [0x7B, 0x7D]), info: BagInfo())
    _ = try writer.finish()
    #expect(try BagImage(scratch["many.zip"]).members.count == 66_001)
    let script = "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(len(z.namelist()), z.testzip())"
    #expect(try Shell.run("python3", ["-c", script, scratch["many.zip"]]).output == "66005 None\n")
  }

  @Test func aWriterThatFailedDoesNotGoOn() throws {
    let scratch = Scratch()
    let writer = try BagWriter(scratch["pack"], kind: .fleetpack)
    #expect(throws: RunFailure.self) { try writer.add("data/a", file: scratch["absent"]) }
    // Nothing has been written yet.
    let file = try scratch.write("there", "x")
    try writer.add("data/b", file: file)
    // The file contains more bytes than its declared size.
    #expect(throws: RunFailure.self) { try writer.add("data/proc", file: "/proc/self/status") }
    #expect(throws: RunFailure.self) { try writer.add("data/c", file: file) }
    #expect(throws: RunFailure.self) { try writer.prepare(first: ("data/pack.json", [0x7B]), info: BagInfo()) }
  }

  @Test func namesThatCollideAreNotWritten() throws {
    let scratch = Scratch()
    let writer = try BagWriter(scratch["pack"], kind: .fleetpack)
    let one: [UInt8] = [1]
    _ = try writer.add("data/\u{E9}.md", one.span)
    for name in ["data/E\u{301}.md", "data/\u{E9}.md", "DATA/x", "data/\u{E9}.md/x"] {
      #expect(throws: RunFailure.self, "\(name)") { _ = try writer.add(name, one.span) }
    }
  }

  @Test(arguments: ArchiveKind.allCases)
  func filesOfTheDiskAreTaken(kind: ArchiveKind) throws {
    let scratch = Scratch()
    let text = String(repeating: "anchor aweigh\n", count: 300_000)
    let file = try scratch.write("big", text)
    let writer = try BagWriter(scratch["pack"], kind: kind)
    let member = try writer.add("data/big.txt", file: file)
    #expect(member.size == text.utf8.count)
    try writer.prepare(first: ("data/pack.json", [0x7B, 0x7D]), info: BagInfo())
    _ = try writer.finish()
    let image = try BagImage(scratch["pack"])
    let index = try #require(image.index(of: "data/big.txt"))
    #expect(image.bytes(of: index).elementsEqual(text.utf8))
    try image.extract(index, to: scratch["out"])
    #expect(try scratch.text("out") == text)
  }

  @Test(arguments: ArchiveKind.allCases)
  func aFileIsUnpackedToItsPlace(kind: ArchiveKind) throws {
    let scratch = Scratch()
    let writer = try BagWriter(scratch["pack"], kind: kind)
    let big = [UInt8](repeating: 7, count: 3 << 20)
    _ = try writer.add("data/big.bin", big.span)
    _ = try writer.add("data/small.bin", ([1, 2, 3] as [UInt8]).span)
    try writer.prepare(first: ("data/pack.json", [0x7B, 0x7D]), info: BagInfo())
    _ = try writer.finish()
    let image = try BagImage(scratch["pack"], places: ["data/big.bin": scratch["placed"]])
    let (index, other) = try (#require(image.index(of: "data/big.bin")), #require(image.index(of: "data/small.bin")))
    #expect(image.bytes(of: index).elementsEqual(big) && image.bytes(of: other).elementsEqual([1, 2, 3]))
    #expect(try Array(Data(contentsOf: URL(fileURLWithPath: scratch["placed"]))) == big)
    #expect(try FileManager.default.attributesOfItem(atPath: scratch["placed"])[.posixPermissions] as? Int == 0o600)
    try image.extract(index, to: scratch["placed"])
    try image.extract(index, to: scratch["copy"])
    #expect(try Array(Data(contentsOf: URL(fileURLWithPath: scratch["copy"]))) == big)
    // An existing file is never overwritten.
    let failure = #expect(throws: RunFailure.self) {
      try BagImage(scratch["pack"], places: ["data/small.bin": scratch["placed"]])
    }
    #expect(failure?.status == .refused)
    #expect(try Array(Data(contentsOf: URL(fileURLWithPath: scratch["placed"]))) == big)
  }

  @Test func aDamagedBagLeavesNothingAtThePlaces() throws {
    let scratch = Scratch()
    let writer = try BagWriter(scratch["bag"], kind: .folder)
    _ = try writer.add("data/a.bin", ([1, 2, 3] as [UInt8]).span)
    try writer.prepare(first: ("data/pack.json", [0x7B, 0x7D]), info: BagInfo())
    _ = try writer.finish()
    _ = try scratch.write("bag/data/a.bin", "other")
    let failure = #expect(throws: RunFailure.self) {
      try BagImage(scratch["bag"], places: ["data/a.bin": scratch["placed"]])
    }
    #expect(failure?.status == .mismatch)
    #expect(!FileManager.default.fileExists(atPath: scratch["placed"]))
  }
}
