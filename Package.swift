// swift-tools-version: 6.2
import PackageDescription

// CI builds with FLEETKIT_STRICT=1: a warning is an error there, never on a user's newer compiler.
let strict = Context.environment["FLEETKIT_STRICT"] == "1"
let settings: [SwiftSetting] = strict ? [.treatAllWarnings(as: .error)] : []

/// The modules in which tests spend their time. `make test` optimizes them with FLEETKIT_OPTIMIZED=1 in a debug build.
let optimized: Set<String> =
  Context.environment["FLEETKIT_OPTIMIZED"] == "1"
  ? [
    "ArchiveIO", "Content", "Interchange", "JSONSchema", "JSONText", "MarkdownSyntax", "SQLiteIO", "SQLiteRecovery",
    "Validation",
  ] : []

/// The layers of the modules declared so far.
nonisolated(unsafe) var layers: [String: Int] = [:]

/// A Swift module. It may use modules of lower layers, which are declared before it, and C targets;
/// otherwise the manifest stops.
/// - Parameters:
///   - layer: as in docs/ARCHITECTURE.md, from 1.
///   - folder: the module's path below `sources`; nil if it equals the name.
///   - sources: the folder of sources.
func module(
  _ layer: Int, _ name: String, at folder: String? = nil, in sources: String = "Sources/",
  uses: [Target.Dependency] = []
) -> Target {
  for case .byNameItem(let used, _) in uses where !libraries.contains(used) {
    guard let lower = layers[used], lower < layer else {
      fatalError("\(name), on layer \(layer), cannot use \(used): declare it before, on a lower layer")
    }
  }
  layers[name] = layer
  let flags = ["-O", "-whole-module-optimization", "-num-threads", "2"]
  return .target(
    name: name, dependencies: uses, path: sources + (folder ?? name),
    swiftSettings: settings
      + (optimized.contains(name) ? [.unsafeFlags(flags, .when(configuration: .debug))] : []))
}

/// The folder of a separate package. It also builds alone; here its folders are targets of FleetKit, because a package
/// that apps depend on by URL and version cannot depend on another package by path.
let jsonSchema = "Packages/JSONSchema/"

/// The C targets, all on layer 0.
let libraries: Set<String> = ["CArchive", "CCurl", "CMetaschemas", "CSchemas", "CSQLite", "CXML", "CZlib", "CZstd"]

let package = Package(
  name: "FleetKit",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "FleetKitCore", targets: ["FleetKitCore"]),
    .library(name: "FleetKit", targets: ["FleetKit"]),
    .library(name: "JSONSchema", targets: ["JSONSchema", "JSONText"]),
    // Internal: parts that fuzz/ calls directly. Not an interface for apps; may change in any version.
    .library(name: "FleetKitParts", targets: ["MarkdownSyntax", "YAMLText"]),
    // Internal: the scanner, and the writers of notes and packs, which Registry/ calls directly.
    .library(name: "FleetKitFormats", targets: ["ContentPack", "Markdown", "MarkdownSyntax"]),
    .executable(name: "fleetkit", targets: ["FleetKitCommand"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    // Layer 0: system libraries
    .systemLibrary(
      name: "CSQLite", path: "Sources/CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CCrypto", path: "Sources/CCrypto", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CArchive", path: "Sources/CArchive", pkgConfig: "libarchive",
      providers: [.apt(["libarchive-dev"])]),
    .systemLibrary(
      name: "CZstd", path: "Sources/CZstd", pkgConfig: "libzstd",
      providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(
      name: "CZlib", path: "Sources/CZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"])]),

    // libcurl, loaded when something is sent: reading and writing files does not need it
    .target(name: "CCurl", path: "Sources/CCurl"),

    // libxml2, loaded when the first XML file is opened; glibc contains iconv
    .target(
      name: "CXML", path: "Sources/CXML", linkerSettings: [.linkedLibrary("iconv", .when(platforms: [.macOS]))]),

    // The schemas of formats/schemas and the metaschemas of JSON Schema, embedded with #embed
    .target(name: "CSchemas", path: "Sources/CSchemas"),
    .target(name: "CMetaschemas", path: jsonSchema + "Sources/CMetaschemas", exclude: ["draft2020-12"]),

    // Layer 1: findings and text
    module(1, "Diagnostics"),
    module(1, "JSONText", in: jsonSchema + "Sources/"),
    module(1, "MarkdownSyntax"),
    module(1, "SQLiteRecovery", at: "Codecs/SQLiteRecovery"),

    // Layer 2: the model; JSON Schema, usable alone; findings as text, SARIF, JUnit …; YAML and text encodings
    module(
      2, "Content", uses: ["Diagnostics", "JSONText", .target(name: "CCrypto", condition: .when(platforms: [.linux]))]),
    module(2, "JSONSchema", in: jsonSchema + "Sources/", uses: ["CMetaschemas", "JSONText"]),
    module(2, "Reports", uses: ["Diagnostics", "JSONText"]),
    module(2, "YAMLText", at: "Codecs/YAMLText", uses: ["JSONText", .product(name: "Yams", package: "Yams")]),
    module(2, "MarkdownText", at: "Codecs/MarkdownText", uses: ["JSONText"]),

    // Layer 3: readers, writers, the pipeline between them; rules for content
    module(3, "Interchange", uses: ["Content", "Diagnostics", "JSONText"]),
    module(3, "Validation", uses: ["Content", "CSchemas", "Diagnostics", "JSONSchema", "JSONText", "MarkdownSyntax"]),

    // Layer 4: shared parts of formats; the user's configuration; publish requests and the registry's answers
    module(
      4, "SQLiteIO", at: "Codecs/SQLiteIO", uses: ["Content", "CSQLite", "Diagnostics", "Interchange", "JSONText"]),
    module(
      4, "ArchiveIO", at: "Codecs/ArchiveIO",
      uses: [
        "CArchive", "Content", "CZlib", "CZstd", "Diagnostics", "Interchange", "JSONText",
        .target(name: "CCrypto", condition: .when(platforms: [.linux])),
      ]),
    module(
      4, "Minisign", at: "Codecs/Minisign",
      uses: ["Content", "Interchange", .target(name: "CCrypto", condition: .when(platforms: [.linux]))]),
    module(4, "XMLStream", at: "Codecs/XMLStream", uses: ["CXML", "Interchange", "JSONText"]),
    module(
      4, "DelimitedText", at: "Codecs/DelimitedText", uses: ["Diagnostics", "Interchange", "JSONText", "MarkdownText"]),
    module(4, "TableShapes", at: "Codecs/TableShapes", uses: ["Content", "Diagnostics", "Interchange", "JSONText"]),
    module(4, "SourceFolders", at: "Codecs/SourceFolders", uses: ["Interchange", "JSONText", "YAMLText"]),
    module(4, "ProjectConfiguration", uses: ["Diagnostics", "Interchange", "JSONText", "Validation", "YAMLText"]),
    module(4, "Publishing", uses: ["Content", "Diagnostics", "Interchange", "JSONSchema", "JSONText", "Validation"]),
    module(4, "RegistryClient", uses: ["CCurl", "Content", "Interchange", "JSONText"]),

    // Layer 5: one module per format
    module(
      5, "SQLiteLibrary", at: "Formats/SQLiteLibrary",
      uses: ["ArchiveIO", "Content", "CSQLite", "Diagnostics", "Interchange", "JSONText", "SQLiteIO"]),
    module(5, "JSONBundle", at: "Formats/JSONBundle", uses: ["Content", "Diagnostics", "Interchange", "JSONText"]),
    module(
      5, "Markdown", at: "Formats/Markdown",
      uses: [
        "Content", "Diagnostics", "Interchange", "JSONText", "MarkdownSyntax", "MarkdownText", "SourceFolders",
        "Validation", "YAMLText",
      ]),
    module(
      5, "ContentPack", at: "Formats/ContentPack",
      uses: [
        "ArchiveIO", "Content", "CSQLite", "Diagnostics", "Interchange", "JSONText", "Minisign", "SQLiteIO",
        "Validation",
      ]),
    module(
      5, "CSV", at: "Formats/CSV",
      uses: ["Content", "DelimitedText", "Diagnostics", "Interchange", "JSONText", "SourceFolders", "TableShapes"]),
    module(
      5, "Spreadsheet", at: "Formats/Spreadsheet",
      uses: [
        "ArchiveIO", "Content", "DelimitedText", "Diagnostics", "Interchange", "JSONText", "SourceFolders",
        "TableShapes", "XMLStream",
      ]),
    module(
      5, "Todoist", at: "Formats/Todoist",
      uses: ["Content", "DelimitedText", "Diagnostics", "Interchange", "JSONText", "SourceFolders", "TableShapes"]),
    module(
      5, "PlainText", at: "Formats/PlainText",
      uses: ["Content", "Diagnostics", "Interchange", "MarkdownText", "SourceFolders"]),
    module(
      5, "OPML", at: "Formats/OPML",
      uses: ["Content", "Diagnostics", "Interchange", "JSONText", "SourceFolders", "XMLStream"]),
    module(
      5, "CoreDataRows", at: "Formats/CoreData",
      uses: ["Content", "Diagnostics", "Interchange", "JSONText", "SQLiteIO"]),
    module(
      5, "Haumana", at: "Formats/Haumana",
      uses: [
        "ArchiveIO", "Content", "Diagnostics", "Interchange", "JSONText", "RegistryClient", "SourceFolders", "SQLiteIO",
      ]),
    module(
      5, "Chravel", at: "Formats/Chravel",
      uses: ["Content", "Diagnostics", "Interchange", "JSONText", "SourceFolders", "SQLiteIO"]),
    module(
      5, "PredecessorApp", at: "Formats/Predecessor",
      uses: ["Content", "Diagnostics", "Interchange", "JSONText", "SourceFolders", "XMLStream"]),

    // Layer 6: changes to a library or a queue, and the list of formats; the small facade that apps import
    module(
      6, "RecordSources",
      uses: [
        "Chravel", "Content", "ContentPack", "CoreDataRows", "CSV", "Diagnostics", "Haumana", "Interchange",
        "JSONBundle", "JSONText", "Markdown", "OPML", "PlainText", "PredecessorApp", "Spreadsheet", "SQLiteLibrary",
        "TableShapes", "Todoist",
      ]),
    module(6, "Merging", uses: ["Content", "Diagnostics", "Interchange", "JSONText", "SQLiteIO", "SQLiteLibrary"]),
    module(
      6, "Migration",
      uses: ["Content", "CSQLite", "Diagnostics", "Interchange", "JSONText", "SQLiteIO", "SQLiteLibrary"]),
    module(
      6, "Backup",
      uses: [
        "ArchiveIO", "Content", "ContentPack", "CSQLite", "Diagnostics", "Interchange", "JSONBundle", "JSONText",
        "SQLiteIO", "SQLiteLibrary",
      ]),
    module(6, "Runs", uses: ["Content", "Diagnostics", "Interchange", "JSONText", "SQLiteIO", "SQLiteLibrary"]),
    module(
      6, "SyncQueue",
      uses: [
        "Content", "Diagnostics", "Interchange", "JSONText", "Publishing", "RegistryClient", "SQLiteIO",
        "SQLiteLibrary", "Validation",
      ]),
    module(
      6, "FleetKitCore",
      uses: [
        "Content", "Diagnostics", "Interchange", "JSONBundle", "JSONText", "Publishing", "SQLiteLibrary", "Validation",
      ]),

    // Layer 7: checking, repairing, proving
    module(7, "FileMerging", uses: ["Content", "Diagnostics", "Interchange", "JSONText", "Merging", "RecordSources"]),
    module(
      7, "ContentValidation",
      uses: [
        "ArchiveIO", "Backup", "Content", "ContentPack", "Diagnostics", "Interchange", "JSONSchema", "JSONText",
        "ProjectConfiguration", "RecordSources", "Reports", "Validation", "YAMLText",
      ]),
    module(
      7, "Proving",
      uses: ["Backup", "Content", "Diagnostics", "Interchange", "JSONText", "RecordSources", "SQLiteLibrary"]),
    module(
      7, "Doctor",
      uses: [
        "Content", "Diagnostics", "Interchange", "JSONBundle", "JSONText", "SQLiteIO", "SQLiteLibrary",
        "SQLiteRecovery", "SyncQueue", "Validation",
      ]),

    // Layer 8: imports
    module(
      8, "LibraryImporting",
      uses: [
        "Backup", "Content", "ContentPack", "Diagnostics", "Interchange", "JSONText", "Merging", "Minisign", "Proving",
        "RecordSources", "Reports", "Runs", "SQLiteLibrary",
      ]),

    // Layer 9: packs, and the exchange between a library and a registry
    module(
      9, "PackBuilding",
      uses: [
        "ArchiveIO", "Backup", "Content", "ContentPack", "ContentValidation", "Diagnostics", "Interchange",
        "JSONSchema", "JSONText", "LibraryImporting", "ProjectConfiguration", "RecordSources", "Reports", "Validation",
      ]),
    module(
      9, "RegistryExchange",
      uses: [
        "Content", "Diagnostics", "Interchange", "JSONBundle", "JSONText", "LibraryImporting", "Merging", "Publishing",
        "RegistryClient", "SQLiteIO", "SQLiteLibrary", "SyncQueue", "Validation",
      ]),

    // Layer 10: the facade that apps import
    module(
      10, "FleetKit",
      uses: [
        "ArchiveIO", "Backup", "ContentPack", "ContentValidation", "Doctor", "FileMerging", "FleetKitCore", "Haumana",
        "Interchange", "LibraryImporting", "Merging", "Migration", "Minisign", "PackBuilding",
        "ProjectConfiguration", "Proving", "RecordSources", "RegistryClient", "RegistryExchange", "Reports", "Runs",
        "SyncQueue", "TableShapes", "Validation",
      ]),

    // Layer 11: the command
    .executableTarget(
      name: "FleetKitCommand",
      dependencies: [
        "FleetKit", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/Command", swiftSettings: settings),

    // The baselines that it is measured against
    .executableTarget(
      name: "fleetkit-bench", dependencies: ["CSQLite"], path: "Benchmarks/fleetkit-bench",
      swiftSettings: settings),

    // Tests
    .target(name: "TestTools", path: jsonSchema + "Tests/TestTools", swiftSettings: settings),
    .target(name: "TestSupport", dependencies: ["TestTools"], path: "Tests/TestSupport", swiftSettings: settings),
    .testTarget(
      name: "JSONTextTests", dependencies: ["JSONText", "TestTools"], path: jsonSchema + "Tests/JSONTextTests",
      swiftSettings: settings),
    .testTarget(
      name: "JSONSchemaTests", dependencies: ["JSONSchema", "JSONText", "TestTools"],
      path: jsonSchema + "Tests/JSONSchemaTests", swiftSettings: settings),
    .testTarget(
      name: "ReportTests", dependencies: ["Diagnostics", "JSONText", "Reports", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "ValidationTests",
      dependencies: [
        "ProjectConfiguration", "Content", "Diagnostics", "FleetKit", "Interchange", "JSONSchema", "JSONText",
        "MarkdownSyntax", "Validation", "YAMLText", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ContentTests", dependencies: ["Content", "JSONText", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "FormatTests",
      dependencies: ["Doctor", "FleetKit", "Haumana", "JSONText", "Migration", "RegistryClient", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "RecoveryTests",
      dependencies: [
        "Content", "Diagnostics", "Doctor", "FleetKit", "JSONText", "SQLiteIO", "SQLiteLibrary", "SQLiteRecovery",
        "TestSupport",
      ],
      exclude: ["Pages/Scripts"],
      swiftSettings: settings),
    .testTarget(
      name: "InterchangeTests", dependencies: ["FleetKit", "Interchange", "JSONText", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "ImportingTests",
      dependencies: ["Content", "FleetKit", "Interchange", "JSONText", "SQLiteIO", "SQLiteLibrary", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "MarkdownTests",
      dependencies: [
        "Content", "Diagnostics", "FleetKit", "Interchange", "JSONText", "Markdown", "MarkdownSyntax", "MarkdownText",
        "YAMLText", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "PackTests",
      dependencies: [
        "ArchiveIO", "Content", "ContentPack", "Diagnostics", "FleetKit", "Interchange", "JSONText", "Minisign",
        "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "BackupTests",
      dependencies: [
        "ArchiveIO", "Backup", "CSQLite", "Content", "ContentPack", "FleetKit", "Interchange", "JSONText", "SQLiteIO",
        "SQLiteLibrary", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "TableTests",
      dependencies: [
        "ArchiveIO", "CSV", "CXML", "Content", "DelimitedText", "Diagnostics", "FleetKit", "Interchange", "JSONBundle",
        "JSONText", "Markdown", "Merging",
        "PlainText", "Spreadsheet", "TableShapes", "Todoist", "XMLStream", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "MergingTests",
      dependencies: [
        "Content", "Diagnostics", "FleetKit", "Interchange", "JSONText", "Merging", "SQLiteIO", "SQLiteLibrary",
        "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "PublishingTests", dependencies: ["Content", "JSONText", "Publishing", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "SyncTests",
      dependencies: [
        "Content", "FleetKit", "Interchange", "JSONText", "Publishing", "RegistryClient", "SQLiteIO", "SQLiteLibrary",
        "SyncQueue", "TestSupport", "Validation",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CommandTests", dependencies: ["FleetKit", "Interchange", "JSONSchema", "JSONText", "TestSupport"],
      swiftSettings: settings),
  ],
  // #embed is C23.
  cLanguageStandard: .c2x
)
