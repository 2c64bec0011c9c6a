import FleetKit
import Foundation
import TestSupport
import Testing

/// Tables that several people share, and tables next to notes.
@Suite struct SharedTableTests {
  /// Two people export the same library. The second person's copy does not undo the changes of the first.
  @Test func anotherCopyOfTheTableDoesNotUndoWhatOneBrought() throws {
    let scratch = Scratch()
    let source = try scratch.write("steps.csv", "checklist,item\nLeaving,Oil\nLeaving,Springs off\nArriving,Fenders\n")
    let library = scratch["library.sqlite"]
    #expect(try Shell.fleetkit("import", source, "--into", library, "--create").status == 0)
    for name in ["ann.csv", "bob.csv"] {
      #expect(try Shell.fleetkit("export", library, "--to", scratch[name], "-q").status == 0)
    }
    let text = try scratch.text("ann.csv")
    _ = try scratch.write("ann.csv", text.replacing("Springs off", with: "Springs off and stowed"))
    _ = try scratch.write("bob.csv", text.replacing("Fenders", with: "Fenders out"))
    let first = try Shell.fleetkit("import", scratch["ann.csv"], "--into", library)
    #expect(first.status == 0)
    let second = try Shell.fleetkit("import", scratch["bob.csv"], "--into", library)
    #expect(second.status == 3 && second.errors.contains("IMP0101"), "\(second.errors)")
    let titles = try BulkImportTests.steps(library).map(\.row.item)
    #expect(Set(titles) == ["Oil", "Springs off and stowed", "Fenders out"])
    // Each of them continues with their own table.
    _ = try scratch.write("ann.csv", try scratch.text("ann.csv").replacing("Oil", with: "Oil level"))
    #expect(try Shell.fleetkit("import", scratch["ann.csv"], "--into", library, "--on-conflict", "merge").status != 2)
  }

  @Test func aTableBesideNotesIsNamed() throws {
    let scratch = Scratch()
    let folder = scratch["vault"]
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    _ = try scratch.write("vault/note.md", "# Heaving to\n\nBack the jib.\n")
    _ = try scratch.write("vault/steps.csv", "checklist,item\nLeaving,Oil\n")
    let answer = try Shell.fleetkit("convert", folder, "--to", scratch["all.jsonl"])
    #expect(answer.status == 0 && answer.errors.contains("TBL0119") && answer.errors.contains("steps.csv"))
  }

  /// When a cell of one column contains the other column's name, it does not mean yes.
  @Test func optionalIsNotRequired() throws {
    let scratch = Scratch()
    let source = try scratch.write("steps.csv", "checklist,item,required\nLeaving,Oil,optional\nLeaving,Springs,must\n")
    let answer = try Shell.fleetkit("import", source, "--into", scratch["library.sqlite"], "--create")
    #expect(answer.status == 3 && answer.errors.contains("TBL0113"))
    #expect(try BulkImportTests.steps(scratch["library.sqlite"]).map(\.row.item) == ["Springs"])
  }
}
