import Content
import Diagnostics
import Foundation
import Interchange
import JSONSchema
import JSONText
import RecordSources
import Reports
import Validation
import YAMLText

/// Validates files against one schema and does no other checks. The files are JSON, JSON Lines (each line) or YAML.
///
/// A file is held in memory while it is checked. A member name that occurs twice is a warning here, because JSON Schema
/// does not cover this case.
public struct SchemaValidation {
  private let schema: SchemaFile
  private let program: SchemaProgram
  private let options: ValidationOptions

  /// Plans a validation.
  public init(_ schema: SchemaFile, options: ValidationOptions) {
    self.schema = schema
    program = SchemaProgram(schema.schema)
    self.options = options
  }

  /// The maximum size of a file in bytes. Offsets in a tape cannot exceed it.
  private static let maximumSize = JSONLimits.textLength

  /// Checks files. A folder means the `.json` and `.jsonl` files in it.
  /// - Throws: `RunFailure` if the run is interrupted, or any error of the report.
  public func run(_ paths: [String], report: any FindingReport) throws -> ValidationOutcome {
    let failOn: Severity? = if case .from(let least) = options.failOn { least } else { .error }
    let sink = FindingSink(
      report, limit: options.maxFindings, baseline: options.recorder == nil ? options.baseline : nil,
      recorder: options.recorder, fails: { severity, _ in failOn.map { severity >= $0 } ?? false }
    ) { _, severity, _ in severity }
    var failures: [RunFailure] = []
    var status = ExitStatus.success
    try sink.begin()
    for path in paths.flatMap(Self.files) {
      try Interruption.check()
      do {
        try check(path, sink)
      } catch let failure as RunFailure where failure.status != .interrupted {
        failures.append(failure)
        status = status.combined(with: failure.status)
        try sink.add(
          Diagnostic(.unreadableSource, failure.message, at: Place(file: path), fix: failure.advice))
      }
      try sink.checked(path)
    }
    if sink.hasFailed { status = status.combined(with: .findings) }
    let summary = try sink.end(status: status, failOn: failOn)
    return ValidationOutcome(
      summary: summary, status: status, failures: failures, fixable: [],
      recordedBaseline: sink.recorded(over: options.baseline),
      unusedBaseline: sink.unusedBaseline)
  }

  private static func files(_ path: String) -> [String] {
    var isFolder: ObjCBool = false
    guard path != "-", FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
      return [path]
    }
    let names = (FileManager.default.enumerator(atPath: path)?.allObjects as? [String]) ?? []
    let found = names.filter { name in
      !name.split(separator: "/").contains { $0.hasPrefix(".") }
        && ["json", "jsonl", "ndjson"].contains((name as NSString).pathExtension.lowercased())
    }
    let folder = path.hasSuffix("/") ? path : path + "/"
    return found.sorted().map { folder + $0 }.filter(SourceList.isFile)
  }

  // MARK: One file

  private func check(_ path: String, _ sink: FindingSink) throws {
    var bytes = try Self.read(path)
    // Here, as everywhere, a byte order mark does not count as a column.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    switch (path as NSString).pathExtension.lowercased() {
    case "jsonl", "ndjson": try checkLines(bytes, path, sink)
    case "yaml", "yml": try checkYAML(bytes, path, sink)
    default:
      sink.count(records: 1)
      var counter = PlaceCounter()
      try Self.withText(bytes) { try check($0, in: 0..<$0.count, &counter, path, sink) }
    }
  }

  private static func read(_ path: String) throws -> [UInt8] {
    if path == "-" { return [UInt8](FileHandle.standardInput.readDataToEndOfFile()) }
    _ = try SourceProbe.head(of: Source(path))
    do {
      let data = try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
      guard data.count <= maximumSize else {
        throw RunFailure(.failed, "read '\(path)': it is larger than 4 GiB", advice: "Split it into lines (.jsonl).")
      }
      return [UInt8](data)
    } catch let failure as RunFailure {
      throw failure
    } catch {
      throw RunFailure(.failed, "read '\(path)': \(error.localizedDescription)")
    }
  }

  /// Calls `body` with the text after a byte order mark, which editors do not show.
  private static func withText(_ bytes: [UInt8], _ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows {
    let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    try bytes.withUnsafeBufferPointer { try body(UnsafeBufferPointer(rebasing: $0[mark...])) }
  }

  private func checkLines(_ bytes: [UInt8], _ path: String, _ sink: FindingSink) throws {
    try Self.withText(bytes) { text in
      var start = 0
      // One counter serves the whole file. Counting from the start of the file for each line would take quadratic time.
      var counter = PlaceCounter()
      while start < text.count {
        let end = text[start...].firstIndex(of: 0x0A) ?? text.count
        let isBlank = text[start..<end].allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        if !isBlank {
          sink.count(records: 1)
          try check(text, in: start..<end, &counter, path, sink, isLine: true)
        }
        start = end + 1
      }
    }
  }

  private func check(
    _ text: UnsafeBufferPointer<UInt8>, in range: Range<Int>, _ counter: inout PlaceCounter, _ path: String,
    _ sink: FindingSink, isLine: Bool = false
  ) throws {
    func place(_ span: Range<Int>, _ pointer: JSONPointer = JSONPointer()) -> Place {
      let start = counter.position(of: span.lowerBound, in: text.span)
      let end = counter.position(of: span.upperBound, in: text.span)
      return Place(
        file: path, line: start.line, column: start.column,
        endColumn: end.line == start.line && end.column > start.column ? end.column : nil,
        pointer: pointer.description)
    }
    var tape = JSONTape(capacity: range.count / 8 + 64)
    let parse: JSONParse
    do throws(JSONError) {
      parse = try tape.parse(text.span, in: range)
    } catch {
      let origin = counter.position(of: range.lowerBound, in: text.span)
      let fix = error.advice(in: text.span, range, from: origin, isLine: isLine)
      try sink.add(Diagnostic(.notJSON, error.message, at: place(error.offset..<error.offset), fix: fix))
      return
    }
    guard let start = text.baseAddress else { return }
    let node = JSONNode(text: start, tokens: tape.tokens, index: parse.root)
    if let twice = node.duplicateName {
      let name = String(decoding: twice.raw, as: UTF8.self)
      try sink.add(
        Diagnostic(
          .duplicateMember, "the member \(name) occurs twice in one object",
          at: place(twice.span, node.pointer(to: twice.index)), severity: .warning))
    }
    if let member = itemMember(node) {
      try sink.add(Self.anotherShape(place(member.span, node.pointer(to: member.index))))
    }
    for violation in program.violations(node) {
      let located = LocatedPlace(place(violation.span, violation.pointer))
      try sink.add(Diagnostic(violation, at: located, record: nil, title: nil, schema: schema.shown))
    }
  }

  /// Returns a member that only an item has, if the value should be an item's document but is an item; otherwise nil.
  private func itemMember(_ node: JSONNode) -> JSONNode? {
    guard schema.describesDocument, node.kind == .object else { return nil }
    return node.member("content_type") ?? node.member("content_data")
  }

  private static func anotherShape(_ place: Place) -> Diagnostic {
    Diagnostic(.schemaOfAnotherShape, "the value is an item, but the schema describes an item's document", at: place)
  }

  private func checkYAML(_ bytes: [UInt8], _ path: String, _ sink: FindingSink) throws {
    sink.count(records: 1)
    let document: YAMLDocument
    do {
      document = try YAMLDocument(parsing: bytes.span)
    } catch {
      try sink.add(
        Diagnostic(.notYAML, error.message, at: Place(file: path, line: error.line, column: error.column)))
      return
    }
    let root = document.json.root
    let violations = document.json.withNode(root.tokenIndex) { program.violations($0) }
    var index = ChildIndex()
    let found = document.json.withNode(root.tokenIndex) { node in
      itemMember(node).map { node.pointer(to: $0.index) }
    }
    if let pointer = found {
      let position = document.position(of: pointer, name: false)
      let place = Place(
        file: path, line: position?.line, column: position?.column, endColumn: position?.endColumn,
        pointer: pointer.description)
      try sink.add(Self.anotherShape(place))
    }
    for violation in violations {
      let position = document.position(of: violation.pointer, name: violation.isAboutName, using: &index)
      let place = Place(
        file: path, line: position?.line, column: position?.column, endColumn: position?.endColumn,
        pointer: violation.pointer.description)
      try sink.add(Diagnostic(violation, at: LocatedPlace(place), record: nil, title: nil, schema: schema.shown))
    }
  }
}

/// A schema that the user named: a file, or one of FleetKit's own schemas.
public struct SchemaFile: Sendable {
  /// The compiled schema.
  public let schema: Schema
  /// The name that the user gave.
  private let name: String
  /// The prefix of locations in the schema itself.
  private let uri: String
  /// Whether this is FleetKit's own schema for an item's `content_data`.
  let describesDocument: Bool

  private static let documents = ["checklist", "practice_guide", "flashcard_deck"]

  /// Reads and compiles a schema.
  /// - Parameter folder: the folder with remote schemas. Without it, references to them cannot be resolved. Schemas are
  ///   never fetched from a network.
  /// - Throws: `RunFailure` with status 64 and a place if the schema is invalid, or with status 2 if it cannot be read
  ///   or is too large.
  public init(_ name: String, folder: String? = nil, assertsFormat: Bool = false) throws {
    let options = SchemaOptions(assertsFormat: assertsFormat, checksSchema: true)
    if !FileManager.default.fileExists(atPath: name), let ours = Self.builtIn(name) {
      self.name = name
      uri = ""
      describesDocument = Self.documents.contains { ours == $0 || ours == "canonical/" + $0 }
      schema = try FleetKitSchemas().schema(named: ours, options: options)
      return
    }
    describesDocument = false
    let bytes = try Self.read(name)
    let document = try Self.parse(bytes, name)
    var set = SchemaSet()
    let uri =
      "file://" + (URL(fileURLWithPath: name).path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? "")
    self.name = name
    self.uri = uri
    var known = ""
    if let folder {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
        throw RunFailure(.usage, "--schema-dir \(folder): the folder does not exist")
      }
      set.remotes = SchemaFolder(folder).remotes
    }
    let compiled: Schema
    do throws(SchemaError) {
      known = try set.add(document, at: uri)
      compiled = try set.compile(known, options: options)
    } catch {
      throw Self.failure(error, name: name, uris: [uri, known], bytes: bytes, hasFolder: folder != nil)
    }
    schema = compiled
  }

  /// Returns a location in a schema as messages show it: the user's file by its name, and one of FleetKit's own schemas
  /// by the path of its file.
  func shown(_ location: String) -> String {
    if !uri.isEmpty, location.hasPrefix(uri + "#") { return name + location.dropFirst(uri.count) }
    return Self.shown(location)
  }

  /// Returns the path in `formats/schemas` for a location in one of FleetKit's own schemas. Other locations are
  /// returned unchanged.
  static func shown(_ location: String) -> String {
    location.hasPrefix(EmbeddedSchemas.base)
      ? "formats/schemas/" + location.dropFirst(EmbeddedSchemas.base.count) : location
  }

  /// Returns the name of one of FleetKit's own schemas, which may be written as its file name: `checklist.schema.json`.
  private static func builtIn(_ name: String) -> String? {
    let ending = ".schema.json"
    let plain = name.hasSuffix(ending) ? String(name.dropLast(ending.count)) : name
    return EmbeddedSchemas.names.first { $0 == plain }
  }

  private static func read(_ name: String) throws -> [UInt8] {
    guard FileManager.default.fileExists(atPath: name) else {
      let ours = EmbeddedSchemas.names.filter { !$0.contains("/") }.joined(separator: ", ")
      // A plain word can only be meant as the name of one of FleetKit's schemas.
      let isWord = !name.contains("/") && !name.contains(".")
      throw RunFailure(
        isWord ? .usage : .failed,
        "read the schema '\(name)': the file does not exist"
          + (isWord ? ", and FleetKit has no schema of this name" : ""),
        advice: "Check the name; FleetKit's own schemas are \(ours).")
    }
    let head = try SourceProbe.head(of: Source(name))
    guard let data = FileManager.default.contents(atPath: name) else {
      throw RunFailure(.failed, "read the schema '\(name)': not a readable file", advice: "Check the name.")
    }
    return head.isEmpty ? [] : [UInt8](data)
  }

  private static func parse(_ bytes: [UInt8], _ name: String) throws -> JSONDocument {
    do throws(JSONError) {
      return try JSONDocument(parsing: bytes)
    } catch {
      let place = error.position(in: bytes.span)
      let advice = error.advice(in: bytes.span) ?? "correct the schema"
      throw RunFailure(
        .usage, "\(name):\(place.line):\(place.column): the schema is not JSON: \(error.message)",
        advice: Self.sentence(advice))
    }
  }

  /// Makes a failure with the place of the error, which is in the schema's file or in another document.
  private static func failure(
    _ error: SchemaError, name: String, uris: [String], bytes: [UInt8], hasFolder: Bool
  ) -> RunFailure {
    var place = error.place.uri.isEmpty ? name : error.place.uri
    if uris.contains(error.place.uri) || error.place.uri.isEmpty {
      let position = TextPosition(offset: error.place.offset, in: bytes.span)
      place = "\(name):\(position.line):\(position.column)"
    } else if !error.place.pointer.steps.isEmpty {
      place += "#\(error.place.pointer)"
    }
    var advice = error.advice
    if error.missing != nil {
      advice =
        hasFolder
        ? "put that schema into the folder of --schema-dir; nothing is fetched from a network"
        : "name the folder that contains it with --schema-dir DIR; nothing is fetched from a network"
    }
    return RunFailure(
      error.isTooLarge ? .failed : .usage, "\(place): \(error.message)", advice: advice.map(Self.sentence))
  }

  private static func sentence(_ text: String) -> String {
    let ends = text.last.map { ".?!".contains($0) } ?? true
    return text.prefix(1).uppercased() + text.dropFirst() + (ends ? "" : ".")
  }
}

extension Diagnostic {
  /// Makes a finding from a schema violation.
  /// - Parameter schema: returns the name of a location in the schema.
  init(
    _ violation: SchemaViolation, at located: LocatedPlace, record: String?, title: String?,
    schema: (String) -> String = SchemaFile.shown
  ) {
    let code = SchemaCodes.code(ofKeyword: violation.keyword)
    let others = violation.otherAlternatives
    let more = others > 0 ? "; \(Plural.count(others, "other alternative"))" : ""
    let reason = violation.reason.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 } ?? code.why
    self.init(
      code, violation.message, at: located.place, record: record, title: title, fix: violation.fix,
      why: "\(reason) (\(schema(violation.schemaLocation))\(more))", label: violation.found, excerpt: located.excerpt)
  }
}

extension SchemaViolation {
  /// Whether the member's name is wrong, not its value.
  var isAboutName: Bool {
    ["additionalProperties", "unevaluatedProperties", "propertyNames"].contains(keyword)
  }
}
