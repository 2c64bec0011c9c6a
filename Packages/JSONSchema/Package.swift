// swift-tools-version: 6.2
import PackageDescription

// FleetKit's CI builds with FLEETKIT_STRICT=1: a warning is an error there, never on a user's newer compiler.
let strict = Context.environment["FLEETKIT_STRICT"] == "1"
let settings: [SwiftSetting] = strict ? [.treatAllWarnings(as: .error)] : []

let package = Package(
  name: "JSONSchema",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "JSONText", targets: ["JSONText"]),
    .library(name: "JSONSchema", targets: ["JSONSchema"]),
  ],
  targets: [
    .target(name: "JSONText", swiftSettings: settings),
    // The metaschemas of draft 2020-12, embedded with #embed
    .target(name: "CMetaschemas", exclude: ["draft2020-12"]),
    .target(name: "JSONSchema", dependencies: ["CMetaschemas", "JSONText"], swiftSettings: settings),

    .executableTarget(
      name: "jsonschema-bench", dependencies: ["JSONSchema", "JSONText"], path: "Benchmarks/jsonschema-bench",
      swiftSettings: settings),

    .target(name: "TestTools", path: "Tests/TestTools", swiftSettings: settings),
    .testTarget(name: "JSONTextTests", dependencies: ["JSONText", "TestTools"], swiftSettings: settings),
    .testTarget(
      name: "JSONSchemaTests", dependencies: ["JSONSchema", "JSONText", "TestTools"], swiftSettings: settings),
  ],
  // #embed is C23.
  cLanguageStandard: .c2x
)
