import CXML
import Foundation
import Interchange
import TestSupport
import Testing
import XMLStream

/// The behaviour on a machine without libxml2.
@Suite struct XMLLibraryTests {
  @Test func takesOnlyALibraryThatHasEverything() throws {
    let scratch = Scratch()
    #expect(!fleetkit_xml_is_usable("libxml2.so.none"))
    #expect(try !fleetkit_xml_is_usable(scratch.write("libxml2.so.2", "no library")))
    #if os(Linux)
      // The library exists, but it is a different library.
      #expect(!fleetkit_xml_is_usable("libsqlite3.so.0"))
    #endif
    #expect(fleetkit_xml_load())
  }

  @Test func namesThePackageWhenItIsMissing() {
    let failure = XMLStreamParser.missing
    #expect(failure.status == .unreachable && failure.status.rawValue == 69)
    #expect(failure.advice?.contains("apt-get install libxml2") == true)
  }

  #if os(Linux)
    /// A command that uses a shared libarchive needs libxml2 to start, so this test skips it. `make test-dist` tests
    /// the command that people install.
    @Test func withoutItTheCommandStartsAndWorkbooksEndWith69() throws {
      let scratch = Scratch()
      for name in ["libxml2.so.2", "libxml2.so.16"] { _ = try scratch.write(name, "no library") }
      let environment = ["LD_LIBRARY_PATH": scratch.path]
      guard try Shell.run(Paths.command, ["--version"], environment: environment).status == 0 else { return }
      let table = try scratch.write("list.csv", "title,item\nA,b\n")
      let book = scratch["list.xlsx"]
      #expect(try Shell.run(Paths.command, ["convert", table, "--to", book]).status == 0)
      let answer = try Shell.run(
        Paths.command, ["convert", book, "--to", scratch["list.jsonl"]], environment: environment)
      #expect(answer.status == 69)
      #expect(answer.errors.contains("apt-get install libxml2"), "\(answer)")
    }
  #endif
}
