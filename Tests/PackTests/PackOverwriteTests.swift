import FleetKit
import Foundation
import TestSupport
import Testing

/// The files that a new pack may replace.
@Suite struct PackOverwriteTests {
  private let desk = SigningDesk()

  private func build(_ target: String, _ more: String...) throws -> Answer {
    if !desk.scratch.names.contains("first-charter-1.0.0.fleetpack") { _ = try desk.build("1.0.0") }
    let folder = try #require(desk.scratch.names.first { $0.hasPrefix("content-") })
    return try Shell.run(
      Paths.command, ["pack", "build", desk.scratch[folder], "--to", desk.scratch[target]] + more)
  }

  @Test(arguments: ["b.sqlite", "pub.key", "first", "a.fleetpack.minisig"])
  func aNameMustSayHowItIsPacked(_ name: String) throws {
    _ = try desk.scratch.write(name, "precious")
    expect(try build(name, "--overwrite"), 64, "End the name in .fleetpack")
    #expect(try desk.scratch.text(name) == "precious")
  }

  @Test(arguments: ["a.fleetpack", "a.zip", "a.tar.gz", "a.tgz", "a.tar.zst"])
  func onlyArchivesAreReplaced(_ name: String) throws {
    _ = try desk.scratch.write(name, "precious")
    expect(try build(name), 4, "--overwrite")
    expect(try build(name, "--overwrite"), 4, "is not a pack")
    let convert = try desk.run(
      "convert", desk.scratch["first-charter-1.0.0.fleetpack"], "--to", desk.scratch[name], "--overwrite")
    expect(convert, 4, "is not a pack")
    #expect(try desk.scratch.text(name) == "precious")
    try FileManager.default.removeItem(atPath: desk.scratch[name])
    expect(try build(name), 0)
    expect(try build(name, "--overwrite"), 0)
  }
}
