import Foundation
import TestSupport
import Testing

/// The files that people copy into their repositories: workflows and hooks, and the documentation page about them.
@Suite struct DistCITests {
  private static let page = "docs/validating-in-ci.md"

  @Test func theVersionStandsInOnePlace() throws {
    let version = try Shell.fleetkit("--version").output
    #expect(try Shell.run(Paths.root + "/packaging/version.sh", []).output == version)
    let number = version.trimmingCharacters(in: .whitespacesAndNewlines)
    for path in [
      "README.md", Self.page, "docs/installing.md", "docs/ci/github-actions.yml", "docs/ci/gitlab-ci.yml",
      "samples/ci/.pre-commit-config.yaml",
    ] {
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

  /// Every option in the page, the workflows and the hooks is an option of `validate`.
  @Test(.enabled(if: CommandHelp.hasVerb("validate"), "there is no verb validate yet"))
  func namedOptionsExist() throws {
    // The page mentions options of both `validate` and `init`.
    let options = try CommandHelp.root().commands.filter { ["validate", "init"].contains($0.words.last) }.flatMap(
      \.options)
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

  /// The file pattern of the hooks matches every kind of content, in any folder.
  @Test(.enabled(if: Shell.has("python3"), "python3 is not here"))
  func theHooksTakeEveryKindOfContent() throws {
    let hooks = try DistPage(".pre-commit-hooks.yaml").text
    let files = Set(hooks.matches(of: /(?m)^  files: (.*)$/).map { String($0.output.1) })
    let excluded = Set(hooks.matches(of: /(?m)^  exclude: (.*)$/).map { String($0.output.1) })
    #expect(files.count == 1 && excluded.count == 1, "both hooks take the same files")
    let script =
      "import re, sys\nfor n in sys.argv[3:]: print(n if re.search(sys.argv[1], n) and not re.search(sys.argv[2], n) else '-')"
    let taken = ["content/a.md", "a.csv", "b/c.xlsx", "a.json", "a.jsonl", "a.sqlite", "notes/readme first.md"]
    let left = [
      "README.md", "content/ReadMe.md", "a.txt", ".github/ISSUE_TEMPLATE/a.md", "LICENCE.md", "x/.obsidian/a.json",
    ]
    let answer = try Shell.run("python3", ["-c", script, files.first ?? "", excluded.first ?? ""] + taken + left)
    #expect(answer.output.split(separator: "\n").map(String.init) == taken + left.map { _ in "-" }, "\(answer.errors)")
  }

  // MARK: init

  private static let written = [
    ".fleetkit.yml", ".github/workflows/validate-content.yml", ".pre-commit-config.yaml",
  ]

  @Test func initWritesWhatChecksTheContent() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["content"], withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: Paths.root + "/samples/crew-handbook.json", toPath: scratch["content/handbook.json"])
    let planned = try Shell.run(Paths.command, ["init", "--dry-run"], folder: scratch.path)
    #expect(planned.status == 0 && scratch.names == ["content"])
    for name in Self.written { #expect(planned.errors.contains(name), "\(planned.errors)") }

    let answer = try Shell.run(Paths.command, ["init"], folder: scratch.path)
    #expect(answer.status == 0 && answer.output.isEmpty, "\(answer.errors)")
    // A mistake in the configuration would cause exit status 64.
    let checked = try Shell.run(Paths.command, ["validate", "content/"], folder: scratch.path)
    #expect(checked.status == 0, "\(checked.output)\(checked.errors)")
    _ = try scratch.write(".fleetkit.yml", scratch.text(".fleetkit.yml").replacing("fail_on:", with: "fail_no:"))
    #expect(try Shell.run(Paths.command, ["validate", "content/"], folder: scratch.path).status == 64)

    // The page's workflow is the same except for its introduction.
    let page = try DistPage("docs/ci/github-actions.yml").text
    let workflow = try scratch.text(".github/workflows/validate-content.yml")
    let body = { (text: String) in text.split(separator: "\n").drop { $0.hasPrefix("#") }.joined(separator: "\n") }
    #expect(body(workflow) == body(page))
  }

  @Test func initReplacesNothing() throws {
    let scratch = Scratch()
    _ = try scratch.write(".fleetkit.yml", "version: 1\n")
    try FileManager.default.createSymbolicLink(
      atPath: scratch[".pre-commit-config.yaml"], withDestinationPath: "nowhere")
    let answer = try Shell.run(Paths.command, ["init", scratch.path, "--content", "notes/sailing/", "--json"])
    let document = try #require(ForeignJSON.parse(answer.output) as? [String: Any])
    let files = try #require(document["files"] as? [[String: Any]])
    #expect(answer.status == 0 && files.map { $0["written"] as? Bool } == [false, false, true])
    #expect(try scratch.text(".fleetkit.yml") == "version: 1\n")
    #expect(!FileManager.default.fileExists(atPath: scratch["nowhere"]))
    #expect(try scratch.text(".github/workflows/validate-content.yml").contains("fleetkit validate notes/sailing/ "))
    let again = try Shell.run(Paths.command, ["init", scratch.path])
    #expect(again.status == 0)
    for name in Self.written { #expect(again.errors.contains(name), "\(again.errors)") }
  }

  @Test(arguments: ["", "/", "a b", "../x", "/etc", "a//b", "-x", "a;b", "$(x)", "вахта", ".github"])
  func initRefusesFoldersThatAFileWouldMisread(_ content: String) throws {
    let scratch = Scratch()
    let answer = try Shell.run(Paths.command, ["init", scratch.path, "--content=" + content])
    #expect(answer.status == 64 && scratch.names.isEmpty, "\(answer.errors)")
    #expect(try Shell.fleetkit("init", scratch["missing"]).status == 2)
  }

  @Test(.enabled(if: Judges.has("check-jsonschema") && Judges.has("pre-commit"), Judges.reason))
  func othersReadWhatInitWrites() throws {
    let scratch = Scratch()
    #expect(try Shell.fleetkit("init", scratch.path).status == 0)
    let configuration = try Judges.run(
      "check-jsonschema", ["--schemafile", "formats/schemas/config.schema.json", scratch[".fleetkit.yml"]])
    #expect(configuration.status == 0, "\(configuration.output)")
    let workflow = try Judges.run(
      "check-jsonschema",
      ["--builtin-schema", "vendor.github-workflows", scratch[".github/workflows/validate-content.yml"]])
    #expect(workflow.status == 0, "\(workflow.output)")
    for path in [scratch[".pre-commit-config.yaml"], Paths.root + "/samples/ci/.pre-commit-config.yaml"] {
      let hooks = try Judges.run("pre-commit", ["validate-config", path])
      #expect(hooks.status == 0, "\(hooks.output)")
    }
  }

  /// Runs the hook on all staged files, as pre-commit would.
  private func tryHook(_ hooks: String, on content: String, scratch: Scratch) throws -> Answer {
    let path = scratch["bin"] + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    return try Judges.run(
      "pre-commit", ["try-repo", hooks, "fleetkit-validate", "--all-files", "--verbose"],
      environment: ["PATH": path, "PRE_COMMIT_HOME": scratch["home"]].merging(Self.quietGit) { $1 }, folder: content)
  }

  /// Creates a repository with committed copies of our files in its top folder.
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

  /// An environment in which git ignores the machine's own configuration, such as hooks and signing.
  private static let quietGit = ["GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"]
}
