import ArgumentParser
import FleetKit
import Foundation

/// A run of a library: `7`, `7 LIBRARY`, `LIBRARY 7`, or `7 --library LIBRARY`; `last` in place of the number.
struct RunReference: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "The run's number or 'last', and the library if this folder has several; in any order.",
      valueName: "id-and-library"),
    completion: .file())
  var words: [String] = []

  @Option(name: .long, help: "The library, the app's SQLite file.", completion: .file())
  var library: String?

  func validate() throws {
    _ = try number()
    if words.count > (library == nil ? 2 : 1) { throw ValidationError("Give one run and at most one library.") }
  }

  /// Returns the number, which is nil for the last run, and the remaining words.
  private func number() throws -> (id: Int64?, rest: [String]) {
    // A library may be named 7, so a number that is also a file is the library.
    let numbers = words.indices.filter { words[$0] == Self.last || Int64(words[$0]).map { $0 > 0 } ?? false }
    guard
      let index = numbers.first(where: { words.count == 1 || !FileManager.default.fileExists(atPath: words[$0]) })
        ?? numbers.first
    else {
      throw ValidationError("Give the run's number, as listed by 'fleetkit runs', or 'last'.")
    }
    var rest = words
    rest.remove(at: index)
    return (Int64(words[index]), rest)
  }

  private static let last = "last"

  /// Returns the run's number and the library.
  /// - Throws: `RunFailure` with status 64 if no library is named and the current folder does not have exactly one
  ///   library with runs, or if there is no last run; 2 if the runs cannot be read.
  func resolve() throws -> (id: Int64, library: String) {
    let (id, rest) = try number()
    let library = try library ?? rest.first ?? Self.libraryHere(for: id.map { "\($0)" } ?? Self.last)
    if let id { return (id, library) }
    guard let run = try RunList(library).last else {
      throw RunFailure(
        .usage, "find the last run of '\(library)': no run changed it, or all runs were undone",
        advice: "To list the runs, run: fleetkit runs \(TerminalEscaping.shellQuoted(library))")
    }
    return (run.id, library)
  }

  /// Returns the only library in the current folder that has runs.
  private static func libraryHere(for id: String) throws -> String {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: ".")) ?? []
    let found = names.filter { $0.hasSuffix(".sqlite") && names.contains($0 + ".fleetkit") }.sorted()
    if found.count == 1, let one = found.first { return one }
    let what =
      found.isEmpty
      ? "no library in this folder has any runs"
      : "this folder has several libraries: \(found.map { "'\($0)'" }.joined(separator: ", "))"
    throw RunFailure(.usage, "find run \(id): \(what)", advice: "Name the library: \(id) --library LIBRARY.")
  }
}
