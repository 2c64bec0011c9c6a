import Foundation
import TestSupport
import Testing

/// Independent JSON Schema validators: the Python packages jsonschema-rs and check-jsonschema.
enum SchemaJudge {
  /// Whether tests that need the validators run.
  static let isWanted = Judges.has("check-jsonschema") && Judges.has(module: "jsonschema_rs")

  /// Runs check-jsonschema in the schema folder.
  static func check(_ arguments: [String]) throws -> Answer {
    try Judges.run("check-jsonschema", arguments, folder: SchemaFile.folder)
  }

  /// Validates many texts in one process.
  /// - Parameter cases: the schema's path relative to `EmbeddedSchemas.base`, with a fragment if necessary, and the
  ///   JSON.
  /// - Returns: for each case, nil if it is valid, or else its error.
  static func judge(_ cases: [(schema: String, text: String)]) throws -> [String?] {
    let scratch = Scratch()
    let lines = cases.map { $0.schema + "\t" + JSONTree.quoted($0.text) }.joined(separator: "\n")
    let path = try scratch.write("cases", lines)
    let answer = try Judges.run("python", ["-c", script, SchemaFile.folder, path])
    try #require(answer.status == 0, "\(answer.errors.suffix(800))")
    let verdicts = answer.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    try #require(verdicts.count == cases.count)
    return verdicts.map { $0.isEmpty ? nil : String($0) }
  }

  private static let script = """
    import glob, json, sys
    import jsonschema_rs
    files = [json.load(open(p)) for p in glob.glob(sys.argv[1] + "/**/*.schema.json", recursive=True)]
    registry = jsonschema_rs.Registry([(f["$id"], f) for f in files])
    base = "https://fleetkit.anyfleet.app/schemas/v1/"
    validators = {}
    for line in open(sys.argv[2], encoding="utf-8", newline="\\n"):
        name, text = line.rstrip("\\n").split("\\t", 1)
        if name not in validators:
            validators[name] = jsonschema_rs.validator_for({"$ref": base + name}, registry=registry)
        error = next(validators[name].iter_errors(json.loads(json.loads(text))), None)
        print("" if error is None else "%s: %s" % (list(error.instance_path), error.message.replace("\\n", " ")[:300]))
    """
}
