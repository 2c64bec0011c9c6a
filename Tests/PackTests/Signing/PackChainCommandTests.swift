import Foundation
import TestSupport
import Testing

/// `pack verify --previous` and `import` refuse downgrades and forks.
@Suite struct PackChainCommandTests {
  private let desk = SigningDesk()

  @Test func versionsFollowEachOther() throws {
    try desk.key()
    let one = try desk.publish("1.0.0")
    let two = try desk.publish("1.1.0", previous: one)
    let three = try desk.publish("1.2.0", previous: two)
    // A pack without its own history: the signature names its predecessor.
    let bare = try desk.publish("1.1.0", step: "Check the bilges", as: "bare.fleetpack", signingWith: one)
    expect(try desk.verify(two, previous: one), 0, "a successor of the version that you have")
    expect(try desk.verify(three, previous: one), 0, "a successor of the version that you have")
    expect(try desk.verify(bare, previous: one), 0)
    expect(try desk.verify(one, previous: one), 0, "the same version that you have")
    expect(try desk.verify(one, previous: two), 5, "a downgrade")
    expect(try desk.verify(bare, previous: two), 5, "a fork")
    expect(try desk.verify(three, previous: bare), 5, "a fork of the chain")
    let gap = try desk.publish("1.3.0", step: "Check all bilges", as: "gap.fleetpack", signingWith: two)
    expect(try desk.verify(gap, previous: one), 5, "nothing shows that version 1.3.0 follows version 1.0.0")
    expect(try desk.verify(gap, previous: two), 0)
    let first = try desk.publish("2.0.0", step: "Anew", as: "anew.fleetpack")
    expect(try desk.verify(first, previous: one), 5, "it names no earlier version")
  }

  @Test func whatDoesNotFollowIsNotSigned() throws {
    try desk.key()
    try desk.key("other")
    let one = try desk.publish("1.0.0")
    let two = try desk.build("1.1.0", previous: one)
    expect(try desk.sign(one, previous: two), 5, "does not follow")
    let other = try desk.publish("0.9.0", step: "Other")
    expect(try desk.sign(two, previous: other), 5, "but another file")
    let stranger = try desk.publish("0.8.0", step: "Strange", key: "other")
    let next = try desk.build("0.9.5", step: "Next")
    expect(try desk.sign(next, previous: stranger), 5, "not among your trusted keys")
    let unsigned = try desk.build("0.7.0", step: "Bare")
    expect(try desk.sign(next, previous: unsigned), 0, "is not signed; it is identified by its SHA-256")
    let second = try desk.publish("1.0.0", name: "second")
    expect(try desk.sign(two, previous: second), 5, "'second'")
  }

  @Test func anImportRemembersWhomItTrusted() throws {
    try desk.key()
    try desk.key("other")
    let one = try desk.publish("1.0.0")
    let two = try desk.publish("1.1.0", previous: one, step: "Check the bilges")
    expect(try desk.bring(one, trust: ["other"]), 5, "not among your trusted keys")
    #expect(!desk.scratch.names.contains("boat.sqlite"))
    expect(try desk.bring(one, trust: ["publisher"]), 0)
    // The key was recorded, so it need not be given again.
    expect(try desk.bring(two), 0)
    expect(try desk.bring(two), 0)
    expect(try desk.bring(one), 5, "a downgrade")
    let fork = try desk.publish("1.1.0", step: "Leave the bilge alone", as: "fork.fleetpack")
    expect(try desk.bring(fork), 5, "a fork")
    let unsigned = try desk.build("1.2.0", previous: two, step: "Unsigned")
    expect(try desk.bring(unsigned), 5, "it is not signed")
    expect(try desk.bring(unsigned, trust: ["publisher"]), 5, "it is not signed")
    let foreign = try desk.publish("1.2.0", step: "Somebody else's", as: "foreign.fleetpack", key: "other")
    expect(try desk.bring(foreign), 5, "the previous version of 'first-charter' was signed by key")
    let titles = try SQLiteShell.run(desk.scratch["boat.sqlite"], "SELECT content FROM checklists;")
    #expect(titles.contains("Check the bilges"), "\(titles)")
    // With `--trust`, another publisher becomes trusted, and a new chain begins.
    expect(try desk.bring(foreign, trust: ["other"]), 0, "PCK0403")
    expect(try desk.bring(two), 5)
  }

  @Test func unsignedPacksAreOnlyWarnedAbout() throws {
    let one = try desk.build("1.0.0")
    let two = try desk.build("1.1.0", previous: one, step: "Check the bilges")
    expect(try desk.bring(two), 0)
    expect(try desk.bring(one), 0, "PCK0401")
  }

  @Test func aSignatureThatNobodyLookedAtIsTold() throws {
    try desk.key()
    expect(try desk.bring(try desk.publish("1.0.0")), 0, "PCK0402")
  }

  @Test func trustIsForPacks() throws {
    try desk.key()
    let file = try desk.scratch.write("x.jsonl", "")
    expect(try desk.bring(file, trust: ["publisher"]), 64, "no pack among the sources")
  }
}
