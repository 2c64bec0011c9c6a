import Foundation
import TestSupport
import Testing

/// Editing notes after a pull: a note is merged using the version from which it was written as the base.
@Suite(.enabled(if: LocalRegistry.isThere, LocalRegistry.reason), .serialized) struct PullNotesTests {
  /// The vault of the first device.
  struct Vault {
    let devices: TwoDevices
    let folder: String

    init(_ devices: TwoDevices, _ name: String = "vault") {
      self.devices = devices
      folder = devices.folder[name] + "/"
    }

    func export() throws { try devices.fleetkit("export", devices.a, "--to", folder, "-q") }

    /// Replaces a string in every note that contains it.
    func edit(_ old: String, _ new: String) throws {
      let names = try #require(FileManager.default.subpaths(atPath: folder)).filter { $0.hasSuffix(".md") }
      var edited = 0
      for name in names {
        let text = try String(contentsOfFile: folder + name, encoding: .utf8)
        guard text.contains(old) else { continue }
        try text.replacing(old, with: new).write(toFile: folder + name, atomically: true, encoding: .utf8)
        edited += 1
      }
      try #require(edited == 1, "\(old)")
    }

    @discardableResult
    func bringIn() throws -> Answer { try Shell.run(Paths.command, ["import", folder, "--into", devices.a]) }
  }

  @Test(arguments: [true, false]) func whatWasPulledIsEditedInANote(_ isKnown: Bool) throws {
    let devices = try TwoDevices()
    try devices.share()
    let vault = Vault(devices)
    if isKnown {
      try vault.export()
      #expect(try vault.bringIn().status == 0)
    }
    try devices.edit(devices.b, "Call for help", "Call Mayday")
    try devices.edit(devices.b, "Green?", "Green light?")
    try devices.send(devices.b)
    #expect(TwoDevices.outcome(try devices.pull(devices.a)) == "taken")
    try vault.export()
    try vault.edit("Call Mayday", "Call Mayday on 16")
    try vault.edit("Green light?", "A green light?")
    let answer = try vault.bringIn()
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(try devices.steps(devices.a) == ["Shut the fuel", "Call Mayday on 16"])
    #expect(try devices.steps(devices.a, "Lights") == ["Red?", "A green light?"])
    // The next edit is merged against the note's content after the first edit.
    try vault.edit("Call Mayday on 16", "Mayday on 16")
    #expect(try vault.bringIn().status == 0)
    #expect(try devices.steps(devices.a) == ["Shut the fuel", "Mayday on 16"])
    try devices.send(devices.a)
    #expect(TwoDevices.outcome(try devices.pull(devices.b)) == "taken")
    #expect(try devices.steps(devices.b) == ["Shut the fuel", "Mayday on 16"])
  }

  @Test(arguments: [true, false]) func whatWasMergedIsEditedInANote(_ isKnown: Bool) throws {
    let devices = try TwoDevices()
    try devices.share()
    let vault = Vault(devices)
    if isKnown {
      try vault.export()
      #expect(try vault.bringIn().status == 0)
    }
    try devices.edit(devices.b, "Call for help", "Call Mayday")
    try devices.send(devices.b)
    try devices.edit(devices.a, "Shut the fuel", "Shut the fuel and the gas")
    #expect(TwoDevices.outcome(try devices.pull(devices.a)) == "merged")
    try vault.export()
    // Text that this library had, but the registry never had, does not cause a conflict either.
    try vault.edit("Shut the fuel and the gas", "Fuel and gas")
    try vault.edit("Call Mayday", "Mayday")
    let answer = try vault.bringIn()
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(try devices.steps(devices.a) == ["Fuel and gas", "Mayday"])
  }

  @Test func aNoteThatNobodyEditedChangesNothing() throws {
    let devices = try TwoDevices()
    try devices.share()
    try devices.edit(devices.b, "Call for help", "Call Mayday")
    try devices.send(devices.b)
    try devices.pull(devices.a)
    let before = try #require(try devices.item(devices.a)).text
    let vault = Vault(devices)
    for _ in 1...2 {
      try vault.export()
      #expect(try vault.bringIn().status == 0)
      #expect(try devices.item(devices.a)?.text == before)
    }
    #expect(try devices.pull(devices.a)["unchanged"]?.integer == 2)
  }

  /// A note from before the pull lacks the pulled changes and must not revert them.
  @Test(arguments: [true, false]) func anOldNoteTakesNothingBack(_ isKnown: Bool) throws {
    let devices = try TwoDevices()
    try devices.share()
    let vault = Vault(devices)
    try vault.export()
    if isKnown { #expect(try vault.bringIn().status == 0) }
    try devices.edit(devices.b, "Call for help", "Call Mayday")
    try devices.send(devices.b)
    try devices.pull(devices.a)
    try vault.edit("Shut the fuel", "Shut it")
    let answer = try vault.bringIn()
    // A known note is merged. The base of an unknown note cannot be determined.
    #expect(answer.status == (isKnown ? 0 : 3), "\(answer.errors)")
    #expect(try devices.steps(devices.a) == [isKnown ? "Shut it" : "Shut the fuel", "Call Mayday"])
  }
}
