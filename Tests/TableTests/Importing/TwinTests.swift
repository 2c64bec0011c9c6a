import Foundation
import TestSupport
import Testing

/// Sources with the same content under a different name.
@Suite struct TwinTests {
  private static let table = "checklist,item\nLeaving,Oil\nLeaving,Springs off\nArriving,Fenders\n"
  private static let list = "Leaving\n\n- Oil\n- Springs off\n- Bilge\n"

  @Test(arguments: [("a.csv", "b.csv", table, 2), ("a.txt", "b.txt", list, 1)])
  func aCopyBesideTheFirstIsCreatedAndSaid(_ first: String, _ second: String, _ text: String, _ many: Int) throws {
    let scratch = Scratch()
    let library = scratch["library.sqlite"]
    let old = try scratch.write(first, text)
    #expect(try !Shell.fleetkit("import", old, "--into", library, "--create").errors.contains("IMP0107"))
    let before = try Self.count(library)
    let copy = try scratch.write(second, text)
    let answer = try Shell.fleetkit("import", copy, "--into", library, "--json")
    let twin = try #require(answer.findings.first { $0.code == "IMP0107" })
    #expect(answer.status == 0 && answer.number("/findings/codes/IMP0107") == 1)
    #expect(answer.number("/total/created") == many && twin.message.contains("'\(first)'"), "\(twin.message)")
    #expect(twin.place.contains(second))
    #expect(try Self.count(library) == before * 2)
    // Both files are known from now on.
    for file in [old, copy] {
      #expect(try !Shell.fleetkit("import", file, "--into", library).errors.contains("IMP0107"))
    }
    #expect(try Self.count(library) == before * 2)
  }

  @Test func aFileWithSomethingNewIsNoCopy() throws {
    let scratch = Scratch()
    let library = scratch["library.sqlite"]
    #expect(
      try Shell.fleetkit("import", scratch.write("a.csv", Self.table), "--into", library, "--create").status == 0)
    for (name, text) in [
      ("more.csv", Self.table + "Mooring,Bow line\n"),
      ("other.csv", Self.table.replacing("Fenders", with: "Fenders out")),
    ] {
      let answer = try Shell.fleetkit("import", scratch.write(name, text), "--into", library)
      #expect(answer.status == 0 && !answer.errors.contains("IMP0107"), "\(answer.errors)")
    }
  }

  @Test func aFileThatWasRenamedIsTheSame() throws {
    let scratch = Scratch()
    let library = scratch["library.sqlite"]
    let old = try scratch.write("a.csv", Self.table)
    #expect(try Shell.fleetkit("import", old, "--into", library, "--create").status == 0)
    let before = try Self.count(library)
    try FileManager.default.moveItem(atPath: old, toPath: scratch["b.csv"])
    let answer = try Shell.fleetkit("import", scratch["b.csv"], "--into", library)
    #expect(!answer.errors.contains("IMP0107"))
    #expect(try Self.count(library) == before)
  }

  /// A copied folder of notes is reported once, and not for every note.
  @Test func aCopiedFolderIsSaidOnce() throws {
    let scratch = Scratch()
    let library = scratch["library.sqlite"]
    for folder in ["one", "two"] {
      try FileManager.default.createDirectory(atPath: scratch[folder], withIntermediateDirectories: true)
      for number in 0..<5 {
        _ = try scratch.write("\(folder)/n\(number).md", "# Note \(number)\n\n- [ ] Oil\n- [ ] Pins\n")
      }
    }
    #expect(try Shell.fleetkit("import", scratch["one"], "--into", library, "--create").status == 0)
    let answer = try Shell.fleetkit("import", scratch["two"], "--into", library, "--json")
    #expect(answer.number("/findings/codes/IMP0107") == 1, "\(answer.output)")
    let twin = try #require(answer.findings.first { $0.code == "IMP0107" })
    #expect(twin.message.contains(/\b5\b/) && twin.message.contains("'Note 0'"), "\(twin.message)")
    #expect(twin.message.contains("'\(scratch["one"])'"))
  }

  private static func count(_ library: String) throws -> Int {
    Int(try SQLiteShell.run(library, "SELECT count(*) FROM library_content;").dropLast()) ?? -1
  }
}
