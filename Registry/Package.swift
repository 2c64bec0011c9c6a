// swift-tools-version: 6.2
import PackageDescription

// The registry is a separate package, so that users who want only the command do not have to build a server.
let strict = Context.environment["FLEETKIT_STRICT"] == "1"
let settings: [SwiftSetting] = strict ? [.treatAllWarnings(as: .error)] : []

let fleetKit = Target.Dependency.product(name: "FleetKitCore", package: "FleetKit")
let formats = Target.Dependency.product(name: "FleetKitFormats", package: "FleetKit")
let log = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
  name: "FleetKitRegistry",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "fleetkit-registry", targets: ["RegistryCommand"])],
  dependencies: [
    .package(name: "FleetKit", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: ["FullFoundation"]),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
  ],
  targets: [
    // The values and the store's contract. They depend only on the content model.
    .target(name: "RegistryModel", dependencies: [fleetKit], swiftSettings: settings),
    .target(name: "RegistryStore", dependencies: ["RegistryModel", fleetKit], swiftSettings: settings),
    // The store in a SQLite file.
    .target(
      name: "CSQLiteSwitch", dependencies: [.product(name: "GRDBSQLite", package: "GRDB.swift")],
      path: "Sources/CSQLiteSwitch"),
    .target(
      name: "SQLiteStore",
      dependencies: [
        "CSQLiteSwitch", "RegistryModel", "RegistryStore", fleetKit, log,
        .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: settings),
    // The store in a PostgreSQL database, through libpq.
    .systemLibrary(
      name: "CPostgreSQL", path: "Sources/CPostgreSQL", pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(
      name: "PostgreSQLStore", dependencies: ["CPostgreSQL", "RegistryModel", "RegistryStore", fleetKit],
      swiftSettings: settings),
    // Sign-in: Apple's identity tokens, access tokens and refresh tokens.
    .target(
      name: "SignIn",
      dependencies: [
        "RegistryModel", "RegistryStore", fleetKit, log, .product(name: "JWTKit", package: "jwt-kit"),
      ],
      swiftSettings: settings),
    // Public content as pages for a browser. They know records, not requests.
    .target(name: "CPages", path: "Sources/CPages"),
    .target(
      name: "Pages",
      dependencies: ["CPages", fleetKit, formats, .product(name: "Mustache", package: "swift-mustache")],
      exclude: ["Resources"], swiftSettings: settings),
    // The interface over HTTP, and its description.
    .target(name: "CDescription", path: "Sources/CDescription"),
    .target(
      name: "RegistryAPI",
      dependencies: [
        "CDescription", "Pages", "RegistryModel", "RegistryStore", "SignIn", fleetKit, formats, log,
        .product(name: "Hummingbird", package: "hummingbird"),
      ],
      exclude: ["Description/openapi.json"],
      swiftSettings: settings),
    .executableTarget(
      name: "RegistryCommand",
      dependencies: [
        "PostgreSQLStore", "RegistryAPI", "RegistryModel", "RegistryStore", "SQLiteStore", "SignIn", fleetKit, log,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: settings),

    .executableTarget(
      name: "registry-store-bench", dependencies: ["RegistryModel", "RegistryStore", "SQLiteStore", fleetKit],
      path: "Benchmarks/registry-store-bench", swiftSettings: settings),

    // Tests: a store's conformance suite, tokens, the interface and the whole server on a loopback port.
    .target(
      name: "RegistryTestSupport",
      dependencies: ["RegistryModel", "RegistryStore", fleetKit, .product(name: "JWTKit", package: "jwt-kit")],
      path: "Tests/RegistryTestSupport", swiftSettings: settings),
    .testTarget(
      name: "StoreTests",
      dependencies: [
        "PostgreSQLStore", "RegistryModel", "RegistryStore", "RegistryTestSupport", "SQLiteStore", fleetKit,
        .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "SignInTests",
      dependencies: [
        "RegistryModel", "RegistryStore", "RegistryTestSupport", "SQLiteStore", "SignIn", fleetKit,
        .product(name: "JWTKit", package: "jwt-kit"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ServerTests",
      dependencies: [
        "Pages", "PostgreSQLStore", "RegistryCommand", "RegistryAPI", "RegistryModel", "RegistryStore",
        "RegistryTestSupport", "SQLiteStore", "SignIn", fleetKit, formats, log,
        .product(name: "Hummingbird", package: "hummingbird"), .product(name: "JWTKit", package: "jwt-kit"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: settings),
  ]
)
