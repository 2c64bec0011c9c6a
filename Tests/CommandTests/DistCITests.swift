import Foundation
import TestSupport
import Testing

/// What people copy into their repositories: workflows, hooks, the page about them.
@Suite struct DistCITests {
  private static let page = "docs/validating-in-ci.md"

  @Test func theVersionStandsInOnePlace() throws {
    let version = try Shell.fleetkit("--version").output
    #expect(try Shell.run(Paths.root + "/packaging/version.sh", []).output == version)
    let number = version.trimmingCharacters(in: .whitespacesAndNewlines)
    for path in [Self.page, "docs/installing.md", "docs/ci/github-actions.yml", "docs/ci/gitlab-ci.yml"] {
      let text = try DistPage(path).text
      for match in text.matches(of: /(?:fleetkit[-_]|rev: v|FLEETKIT_VERSION: "?)([0-9]+\.[0-9.]*[0-9])/) {
        #expect(String(match.output.1) == number, "\(path): \(match.output.0)")
      }
    }
  }

  @Test(
    .enabled(if: Judges.has("check-jsonschema"), Judges.reason),
    arguments: [
      ["--builtin-schema", "vendor.github-workflows", "docs/ci/github-actions.yml"],
      ["--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci", "docs/ci/gitlab-ci.yml"],
    ])
  func workflowsAreValid(arguments: [String]) throws {
    let answer = try Judges.run("check-jsonschema", arguments)
    #expect(answer.status == 0, "\(answer.output)\(answer.errors)")
  }

  @Test(.enabled(if: Judges.has("pre-commit"), Judges.reason))
  func preCommitAcceptsOurHooksAndThePagesExamples() throws {
    let manifest = try Judges.run("pre-commit", ["validate-manifest", ".pre-commit-hooks.yaml"])
    #expect(manifest.status == 0, "\(manifest.output)")
    let hooks = try DistPage(".pre-commit-hooks.yaml").text
    let examples = try DistPage(Self.page).blocks("yaml").filter { $0.hasPrefix("repos:") }
    #expect(examples.count == 2)
    let scratch = Scratch()
    for (index, example) in examples.enumerated() {
      let path = try scratch.write("\(index).yaml", example)
      let answer = try Judges.run("pre-commit", ["validate-config", path])
      #expect(answer.status == 0, "\(answer.output)")
      for match in example.matches(of: /- id: (\S+)/) { #expect(hooks.contains("- id: \(match.output.1)\n")) }
    }
  }

  @Test(
    .enabled(if: Judges.has("check-jsonschema"), Judges.reason),
    .enabled(
      if: FileManager.default.fileExists(atPath: Paths.root + "/formats/schemas/config.schema.json"),
      "there is no schema of the configuration yet"))
  func thePagesConfigurationIsValid() throws {
    let examples = try DistPage(Self.page).blocks("yaml").filter { $0.hasPrefix("version:") }
    #expect(examples.count == 1)
    let scratch = Scratch()
    for example in examples {
      let path = try scratch.write("fleetkit.yml", example)
      let answer = try Judges.run(
        "check-jsonschema", ["--schemafile", "formats/schemas/config.schema.json", path])
      #expect(answer.status == 0, "\(answer.output)\(answer.errors)")
    }
  }

  /// Every option that the page, the workflows and the hooks name is one that `validate` has.
  @Test(.enabled(if: CommandHelp.hasVerb("validate"), "there is no verb validate yet"))
  func namedOptionsExist() throws {
    let options = try #require(try CommandHelp.root().commands.first { $0.words.last == "validate" }).options
    var named: Set<String> = []
    for path in [
      Self.page, "docs/ci/github-actions.yml", "docs/ci/gitlab-ci.yml", ".pre-commit-hooks.yaml",
    ] {
      for line in try DistPage(path).text.split(separator: "\n") {
        guard path == Self.page ? !line.contains("`--report` |") : line.contains("fleetkit validate") else { continue }
        for match in line.matches(of: /(?:^|[ `\[])--([a-z][a-z-]*)/) { named.insert(String(match.output.1)) }
      }
    }
    #expect(named.isSuperset(of: ["report", "fail-on", "profile", "baseline", "update-baseline", "max-findings"]))
    #expect(named.subtracting(options).isEmpty, "\(named.subtracting(options))")
  }

  @Test(
    .enabled(if: Judges.has("pre-commit"), Judges.reason),
    .enabled(if: CommandHelp.hasVerb("validate"), "there is no verb validate yet"))
  func preCommitRunsTheHookOnContentOnly() throws {
    let scratch = Scratch()
    for folder in ["bin", "hooks", "content"] {
      try FileManager.default.createDirectory(atPath: scratch[folder], withIntermediateDirectories: true)
    }
    try FileManager.default.createSymbolicLink(atPath: scratch["bin/fleetkit"], withDestinationPath: Paths.command)
    let hooks = try repository(scratch["hooks"], files: [".pre-commit-hooks.yaml"])
    let content = try repository(scratch["content"], files: ["samples/crew-handbook.json", "README.md"])

    let sound = try tryHook(hooks, on: content, scratch: scratch)
    #expect(sound.status == 0 && sound.output.contains("Passed"), "\(sound.output)\(sound.errors)")

    _ = try scratch.write("content/broken.json", "{\"content_type\": \"checklist\",")
    try git(content, "add", "--all")
    let broken = try tryHook(hooks, on: content, scratch: scratch)
    #expect(broken.status == 1 && broken.output.contains("Failed"), "\(broken.output)\(broken.errors)")
    #expect(broken.output.contains("broken.json:") && !broken.output.contains("README.md"), "\(broken.output)")
  }

  /// Runs the hook as pre-commit would, on everything that is staged.
  private func tryHook(_ hooks: String, on content: String, scratch: Scratch) throws -> Answer {
    let path = scratch["bin"] + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    return try Judges.run(
      "pre-commit", ["try-repo", hooks, "fleetkit-validate", "--all-files", "--verbose"],
      environment: ["PATH": path, "PRE_COMMIT_HOME": scratch["home"]].merging(Self.quietGit) { $1 }, folder: content)
  }

  /// Makes a repository with copies of our files in its top folder, committed.
  private func repository(_ path: String, files: [String]) throws -> String {
    for file in files {
      let name = URL(fileURLWithPath: file).lastPathComponent
      try FileManager.default.copyItem(atPath: Paths.root + "/" + file, toPath: path + "/" + name)
    }
    try git(path, "init", "--quiet")
    try git(path, "add", "--all")
    try git(path, "-c", "user.name=Test", "-c", "user.email=test@example.org", "commit", "--quiet", "-m", "Begin")
    return path
  }

  private func git(_ folder: String, _ arguments: String...) throws {
    let answer = try Shell.run("git", arguments, environment: Self.quietGit, folder: folder)
    try #require(answer.status == 0, "git \(arguments): \(answer.errors)")
  }

  /// The machine's own configuration of git, such as hooks and signing, has no say here.
  private static let quietGit = ["GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"]
}
