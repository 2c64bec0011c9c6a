#!/usr/bin/env bash
# Builds Packages/JSONSchema alone and runs its tests. Then builds and runs an app in a temporary folder, which contains
# README.md's example and depends on FleetKit by a git URL and a version. The app does not use uncommitted changes.
set -euo pipefail
cd "$(dirname "$0")/.."

(cd Packages/JSONSchema && swift test --scratch-path ../../.build-jsonschema)

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git clone -q --bare . "$folder/FleetKit.git"
git -C "$folder/FleetKit.git" tag 99.0.0 HEAD
mkdir -p "$folder/app/Sources/app"
cat > "$folder/app/Package.swift" <<APP
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "app",
  platforms: [.macOS(.v15)],
  dependencies: [.package(url: "file://$folder/FleetKit.git", from: "99.0.0")],
  targets: [
    .executableTarget(
      name: "app",
      dependencies: [
        .product(name: "FleetKit", package: "FleetKit"), .product(name: "JSONSchema", package: "FleetKit"),
      ])
  ]
)
APP
# The program is the example of README.md.
sed -n '/^## Using it from Swift/,/^## /{/^```swift$/,/^```$/{/^```/!p}}' README.md > "$folder/app/Sources/app/main.swift"
cp samples/phase1-library.sqlite "$folder/app/anyfleet.sqlite"
chmod u+w "$folder/app/anyfleet.sqlite"
cd "$folder/app"
swift build
answer=$(.build/debug/app)
records=$(wc -l < backup.jsonl)
echo "$answer; backup.jsonl has $records lines, the first one for the bundle itself"
[ "$answer" = "$((records - 1)) of $((records - 1)) records written" ]
