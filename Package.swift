// swift-tools-version: 6.2
import PackageDescription

// CI builds with FLEETKIT_STRICT=1: a warning is an error there, never on a user's newer compiler.
let strict = Context.environment["FLEETKIT_STRICT"] == "1"
let settings: [SwiftSetting] = strict ? [.treatAllWarnings(as: .error)] : []

/// One Swift module of the house; `floor` names the folder, so that the tree reads like docs/ARCHITECTURE.md.
func module(_ name: String, at path: String, uses: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: uses, path: "Sources/" + path, swiftSettings: settings)
}

let package = Package(
  name: "FleetKit",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "FleetKitCore", targets: ["FleetKitCore"]),
    .library(name: "FleetKit", targets: ["FleetKit"]),
    // Internal: parts that fuzz/ calls directly. Not an interface for apps; may change in any version.
    .library(name: "FleetKitParts", targets: ["MarkdownSyntax", "YAMLText"]),
    .executable(name: "fleetkit", targets: ["FleetKitCommand"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    // Floor 0: system libraries
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
    .systemLibrary(
      name: "CExpat", path: "Sources/CExpat", pkgConfig: "expat",
      providers: [.apt(["libexpat1-dev"])]),

    // libcurl, loaded when something is sent: whoever only reads and writes files does not need it
    .target(name: "CCurl", path: "Sources/CCurl"),

    // The schemas of formats/schemas, embedded with #embed
    .target(name: "CSchemas", path: "Sources/CSchemas"),

    // Floor 1: findings and text
    module("Diagnostics", at: "Diagnostics"),
    module("JSONText", at: "JSONText"),
    module("MarkdownSyntax", at: "MarkdownSyntax"),

    // Floor 2: the model
    module(
      "Content", at: "Content",
      uses: [
        "Diagnostics", "JSONText",
        // Apple platforms have CryptoKit.
        .target(name: "CCrypto", condition: .when(platforms: [.linux])),
      ]),

    // JSON Schema, usable alone; findings as text, SARIF, JUnit …
    module("JSONSchema", at: "JSONSchema", uses: ["CSchemas", "JSONText"]),
    module("Reports", at: "Reports", uses: ["Diagnostics", "JSONText"]),

    // Floor 3: readers, writers, the pipeline between them; what content must be
    module("Interchange", at: "Interchange", uses: ["Content", "Diagnostics", "JSONText"]),

    module(
      "Validation", at: "Validation",
      uses: ["CSchemas", "Content", "Diagnostics", "JSONSchema", "JSONText", "MarkdownSyntax"]),

    // Floor 4: what formats share
    module("SQLiteRecovery", at: "Codecs/SQLiteRecovery"),
    module("SQLiteIO", at: "Codecs/SQLiteIO", uses: ["CSQLite", "Interchange"]),

    module("YAMLText", at: "Codecs/YAMLText", uses: ["JSONText", .product(name: "Yams", package: "Yams")]),

    module("MarkdownText", at: "Codecs/MarkdownText", uses: ["JSONText"]),

    module(
      "ArchiveIO", at: "Codecs/ArchiveIO",
      uses: [
        "CArchive", "CZlib", "CZstd", "Content", "Diagnostics", "Interchange", "JSONText",
        .target(name: "CCrypto", condition: .when(platforms: [.linux])),
      ]),

    module(
      "Minisign", at: "Codecs/Minisign",
      uses: ["Content", "Interchange", .target(name: "CCrypto", condition: .when(platforms: [.linux]))]),

    module("XMLStream", at: "Codecs/XMLStream", uses: ["CExpat", "Interchange"]),

    module(
      "DelimitedText", at: "Codecs/DelimitedText",
      uses: ["Diagnostics", "Interchange", "JSONText", "MarkdownText"]),

    module(
      "TableShapes", at: "Codecs/TableShapes",
      uses: ["Content", "Diagnostics", "Interchange", "JSONText", "YAMLText"]),

    // Floor 5: one module per format
    module(
      "SQLiteLibrary", at: "Formats/SQLiteLibrary",
      uses: ["ArchiveIO", "Interchange", "Content", "Diagnostics", "JSONText", "SQLiteIO"]),
    module(
      "JSONBundle", at: "Formats/JSONBundle",
      uses: ["Interchange", "Content", "Diagnostics", "JSONText"]),
    module(
      "Markdown", at: "Formats/Markdown",
      uses: [
        "Interchange", "Content", "Diagnostics", "JSONText", "MarkdownSyntax", "MarkdownText", "Validation", "YAMLText",
      ]),

    module(
      "ContentPack", at: "Formats/ContentPack",
      uses: [
        "ArchiveIO", "CSQLite", "Content", "Diagnostics", "Interchange", "JSONText", "Minisign", "SQLiteIO",
        "Validation", "YAMLText",
      ]),

    module(
      "CSV", at: "Formats/CSV",
      uses: ["Content", "DelimitedText", "Diagnostics", "Interchange", "JSONText", "TableShapes"]),

    module(
      "Spreadsheet", at: "Formats/Spreadsheet",
      uses: [
        "ArchiveIO", "Content", "DelimitedText", "Diagnostics", "Interchange", "JSONText", "TableShapes", "XMLStream",
      ]),

    module(
      "Todoist", at: "Formats/Todoist",
      uses: ["Content", "DelimitedText", "Diagnostics", "Interchange", "JSONText", "TableShapes"]),

    module(
      "PlainText", at: "Formats/PlainText",
      uses: ["Content", "Diagnostics", "Interchange", "JSONText", "MarkdownText"]),

    // Floor 6: what changes a library, and what a user configures
    module(
      "ProjectConfiguration", at: "ProjectConfiguration",
      uses: ["Diagnostics", "Interchange", "JSONSchema", "JSONText", "Validation", "YAMLText"]),
    module(
      "Migration", at: "Migration",
      uses: ["CSQLite", "Content", "Diagnostics", "Interchange", "JSONText", "SQLiteIO", "SQLiteLibrary"]),
    module(
      "Doctor", at: "Doctor",
      uses: [
        "Content", "Diagnostics", "Interchange", "JSONBundle", "JSONText", "SQLiteIO", "SQLiteLibrary",
        "SQLiteRecovery",
        "SyncQueue", "Validation",
      ]),

    module(
      "Merging", at: "Merging",
      uses: ["Content", "Diagnostics", "Interchange", "JSONText", "SQLiteIO", "SQLiteLibrary"]),

    module(
      "Backup", at: "Backup",
      uses: [
        "ArchiveIO", "CSQLite", "Content", "ContentPack", "Diagnostics", "Interchange", "JSONBundle", "JSONText",
        "SQLiteIO", "SQLiteLibrary",
      ]),

    module(
      "Runs", at: "Runs", uses: ["Content", "Diagnostics", "Interchange", "JSONText", "SQLiteIO", "SQLiteLibrary"]),

    module(
      "RecordSources", at: "RecordSources",
      uses: [
        "CSV", "Content", "ContentPack", "Diagnostics", "Interchange", "JSONBundle", "JSONText", "Markdown",
        "PlainText",
        "SQLiteLibrary", "Spreadsheet", "Todoist",
      ]),

    module(
      "FileMerging", at: "FileMerging",
      uses: ["Content", "Diagnostics", "Interchange", "JSONText", "Merging", "RecordSources"]),

    module(
      "Proving", at: "Proving",
      uses: ["Backup", "Content", "Diagnostics", "Interchange", "JSONText", "RecordSources", "SQLiteLibrary"]),

    module(
      "LibraryImporting", at: "LibraryImporting",
      uses: [
        "Backup", "Content", "ContentPack", "Diagnostics", "Interchange", "JSONText", "Markdown", "Merging",
        "Minisign", "Proving", "RecordSources", "Reports", "Runs", "SQLiteLibrary",
      ]),

    module(
      "ContentValidation", at: "ContentValidation",
      uses: [
        "ArchiveIO", "Content", "ContentPack", "Diagnostics", "Interchange", "JSONSchema", "JSONText",
        "ProjectConfiguration", "RecordSources", "Reports", "Validation", "YAMLText",
      ]),

    module(
      "PackBuilding", at: "PackBuilding",
      uses: [
        "ArchiveIO", "Backup", "Content", "ContentPack", "ContentValidation", "Diagnostics", "Interchange",
        "JSONSchema", "JSONText", "LibraryImporting", "ProjectConfiguration", "RecordSources", "Reports",
        "Validation",
      ]),

    module("Publishing", at: "Publishing", uses: ["Content", "Diagnostics", "JSONSchema", "JSONText", "Validation"]),

    module(
      "RegistryClient", at: "RegistryClient", uses: ["CCurl", "Content", "Interchange", "JSONText"]),

    module(
      "SyncQueue", at: "SyncQueue",
      uses: [
        "Content", "Diagnostics", "Interchange", "JSONText", "Publishing", "RegistryClient", "SQLiteIO",
        "SQLiteLibrary", "Validation",
      ]),

    module(
      "RegistryExchange", at: "RegistryExchange",
      uses: [
        "Content", "Diagnostics", "Interchange", "JSONBundle", "JSONText", "LibraryImporting", "Merging", "Publishing",
        "RegistryClient",
        "SQLiteIO", "SQLiteLibrary", "SyncQueue", "Validation",
      ]),

    // Floor 7: the facades that apps import
    module(
      "FleetKitCore", at: "FleetKitCore",
      uses: [
        "Content", "Diagnostics", "Interchange", "JSONBundle", "JSONText", "Publishing", "SQLiteLibrary", "Validation",
      ]),
    module(
      "FleetKit", at: "FleetKit",
      uses: [
        "ArchiveIO", "Backup", "CSV", "ContentPack", "ContentValidation", "Doctor", "FileMerging",
        "FleetKitCore", "Interchange", "LibraryImporting", "Markdown", "Merging", "Migration", "Minisign",
        "PackBuilding", "ProjectConfiguration", "Proving", "RecordSources", "RegistryClient",
        "RegistryExchange", "Reports", "Runs", "Spreadsheet", "SyncQueue", "TableShapes", "Validation",
      ]),

    // Floor 8: the command
    .executableTarget(
      name: "FleetKitCommand",
      dependencies: [
        "FleetKit", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/Command", swiftSettings: settings),

    // Beside the house: what it measures itself against
    .executableTarget(
      name: "fleetkit-bench", dependencies: ["CSQLite"], path: "Benchmarks/fleetkit-bench",
      swiftSettings: settings),

    // Tests
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    .testTarget(
      name: "JSONTextTests", dependencies: ["JSONText", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "JSONSchemaTests", dependencies: ["JSONSchema", "JSONText", "TestSupport"], swiftSettings: settings),
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
      name: "FormatTests", dependencies: ["Doctor", "FleetKit", "Migration", "TestSupport"],
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
      name: "InterchangeTests", dependencies: ["FleetKit", "Interchange", "TestSupport"], swiftSettings: settings),
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
        "ArchiveIO", "CSV", "Content", "DelimitedText", "Diagnostics", "FleetKit", "Interchange", "JSONBundle",
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
