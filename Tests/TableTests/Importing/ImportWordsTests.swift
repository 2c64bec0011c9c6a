import Foundation
import TestSupport
import Testing

/// What people read after an import of tables, word by word.
@Suite struct ImportWordsTests {
  private static let table = """
    checklist,section,item,minutes
    Departure,Deck,Check the fenders,a while

    """

  @Test func oneRowIsNotMany() throws {
    let scratch = Scratch()
    _ = try scratch.write("steps.csv", Self.table)
    let first = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", "--create", folder: scratch.path)
    #expect(
      first.errors.contains(
        "1 of 1 row was rejected; it is kept here, with the reasons beside it, to be corrected and imported with "
          + "--retry:\n"), "\(first.errors)")
    let dry = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", "--dry-run", folder: scratch.path)
    #expect(dry.errors.contains("1 of 1 row would be rejected.\n"))
  }

  @Test func aLibraryDoesNotHaveWhatWasRejected() throws {
    let scratch = Scratch()
    _ = try scratch.write("steps.csv", Self.table)
    _ = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", "--create", "-q", folder: scratch.path)
    let again = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", folder: scratch.path)
    #expect(again.status == 3 && again.errors.contains("l.sqlite was not changed, in "))
    #expect(!again.errors.contains("has all of it"))
  }

  @Test func aHeaderAloneIsNothingToImport() throws {
    let scratch = Scratch()
    _ = try scratch.write("good.csv", Self.table.replacing("a while", with: "5"))
    _ = try scratch.write("steps.csv", "checklist,section,item,minutes\n")
    let good = try Shell.fleetkit("import", "good.csv", "--into", "l.sqlite", "--create", "-q", folder: scratch.path)
    #expect(good.status == 0)
    let none = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", folder: scratch.path)
    #expect(none.errors.contains("There was nothing to import; l.sqlite was not changed, in "), "\(none.errors)")
    let same = try Shell.fleetkit("import", "good.csv", "--into", "l.sqlite", folder: scratch.path)
    #expect(same.errors.contains("l.sqlite has all of it already, in "))
  }

  @Test func retriedRowsThatAreDoneLeaveAFileBehind() throws {
    let scratch = Scratch()
    _ = try scratch.write("steps.csv", Self.table + "Departure,Deck,Dog the hatches,long\n")
    let first = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", "--create", folder: scratch.path)
    let path = String(try #require(first.errors.split(separator: "\n").last))
    let rejects = try String(contentsOfFile: scratch[path], encoding: .utf8)
    try rejects.replacing("a while", with: "5").write(toFile: scratch[path], atomically: true, encoding: .utf8)
    let half = try Shell.fleetkit("import", "--retry", path, "--into", "l.sqlite", folder: scratch.path)
    #expect(half.errors.contains("Of \(path), 1 is done and 1 remains.\n"), "\(half.errors)")
    try rejects.replacing("a while", with: "5").replacing("long", with: "5")
      .write(toFile: scratch[path], atomically: true, encoding: .utf8)
    let all = try Shell.fleetkit("import", "--retry", path, "--into", "l.sqlite", folder: scratch.path)
    #expect(all.errors.contains("All of \(path) is done; the file can be deleted.\n"), "\(all.errors)")
    #expect(FileManager.default.fileExists(atPath: scratch[path]))
  }

  @Test func adviceOfValidateFitsAFileThatNobodyImports() throws {
    let scratch = Scratch()
    _ = try scratch.write("steps.csv", Self.table)
    let answer = try Shell.fleetkit("validate", "steps.csv", folder: scratch.path)
    #expect(answer.status == 1 && answer.output.contains("[TBL0113]"), "\(answer.output)")
    #expect(!answer.output.contains("it is in the rejects file") && !answer.output.contains("must be done"))
  }

  @Test func refusingToReplaceAFileNamesTheFlag() throws {
    let scratch = Scratch()
    _ = try scratch.write("steps.csv", Self.table.replacing("a while", with: "5"))
    _ = try Shell.fleetkit("import", "steps.csv", "--into", "l.sqlite", "--create", "-q", folder: scratch.path)
    for name in ["t.csv", "t.xlsx", "t.jsonl", "t.md"] {
      _ = try scratch.write(name, "mine")
      let answer = try Shell.fleetkit("export", "l.sqlite", "--to", name, folder: scratch.path)
      #expect(answer.status == 4 && answer.errors.contains("--overwrite"), "\(name): \(answer.errors)")
      #expect(try scratch.text(name) == "mine")
    }
    // Where there is no such flag, nobody is sent to it.
    let template = try Shell.fleetkit("formats", "--template", "t.csv", "--shape", "steps", folder: scratch.path)
    #expect(template.status == 4 && !template.errors.contains("--overwrite"))
  }

  @Test func aShapeThatWasAskedForNamesItsHeaders() throws {
    let scratch = Scratch()
    _ = try scratch.write("words.csv", "alpha,beta\n1,2\n")
    let cards = try Shell.fleetkit("validate", "words.csv", "--shape", "cards", folder: scratch.path)
    #expect(cards.output.contains("a table of cards needs the headers 'front' and 'back'"), "\(cards.output)")
    let steps = try Shell.fleetkit("convert", "words.csv", "--to", "x.jsonl", "--shape", "steps", folder: scratch.path)
    #expect(steps.errors.contains("A table of steps needs the header 'item', and may have 'checklist'"))
    #expect(steps.errors.contains("--map 'alpha=item'"), "\(steps.errors)")
    let help = try Shell.fleetkit("help", "import", folder: scratch.path)
    #expect(help.output.contains("fleetkit formats"))
  }
}
