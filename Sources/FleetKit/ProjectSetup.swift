import Foundation
import Interchange

/// Sets up content checks in a repository: a configuration, a pre-commit hook, and a workflow.
///
/// Existing files are never replaced. The network is not used.
public struct ProjectSetup: Sendable {
  /// The outcome for one of the files.
  public struct File: Sendable {
    /// The path in the repository.
    public let path: String
    /// Whether the file was written, or would be written; false for an existing file, which is not changed.
    public let isWritten: Bool
  }

  /// The repository.
  private let folder: String
  /// The folder in the repository that contains the content, without a trailing slash.
  private let content: String
  /// The version that the hook and the workflow use, `0.1.0`.
  private let version: String

  /// Plans the setup.
  /// - Parameters:
  ///   - folder: the repository, an existing folder.
  ///   - content: the folder with the content: names of letters, digits, `.`, `_` and `-`, separated by slashes.
  ///   - version: the version that the hook and the workflow use.
  /// - Throws: `RunFailure` with status 64 for a content folder that cannot be named in all three files.
  public init(in folder: String, content: String, version: String) throws {
    var name = Substring(content)
    while name.hasSuffix("/") { name.removeLast() }
    let steps = name.split(separator: "/", omittingEmptySubsequences: false)
    let isPlain = steps.allSatisfy { step in
      !step.isEmpty && step.first != "." && step.first != "-"
        && step.unicodeScalars.allSatisfy {
          $0.isASCII && ($0.properties.isAlphabetic || "0123456789._-".contains(Character($0)))
        }
    }
    guard isPlain else {
      throw RunFailure(
        .usage, "set up '\(folder)': invalid content folder '\(content)'",
        advice:
          "Name a folder in the repository, of ASCII letters, digits, '.', '_' and '-': content, or notes/sailing.")
    }
    (self.folder, self.content, self.version) = (folder, String(name), version)
  }

  /// Writes the missing files.
  /// - Returns: the outcome for each file, in the order of `paths`.
  /// - Throws: `RunFailure` with status 2 if the folder does not exist or a file cannot be written.
  public func run(dryRun: Bool) throws -> [File] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
      throw RunFailure(.failed, "set up '\(folder)': the folder does not exist", advice: "Name an existing folder.")
    }
    return try files.map { path, text in
      let target = folder + "/" + path
      // A symbolic link counts as an existing file, even if it is dangling.
      if (try? FileManager.default.attributesOfItem(atPath: target)) != nil {
        return File(path: path, isWritten: false)
      }
      if !dryRun { try write(text, to: target) }
      return File(path: path, isWritten: true)
    }
  }

  private func write(_ text: String, to target: String) throws {
    let parent = URL(fileURLWithPath: target).deletingLastPathComponent().path
    do {
      try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    } catch {
      throw RunFailure(
        .failed, "make the folder '\(parent)': \(error.localizedDescription)", advice: "Check the folder.")
    }
    let file = try AtomicFile(target, overwrites: false)
    let sink = ByteSink(descriptor: file.descriptor, name: target)
    try sink.write(text)
    try sink.flush()
    try file.publish()
  }

  /// Whether a file contains an address that the owner of the repository must replace.
  public static func asksForAddress(_ path: String) -> Bool { path != ".fleetkit.yml" }

  private var files: [(path: String, text: String)] {
    [
      (".fleetkit.yml", configuration), (".pre-commit-config.yaml", hooks),
      (".github/workflows/validate-content.yml", workflow),
    ]
  }

  private var configuration: String {
    """
    # What 'fleetkit validate' checks here, and how strictly. A misspelled key is an error.
    version: 1

    # The lowest severity that makes a check fail: error, warning or note.
    fail_on: error

    # What is checked: structure, or publish for everything that publishing also requires.
    profile: structure

    # What is not content.
    exclude:
      - drafts/**

    # Rules that do not matter here; 'fleetkit rules' lists them.
    ignore: []

    """
  }

  private var hooks: String {
    """
    # Checks the content that is about to be committed; https://pre-commit.com runs it: pre-commit install
    repos:
      # Where FleetKit's repository is.
      - repo: https://example.org/fleetkit
        rev: v\(version)
        hooks:
          - id: fleetkit-validate
            files: ^\(content.replacing(".", with: "\\."))/.*\\.(json|jsonl|sqlite|md|csv|xlsx)$

    """
  }

  /// The workflow, which is identical to docs/ci/github-actions.yml. docs/validating-in-ci.md explains it.
  private var workflow: String {
    """
    # Validates content on every push and pull request: findings appear at the lines that changed, and in the
    # Security tab. Change the three lines of `env`.
    name: Validate content

    on:
      push:
        branches: [main]
      pull_request:

    permissions:
      contents: read
      # upload-sarif needs it; leave it out together with the last two steps.
      security-events: write

    env:
      # The release to use, its location, and its line in SHA256SUMS.
      FLEETKIT_VERSION: \(version)
      FLEETKIT_RELEASES: https://example.org/fleetkit/releases/download
      FLEETKIT_SHA256: 0000000000000000000000000000000000000000000000000000000000000000

    jobs:
      validate:
        runs-on: ubuntu-24.04
        timeout-minutes: 10
        steps:
          - uses: actions/checkout@v4

          - name: Install FleetKit
            run: |
              archive="fleetkit-$FLEETKIT_VERSION-linux-x86_64.tar.gz"
              cd "$RUNNER_TEMP"
              curl --fail --silent --show-error --location --retry 3 --remote-name \\
                "$FLEETKIT_RELEASES/v$FLEETKIT_VERSION/$archive"
              echo "$FLEETKIT_SHA256  $archive" | sha256sum --check
              tar --extract --file "$archive"
              echo "$RUNNER_TEMP/fleetkit-$FLEETKIT_VERSION-linux-x86_64/bin" >> "$GITHUB_PATH"

          # This step decides whether the job fails; its findings become annotations.
          - name: Validate
            run: fleetkit validate \(content)/ --report github

          # All findings again as SARIF, regardless of the previous step.
          - name: Write SARIF
            if: ${{ !cancelled() }}
            run: fleetkit validate \(content)/ --report sarif --fail-on none > results.sarif

          # A pull request from a fork may not write to the Security tab.
          - name: Upload SARIF
            if: >-
              ${{ !cancelled() && hashFiles('results.sarif') != '' &&
              (github.event_name != 'pull_request' || github.event.pull_request.head.repo.full_name == github.repository) }}
            uses: github/codeql-action/upload-sarif@v4
            with:
              sarif_file: results.sarif
              category: fleetkit

    """
  }
}
