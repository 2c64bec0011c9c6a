import FleetKit
import Foundation
import TestSupport
import Testing

/// Pages that are made from the code, and links that must lead somewhere.
@Suite struct DocumentationTests {
  @Test func thePageOfFindingsIsCurrent() throws {
    let path = Paths.root + "/docs/findings.md"
    let text = Self.findingsPage()
    let found = try? String(contentsOfFile: path, encoding: .utf8)
    if ProcessInfo.processInfo.environment["FLEETKIT_RECORD"] == "1", found != text {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      Issue.record("docs/findings.md was recorded anew; read it")
      return
    }
    #expect(found == text, "docs/findings.md is stale: make docs")
  }

  private static func findingsPage() -> String {
    var text = """
      # Findings

      Every kind of finding that FleetKit reports, by its code. A code is never reused and never changes its meaning. This page is made from the code: `make docs`.

      """
    for code in FindingCodes.all.sorted(by: { $0.id < $1.id }) {
      text += """

        ## \(code.id) \(code.name)

        \(code.summary) (\(code.severity))

        - Why: \(code.why).
        - Fix: \(code.fix).

        """
      if let page = code.helpPath, page.hasPrefix("docs/rules/") {
        text += "- More: [\(code.name)](rules/\(code.name).md)\n"
      }
    }
    return text
  }

  @Test func codesAreUnique() {
    #expect(Set(FindingCodes.all.map(\.id)).count == FindingCodes.all.count)
    #expect(Set(FindingCodes.all.map(\.name)).count == FindingCodes.all.count)
  }

  @Test func everyVerbHasHelpWithAnExample() throws {
    for verb in [
      "convert", "export", "list", "show", "inspect", "diff", "merge", "doctor", "validate", "backups", "verify",
      "restore", "serve", "publish", "update", "unpublish",
    ] {
      let answer = try Shell.fleetkit(verb, "--help")
      #expect(
        answer.status == 0 && answer.output.contains("EXAMPLES") && answer.output.contains("fleetkit \(verb) "),
        "\(verb)")
    }
  }

  @Test func linksInPagesLeadSomewhere() throws {
    var pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "samples/README.md"]
    for folder in ["docs", "formats", "formats/schemas", "docs/adr", "docs/rules"] {
      let names = try FileManager.default.contentsOfDirectory(atPath: Paths.root + "/" + folder)
      pages += names.filter { $0.hasSuffix(".md") }.map { folder + "/" + $0 }
    }
    for page in pages {
      let text = try String(contentsOfFile: Paths.root + "/" + page, encoding: .utf8)
      let folder = URL(fileURLWithPath: Paths.root + "/" + page).deletingLastPathComponent().path
      // Examples in code blocks lead nowhere on purpose.
      let prose = text.replacing(/(?s)```.*?```/, with: "").replacing(/`[^`\n]*`/, with: "")
      for match in prose.matches(of: /\]\(([^)#:]+)(#[^)]*)?\)/) {
        #expect(FileManager.default.fileExists(atPath: folder + "/" + match.output.1), "\(page): \(match.output.1)")
      }
    }
  }

  /// The house: arrows go down only.
  @Test func floorsImportOnlyLowerFloors() throws {
    let floors: [(String, Set<String>)] = [
      ("Diagnostics", []), ("JSONText", []), ("MarkdownSyntax", []),
      ("Content", ["CCrypto", "Diagnostics", "JSONText"]),
      ("JSONSchema", ["CSchemas", "JSONText"]), ("Reports", ["Diagnostics", "JSONText"]),
      ("Interchange", ["Content", "Diagnostics", "JSONText"]),
      ("Validation", ["CSchemas", "Content", "Diagnostics", "JSONSchema", "JSONText", "MarkdownSyntax"]),
      ("Codecs/SQLiteIO", ["CSQLite", "Interchange"]), ("Codecs/SQLiteRecovery", []),
      ("Codecs/YAMLText", ["JSONText", "Yams"]),
      ("Codecs/MarkdownText", ["JSONText"]),
      (
        "Codecs/ArchiveIO",
        ["CArchive", "CCrypto", "CZlib", "CZstd", "Content", "Diagnostics", "Interchange", "JSONText"]
      ),
      ("Codecs/Minisign", ["CCrypto", "Content", "Interchange"]),
      ("Codecs/XMLStream", ["CExpat", "Interchange"]),
      ("Codecs/DelimitedText", ["Diagnostics", "Interchange", "JSONText", "MarkdownText"]),
      ("Codecs/TableShapes", ["Content", "Diagnostics", "Interchange", "JSONText", "YAMLText"]),
      ("Formats/CSV", ["Content", "DelimitedText", "Diagnostics", "Interchange", "JSONText", "TableShapes"]),
      (
        "Formats/Spreadsheet",
        [
          "ArchiveIO", "Content", "DelimitedText", "Diagnostics", "Interchange", "JSONText", "TableShapes",
          "XMLStream",
        ]
      ),
      ("Formats/Todoist", ["Content", "DelimitedText", "Diagnostics", "Interchange", "JSONText", "TableShapes"]),
      ("Formats/PlainText", ["Content", "Diagnostics", "Interchange", "JSONText", "MarkdownText"]),
      (
        "Formats/ContentPack",
        [
          "ArchiveIO", "CSQLite", "Content", "Diagnostics", "Interchange", "JSONText", "Minisign", "SQLiteIO",
          "Validation", "YAMLText",
        ]
      ),
      (
        "Formats/Markdown",
        [
          "Interchange", "Content", "Diagnostics", "JSONText", "MarkdownSyntax", "MarkdownText", "Validation",
          "YAMLText",
        ]
      ),
      (
        "Formats/SQLiteLibrary",
        ["ArchiveIO", "CSQLite", "SQLiteIO", "Interchange", "Content", "Diagnostics", "JSONText"]
      ),
      ("Formats/JSONBundle", ["Interchange", "Content", "Diagnostics", "JSONText"]),
      ("Migration", ["CSQLite", "SQLiteLibrary", "SQLiteIO", "Interchange", "Content", "Diagnostics", "JSONText"]),
      (
        "Backup",
        [
          "ArchiveIO", "CSQLite", "Content", "ContentPack", "Diagnostics", "Interchange", "JSONBundle", "JSONText",
          "SQLiteIO", "SQLiteLibrary",
        ]
      ),
      ("Merging", ["SQLiteLibrary", "SQLiteIO", "Interchange", "Content", "Diagnostics", "JSONText"]),
      ("Publishing", ["Content", "Diagnostics", "JSONSchema", "JSONText", "Validation"]),
      ("RegistryClient", ["CCurl", "Content", "Interchange", "JSONText"]),
      (
        "SyncQueue",
        [
          "Content", "Diagnostics", "Interchange", "JSONText", "Publishing", "RegistryClient", "SQLiteIO",
          "SQLiteLibrary", "Validation",
        ]
      ),
      ("Runs", ["SQLiteLibrary", "SQLiteIO", "Interchange", "Content", "Diagnostics", "JSONText"]),
      (
        "Doctor",
        [
          "SQLiteLibrary", "JSONBundle", "SQLiteIO", "SQLiteRecovery", "Interchange", "Content", "Diagnostics",
          "JSONText", "SyncQueue", "Validation",
        ]
      ),
      (
        "ProjectConfiguration", ["Diagnostics", "Interchange", "JSONSchema", "JSONText", "Validation", "YAMLText"]
      ),
      (
        "RecordSources",
        [
          "CSV", "Content", "ContentPack", "Diagnostics", "Interchange", "JSONBundle", "JSONText", "Markdown",
          "PlainText", "SQLiteLibrary", "Spreadsheet", "Todoist",
        ]
      ),
      ("Proving", ["Backup", "Content", "Diagnostics", "Interchange", "JSONText", "RecordSources", "SQLiteLibrary"]),
      (
        "LibraryImporting",
        [
          "Backup", "Content", "ContentPack", "Diagnostics", "Interchange", "JSONText", "Markdown",
          "Merging", "Minisign", "Proving", "RecordSources", "Reports", "Runs", "SQLiteLibrary",
        ]
      ),
      (
        "ContentValidation",
        [
          "ArchiveIO", "Content", "ContentPack", "Diagnostics", "Interchange", "JSONSchema", "JSONText",
          "ProjectConfiguration", "RecordSources", "Reports", "Validation", "YAMLText",
        ]
      ),
      (
        "PackBuilding",
        [
          "ArchiveIO", "Backup", "Content", "ContentPack", "ContentValidation", "Diagnostics",
          "Interchange", "JSONSchema", "JSONText", "LibraryImporting", "ProjectConfiguration",
          "RecordSources", "Reports", "Validation",
        ]
      ),
      ("FileMerging", ["Content", "Diagnostics", "Interchange", "JSONText", "Merging", "RecordSources"]),
      (
        "RegistryExchange",
        [
          "Content", "Diagnostics", "Interchange", "JSONBundle", "JSONText", "LibraryImporting", "Merging",
          "Publishing", "RegistryClient",
          "SQLiteIO", "SQLiteLibrary", "SyncQueue", "Validation",
        ]
      ),
      (
        "FleetKit",
        [
          "ArchiveIO", "Backup", "CSV", "ContentPack", "ContentValidation", "Doctor", "FileMerging",
          "FleetKitCore", "Interchange", "LibraryImporting", "Markdown", "Merging", "Migration", "Minisign",
          "PackBuilding", "ProjectConfiguration", "Proving", "RecordSources", "RegistryClient",
          "RegistryExchange", "Reports", "Runs", "Spreadsheet", "SyncQueue", "TableShapes", "Validation",
        ]
      ),
      ("Command", ["FleetKit", "ArgumentParser", "SQLiteLibrary"]),
    ]
    let system: Set<String> = ["Foundation", "Synchronization", "Glibc", "Musl", "Darwin", "CryptoKit"]
    for (folder, allowed) in floors {
      let root = Paths.root + "/Sources/" + folder
      for name in try FileManager.default.subpathsOfDirectory(atPath: root) where name.hasSuffix(".swift") {
        let text = try String(contentsOfFile: root + "/" + name, encoding: .utf8)
        for match in text.matches(of: /(?m)^ *import (\w+)/) {
          let module = String(match.output.1)
          #expect(system.contains(module) || allowed.contains(module), "\(folder)/\(name) imports \(module)")
        }
      }
    }
  }
}
