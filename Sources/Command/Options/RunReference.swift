import ArgumentParser
import FleetKit
import Foundation

/// Which run of which library: `7`, `7 LIBRARY`, `LIBRARY 7`, or `7 --library LIBRARY`; `last` in place of the number.
struct RunReference: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "The number of the run, or 'last', and the library if there are several here; in any order.",
      valueName: "id-and-library"),
    completion: .file())
  var words: [String] = []

  @Option(name: .long, help: "The library, the app's SQLite file.", completion: .file())
  var library: String?

  func validate() throws {
    _ = try number()
    if words.count > (library == nil ? 2 : 1) { throw ValidationError("One run and one library at a time.") }
  }

  /// The number, nil for the last run, and what is left of the words.
  private func number() throws -> (id: Int64?, rest: [String]) {
    // A library may be called 7, too; the number is what is no file.
    let numbers = words.indices.filter { words[$0] == Self.last || Int64(words[$0]).map { $0 > 0 } ?? false }
    guard
      let index = numbers.first(where: { words.count == 1 || !FileManager.default.fileExists(atPath: words[$0]) })
        ?? numbers.first
    else {
      throw ValidationError("Name the run by its number, as 'fleetkit runs' lists it, or 'last'.")
    }
    var rest = words
    rest.remove(at: index)
    return (Int64(words[index]), rest)
  }

  private static let last = "last"

  /// The run's number and the library.
  /// - Throws: `RunFailure`: 64 when no library is named and there is not exactly one here, or when no run is the last
  ///   one; 2 when the runs cannot be read.
  func resolve() throws -> (id: Int64, library: String) {
    let (id, rest) = try number()
    let library = try library ?? rest.first ?? Self.libraryHere(for: id.map { "\($0)" } ?? Self.last)
    if let id { return (id, library) }
    guard let run = try RunList(library).last else {
      throw RunFailure(
        .usage, "find the last run of '\(library)': no run changed it, or all of them were undone",
        advice: "'fleetkit runs \(TerminalText.shellQuoted(library))' lists them.")
    }
    return (run.id, library)
  }

  /// The one library in the folder that the command runs in that something ran on.
  private static func libraryHere(for id: String) throws -> String {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: ".")) ?? []
    let found = names.filter { $0.hasSuffix(".sqlite") && names.contains($0 + ".fleetkit") }.sorted()
    if found.count == 1, let one = found.first { return one }
    let what =
      found.isEmpty
      ? "nothing ran on any library in this folder"
      : "there are several libraries here: \(found.map { "'\($0)'" }.joined(separator: ", "))"
    throw RunFailure(.usage, "find run \(id): \(what)", advice: "Name the library: \(id) --library LIBRARY.")
  }
}
