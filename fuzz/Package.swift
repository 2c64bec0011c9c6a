// swift-tools-version: 6.2
import PackageDescription

// Everything is instrumented, FleetKit included, by the flags in run.sh. Only linking needs flags here: the driver of
// libFuzzer comes with the toolchain, and the default linker drops the counters.
let package = Package(
  name: "FleetKitFuzz",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "FleetKit", path: "..")],
  targets: [
    .target(name: "CFuzzer"),
    .executableTarget(
      name: "fleetkit-fuzz",
      dependencies: [
        "CFuzzer", .product(name: "FleetKit", package: "FleetKit"),
        .product(name: "FleetKitParts", package: "FleetKit"),
      ],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]),
  ]
)
