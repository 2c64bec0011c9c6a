import Foundation
import TestSupport
import Testing

/// A publisher's desk with keys and several versions of one pack, which contains a checklist.
struct SigningDesk {
  let scratch = Scratch()

  /// Creates a key pair and returns the path of the public key.
  @discardableResult
  func key(_ name: String = "publisher") throws -> String {
    let answer = try run("pack", "keygen", "--to", scratch[name], "--no-password")
    try #require(answer.status == 0, "\(answer.errors)")
    return scratch[name + ".pub"]
  }

  /// Builds a version and returns its path.
  func build(
    _ version: String, previous: String? = nil, name: String = "first-charter", step: String = "Check the bilge",
    as file: String? = nil
  ) throws -> String {
    let folder = "content-\(version)-\(step.utf8.count)"
    try FileManager.default.createDirectory(atPath: scratch[folder], withIntermediateDirectories: true)
    _ = try scratch.write(
      folder + "/departure.json",
      """
      {"content_type":"checklist","id":"0B5C2E1A-7F1D-4A43-9C55-0F3C6C1D2E01","title":"Departure",
       "description":"Before the lines are cast off.","language":"en","tags":["departure"],
       "created_at":"2026-01-05T10:00:00.000Z","updated_at":"2026-01-05T10:00:00.000Z",
       "content_data":{"id":"0B5C2E1A-7F1D-4A43-9C55-0F3C6C1D2E01","title":"Departure","checklistType":"pre_charter",
       "sections":[{"id":"0B5C2E1A-7F1D-4A43-9C55-0F3C6C1D2E02","title":"Below","items":[
       {"id":"0B5C2E1A-7F1D-4A43-9C55-0F3C6C1D2E03","title":"\(step)"}]}]}}
      """)
    let config = try scratch.write(
      folder + "/pack.yml",
      "name: \(name)\nversion: \(version)\npublisher: Blue Sea Sailing School\nlicence: CC-BY-4.0\n")
    let path = scratch[file ?? "\(name)-\(version).fleetpack"]
    var arguments = ["pack", "build", scratch[folder], "--config", config, "--to", path]
    if let previous { arguments += ["--previous", previous] }
    let answer = try Shell.run(Paths.command, arguments)
    try #require(answer.status == 0, "\(answer.errors)")
    return path
  }

  /// Builds and signs a version.
  func publish(
    _ version: String, previous: String? = nil, name: String = "first-charter", step: String = "Check the bilge",
    as file: String? = nil, key: String = "publisher", signingWith old: String? = nil
  ) throws -> String {
    let path = try build(version, previous: previous, name: name, step: step, as: file)
    let answer = try sign(path, previous: old, key: key)
    try #require(answer.status == 0, "\(answer.errors)")
    return path
  }

  /// Signs a file.
  func sign(_ path: String, previous: String? = nil, key: String = "publisher") throws -> Answer {
    try Shell.run(
      Paths.command,
      ["pack", "sign", path, "--key", scratch[key + ".key"]] + (previous.map { ["--previous", $0] } ?? []))
  }

  /// Verifies a file with the given trusted keys.
  func verify(_ path: String, trust: [String] = ["publisher"], previous: String? = nil) throws -> Answer {
    try Shell.run(
      Paths.command,
      ["pack", "verify", path] + trust.flatMap { ["--trust", scratch[$0 + ".pub"]] }
        + (previous.map { ["--previous", $0] } ?? []))
  }

  /// Imports a file into the library `boat.sqlite`.
  func bring(_ path: String, trust: [String] = []) throws -> Answer {
    try Shell.run(
      Paths.command,
      ["import", path, "--into", scratch["boat.sqlite"], "--create"]
        + trust.flatMap { ["--trust", scratch[$0 + ".pub"]] })
  }

  /// Runs fleetkit.
  func run(_ arguments: String...) throws -> Answer { try Shell.run(Paths.command, arguments) }
}

/// Checks the exit status of a refusal and a part of its message.
func expect(
  _ answer: Answer, _ status: Int32, _ words: String = "", at sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(answer.status == status, "\(answer.errors)", sourceLocation: sourceLocation)
  if !words.isEmpty { #expect(answer.errors.contains(words), "\(answer.errors)", sourceLocation: sourceLocation) }
}
