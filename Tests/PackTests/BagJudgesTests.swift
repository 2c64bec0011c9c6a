import ArchiveIO
import Foundation
import TestSupport
import Testing

/// Our bags, checked with other tools.
@Suite struct BagJudgesTests {
  @Test(.enabled(if: Shell.has("bsdtar"), Judges.reason))
  func bsdtarListsAPack() throws {
    let scratch = Scratch()
    try SampleBag.write(scratch["a.fleetpack"], .fleetpack)
    let listed = try Shell.run("bsdtar", ["-tf", scratch["a.fleetpack"]], environment: ["LC_ALL": "C.UTF-8"])
    #expect(listed.status == 0)
    let names = listed.output.split(separator: "\n")
    #expect(names.count == SampleBag.files.count + 5)
    #expect(names.first == "data/pack.json")
  }

  @Test(.enabled(if: Shell.has("zstd"), Judges.reason))
  func zstdFindsOurFramesSound() throws {
    let scratch = Scratch()
    try SampleBag.write(scratch["a.fleetpack"], .fleetpack)
    #expect(try Shell.run("zstd", ["-t", scratch["a.fleetpack"]]).status == 0)
    let listed = try Shell.run("zstd", ["-lv", scratch["a.fleetpack"]]).output
    #expect(listed.contains("XXH64"))
  }

  @Test(.enabled(if: Shell.has("unzip"), Judges.reason))
  func unzipFindsOurArchiveSound() throws {
    let scratch = Scratch()
    try SampleBag.write(scratch["a.zip"], .zip)
    #expect(try Shell.run("unzip", ["-t", scratch["a.zip"]]).status == 0)
  }

  @Test(
    .enabled(if: Judges.has("bagit.py") && Shell.has("bsdtar"), Judges.reason),
    arguments: [ArchiveKind.fleetpack, .zip, .tarGzip, .folder])
  func whatIsUnpackedIsABagForOthers(kind: ArchiveKind) throws {
    let scratch = Scratch()
    try SampleBag.write(scratch["pack"], kind)
    var folder = scratch["pack"]
    if kind != .folder {
      folder = scratch["out"]
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let unpacked = try Shell.run(
        "bsdtar", ["-xf", scratch["pack"], "-C", folder], environment: ["LC_ALL": "C.UTF-8"])
      #expect(unpacked.status == 0, "\(unpacked.errors)")
    }
    // bsdtar composes accents while it unpacks a tar file, so a name in the manifest no longer matches.
    if kind != .folder {
      let composed = "\(folder)/data/guides/N\u{FA}\u{F1}ez.md"
      let decomposed = "\(folder)/data/guides/Nu\u{301}n\u{303}ez.md"
      rename(composed, decomposed)
    }
    let judged = try Judges.run("bagit.py", ["--validate", folder])
    #expect(judged.status == 0, "\(judged.errors)")
    let summed = try Shell.run("sha256sum", ["--quiet", "-c", "manifest-sha256.txt"], folder: folder)
    #expect(summed.status == 0, "\(summed.errors)")
  }

  @Test(.enabled(if: Shell.has("bsdtar"), Judges.reason), arguments: ["--zstd", "-z", "--format=zip"])
  func weReadWhatOthersPack(option: String) throws {
    let scratch = Scratch()
    try SampleBag.write(scratch["bag"], .folder)
    let packed = try Shell.run(
      "bsdtar", [option, "-cf", scratch["packed"], "-C", scratch["bag"], "."], environment: ["LC_ALL": "C.UTF-8"])
    #expect(packed.status == 0, "\(packed.errors)")
    let image = try BagImage(scratch["packed"])
    #expect(image.members.count == SampleBag.files.count + 1)
    // The locale of the process does not matter. In this locale, libarchive would compose accents.
    setlocale(LC_ALL, "C.UTF-8")
    defer { setlocale(LC_ALL, "C") }
    #expect(try BagImage(scratch["packed"]).members == image.members)
  }

  @Test(.enabled(if: Shell.has("zstd"), Judges.reason))
  func longWindowsAreRead() throws {
    let scratch = Scratch()
    try SampleBag.write(scratch["bag"], .folder)
    _ = try Shell.run("tar", ["-cf", scratch["a.tar"], "-C", scratch["bag"], "."])
    for option in ["--long=27", "--ultra", "-T2", "--adapt"] {
      #expect(try Shell.run("zstd", ["-qf", option, scratch["a.tar"], "-o", scratch["a.tar.zst"]]).status == 0)
      _ = try BagImage(scratch["a.tar.zst"])
    }
  }
}
