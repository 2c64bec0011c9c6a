import Foundation
import JSONSchema
import JSONText
import TestSupport
import Testing

/// The schemas in `docs/reports`, which describe the output of `--json`.
///
/// The outputs come from `Tests/Golden/commands`, which other tests compare with the actual output.
@Suite struct ReportSchemaTests {
  private static let folder = Paths.root + "/docs/reports/"
  static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
    .filter { $0.hasSuffix(".schema.json") }.map { String($0.dropLast(".schema.json".count)) }.sorted()

  /// Returns the JSON outputs of all verbs, by the name of the schema that describes them.
  private static func outputs() throws -> [String: [String]] {
    var outputs: [String: [String]] = [:]
    for folder in ["", "registry/"] {
      let path = Golden.folder() + "/commands/" + folder
      for name in try FileManager.default.contentsOfDirectory(atPath: path) where name.hasSuffix(".md") {
        for (command, lines) in try CommandFile(path + name).outputs {
          guard command.hasPrefix("fleetkit "), command.contains("--json") else { continue }
          let words = command.split(separator: " ").dropFirst().prefix(2).map(String.init)
          let verb = words.first ?? ""
          // A long queue is printed row by row. All other reports consist of one line.
          let texts = verb == "queue" && lines.count > 1 ? [lines.joined()] : lines
          for text in texts where text.hasPrefix("{") || text.hasPrefix("[") {
            let long = words.joined(separator: "-")
            let name =
              text.hasPrefix("{\"status\"") ? "failure" : names.contains(long) ? long : verb
            outputs[name, default: []].append(text)
          }
        }
      }
    }
    // `show` prints the record itself, which formats/schemas describes.
    outputs["show"] = nil
    return outputs
  }

  private static func schema(_ name: String) throws -> Schema {
    var set = SchemaSet()
    let uri = try set.add(
      try JSONDocument(parsing: String(contentsOfFile: folder + name + ".schema.json", encoding: .utf8)))
    return try set.compile(uri, options: SchemaOptions(checksSchema: true))
  }

  private static func violations(_ text: String, _ schema: Schema) throws -> [SchemaViolation] {
    var run = SchemaRun(schema)
    return try JSONDocument(parsing: text).withRoot { run.violations($0) }
  }

  @Test func everyReportIsDescribed() throws {
    let outputs = try Self.outputs()
    // A proof fails only if FleetKit has a bug, so no recorded output shows a failure.
    #expect(Set(outputs.keys) == Set(Self.names).subtracting(["failed-proof"]))
    for (name, texts) in outputs {
      let schema = try Self.schema(name)
      for text in texts {
        let violations = try Self.violations(text, schema)
        #expect(violations.isEmpty, "\(name): \(violations.map { "\($0.pointer) \($0.message)" }) \(text.prefix(200))")
        // Each schema rejects members that it does not describe.
        guard text.hasPrefix("{") else { continue }
        #expect(try !Self.violations("{\"unknown\":1," + text.dropFirst(), schema).isEmpty, "\(name)")
      }
    }
  }

  /// A definition that several schemas use is identical in all of them.
  @Test func definitionsAgree() throws {
    var known: [String: String] = [:]
    for name in Self.names {
      let text = try String(contentsOfFile: Self.folder + name + ".schema.json", encoding: .utf8)
      for member in try JSONDocument(parsing: text).root["$defs"]?.members ?? [] {
        let definition = member.value.text.filter { !$0.isWhitespace }
        #expect(known[member.name] ?? definition == definition, "\(name): \(member.name)")
        known[member.name] = definition
      }
    }
  }
}
