import FleetKit
import Foundation
import TestSupport
import Testing

/// Pages that are generated from the code, and links, which must not be dead.
@Suite struct DocumentationTests {
  @Test func thePageOfFindingsIsCurrent() throws {
    let path = Paths.root + "/docs/findings.md"
    let text = Self.findingsPage()
    let found = try? String(contentsOfFile: path, encoding: .utf8)
    if ProcessInfo.processInfo.environment["FLEETKIT_RECORD"] == "1", found != text {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      Issue.record("docs/findings.md was recorded again; read it")
      return
    }
    #expect(found == text, "docs/findings.md is stale: make docs")
  }

  private static func findingsPage() -> String {
    var text = """
      # Findings

      This page lists every finding that FleetKit reports, by code. A code is never reused and never changes its meaning. `make docs` generates this page from the source code.

      """
    let codes = FindingCodes.all.sorted { $0.id < $1.id }
    text += """

      - An **error** reports content that is refused, or that will be hidden or lost if you do nothing.
      - A **warning** reports any other unexpected result: content that you wrote was not imported, or was stored elsewhere.
      - A **note** needs no action. Notes are counted in one line; `-v` shows them.

      ## By severity

      | severity | code | found |
      |---|---|---|

      """
    for severity in Severity.allCases.reversed() {
      for code in codes where code.severity == severity {
        text += "| \(severity) | [\(code.id)](#\(code.id.lowercased())-\(code.name)) | \(code.summary) |\n"
      }
    }
    for code in codes {
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

  /// The README's table of formats is generated from the format registry.
  @Test func theTableOfFormatsIsCurrent() throws {
    let path = Paths.root + "/README.md"
    let page = try String(contentsOfFile: path, encoding: .utf8)
    let start = try #require(page.range(of: "<!-- formats: made from the code by make docs -->\n"))
    let end = try #require(page.range(of: "<!-- end of formats -->"))
    var table = "\n| format | name | files | page |\n|---|---|---|---|\n"
    for format in FormatRegistry.standard.formats.map(\.descriptor) {
      let folders = format.takesFolders || format.holdsFiles ? ", folders" : ""
      let files = format.extensions.map { "`.\($0)`" }.joined(separator: ", ") + folders
      let direction = format.writes ? "" : format.fills ? ", read; fills an empty one" : ", read only"
      table +=
        "| \(format.title)\(direction) | `\(format.name)` | \(files) "
        + "| [formats/\(format.page).md](formats/\(format.page).md) |\n"
    }
    let text = page[..<start.upperBound] + table + "\n" + page[end.lowerBound...]
    if ProcessInfo.processInfo.environment["FLEETKIT_RECORD"] == "1", page != text {
      try String(text).write(toFile: path, atomically: true, encoding: .utf8)
      Issue.record("the table of formats in README.md was recorded; read it")
      return
    }
    #expect(page == text, "the formats of README.md are stale: make docs")
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
      // Examples in code blocks may have dead links.
      let prose = text.replacing(/(?s)```.*?```/, with: "").replacing(/`[^`\n]*`/, with: "")
      for match in prose.matches(of: /\]\(([^)#:]+)(#[^)]*)?\)/) {
        #expect(FileManager.default.fileExists(atPath: folder + "/" + match.output.1), "\(page): \(match.output.1)")
      }
    }
  }

  /// Modules form layers and may depend only on lower layers. `Package.swift` rejects any other dependency; this test
  /// checks that each import is a declared dependency.
  @Test func modulesImportWhatTheyDeclare() throws {
    let manifest = try String(contentsOfFile: Paths.root + "/Package.swift", encoding: .utf8)
    let system: Set<String> = ["Foundation", "Synchronization", "Glibc", "Musl", "Darwin", "CryptoKit"]
    let modules = manifest.matches(
      of: /module\(\s*\d+, "(\w+)"(?:, at: "([^"]+)")?(?:,\s*uses: \[((?:[^\[\]]|\[[^\]]*\])*)\])?\)/)
    #expect(modules.count > 40)
    for match in modules {
      let (name, folder, list) = (match.output.1, match.output.2 ?? match.output.1, match.output.3 ?? "")
      let declared = Set(list.matches(of: /"(\w+)"/).map { String($0.output.1) })
      let imports = try Self.imports(in: String(folder))
      for (module, file) in imports where !system.contains(module) {
        #expect(declared.contains(module), "\(file) imports \(module)")
      }
      let unused = declared.subtracting(imports.keys).subtracting(["Yams"])
      #expect(unused.isEmpty, "\(name) does not import \(unused)")
    }
    let command = try Self.imports(in: "Command").keys
    #expect(system.union(["FleetKit", "ArgumentParser", "SQLiteLibrary"]).isSuperset(of: command))
  }

  /// For each format, the folders whose files may use the format's module, with the reasons; "" for all folders. A
  /// format's own folder and the format registry are not listed.
  private static let uses: [String: [String: String]] = [
    "SQLiteLibrary": ["": "commands change the app's library itself, and libraries are copied row by row"],
    "JSONBundle": [
      "FleetKitCore": "apps get bundles with it",
      "Backup": "the index and the records of a backup are lines, written as they are read",
      "Doctor": "quarantined records are lines", "RegistryExchange": "what a registry answers is read as lines",
    ],
    "ContentPack": [
      "Backup": "a backup is a pack", "PackBuilding": "verbs of their own build and verify packs",
      "LibraryImporting": "signatures and versions of packs are checked before an import",
      "ContentValidation": "damage of a pack is content that is not valid", "FleetKit": "apps read packs",
      "Command": "list and inspect read the index of a pack alone",
    ],
    "Haumana": ["FleetKit": "requests for its tables are sent after they were written"],
  ]

  /// A format consists of one module and one line in the format registry. Nothing else imports or names it.
  @Test func formatsAreNamedByThemselves() throws {
    let root = Paths.root + "/Sources/"
    let formats = try FileManager.default.contentsOfDirectory(atPath: root + "Formats")
    let identities = try Regex("FormatID\\((rawValue: )?\"|descriptor\\.name [!=]= \"")
    for name in try FileManager.default.subpathsOfDirectory(atPath: root) where name.hasSuffix(".swift") {
      let folder = String(name.prefix { $0 != "/" })
      if folder == "RecordSources" { continue }
      let text = try String(contentsOfFile: root + name, encoding: .utf8)
      for module in formats where !name.hasPrefix("Formats/\(module)/") {
        let allowed = Self.uses[module] ?? [:]
        if allowed[""] != nil || allowed[folder] != nil { continue }
        // Regular expressions are slow, and most files do not contain the name at all.
        guard text.contains(module) else { continue }
        let words = try Regex("(?m)^ *(@\\w+ )?import \(module)$|\\b\(module)Format\\b")
        #expect(!text.contains(words), "\(name) names the format \(module)")
      }
      if !name.hasPrefix("Formats/"), !name.hasPrefix("Interchange/"),
        text.contains("FormatID(") || text.contains("descriptor.name")
      {
        #expect(!text.contains(identities), "\(name) names a format by a string")
      }
    }
    for (module, folders) in Self.uses {
      #expect(formats.contains(module) && !folders.isEmpty)
    }
  }

  /// Returns the modules that the files in a folder import, each with one of the files.
  private static func imports(in folder: String) throws -> [String: String] {
    var imports: [String: String] = [:]
    let root = Paths.root + "/Sources/" + folder
    for name in try FileManager.default.subpathsOfDirectory(atPath: root) where name.hasSuffix(".swift") {
      let text = try String(contentsOfFile: root + "/" + name, encoding: .utf8)
      for match in text.matches(of: /(?m)^ *(?:@\w+ )?import ([A-Z]\w+)$/) { imports[String(match.output.1)] = name }
    }
    return imports
  }
}
