import Foundation
import JSONSchema
import JSONText
import RegistryAPI
import Testing

/// Checks answers against the OpenAPI document, which must describe every answer that a test gets.
final class DescribedInterface: @unchecked Sendable {
  static let shared: DescribedInterface? = try? DescribedInterface()

  let document: JSONDocument
  private let base = "https://fleetkit.example/openapi.json"
  private var schemas = SchemaSet()
  private let lock = NSLock()
  private var compiled: [String: Schema] = [:]

  private init() throws {
    document = try JSONDocument(parsing: Description.openAPI)
    _ = try schemas.add(document, at: base)
  }

  /// The routes, each in the form `GET /api/v1/content/{public_id}`.
  var operations: [String] {
    (document.root["paths"]?.members ?? []).flatMap { path, item in
      item.members.map { "\($0.name.uppercased()) \(path)" }
    }
  }

  /// Records an issue if the document does not describe an answer.
  func check(_ method: String, _ target: String, _ answer: HTTPAnswer) {
    let path = String(target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)[0])
    let request = "\(method) \(path) → \(answer.status)"
    // Pages and their assets are for people; `PageTests` checks them.
    let isForPeople = PageRoutes.paths.contains { route in
      let prefix = route.prefix { $0 != "{" }
      return prefix.count < route.count ? path.hasPrefix(prefix) : path == route
    }
    if isForPeople { return }
    guard let item = item(at: path) else {
      // For a path that does not exist, the answer cannot report any other error in the request.
      if answer.status != 404 && answer.status < 500 && answer.status != 204 && answer.status != 401 {
        Issue.record("\(request): the path is not described")
      }
      return
    }
    guard let operation = item[method.lowercased()] else {
      if ![204, 405, 400].contains(answer.status) { Issue.record("\(request): the method is not described") }
      return
    }
    guard let response = operation["responses"]?["\(answer.status)"].map(resolve) else {
      Issue.record("\(request): the status is not described; \(answer.text.prefix(300))")
      return
    }
    checkHeaders(response, answer, request)
    checkBody(response, answer, request, isHead: method == "HEAD")
  }

  private func checkHeaders(_ response: JSONValue, _ answer: HTTPAnswer, _ request: String) {
    for (name, value) in response["headers"]?.members ?? [] {
      let header = resolve(value)
      guard let text = answer.header(name) else {
        if header["required"]?.bool == true { Issue.record("\(request): the header \(name) is missing") }
        continue
      }
      var json = JSONText.ByteBuffer(capacity: text.utf8.count + 2)
      if header["schema"]?["type"]?.string == "integer" { json.append(utf8: text) } else { json.appendJSONString(text) }
      guard let reference = value["$ref"]?.string else { continue }
      hold(json.copy(0..<json.count), against: "\(reference)/schema", "\(request): header \(name)")
    }
  }

  private func checkBody(_ response: JSONValue, _ answer: HTTPAnswer, _ request: String, isHead: Bool) {
    guard let content = response["content"]?.members.first, !isHead else {
      if !answer.body.isEmpty { Issue.record("\(request): a body that is not described") }
      return
    }
    let type = answer.header("Content-Type")?.split(separator: ";").first.map(String.init)
    if type != content.name { Issue.record("\(request): \(type ?? "no type") where \(content.name) is described") }
    if let reference = content.value["schema"]?["$ref"]?.string { hold(answer.body, against: reference, request) }
  }

  /// Checks JSON against a schema in the document.
  func hold(_ json: [UInt8], against reference: String, _ what: String) {
    do {
      let schema = try lock.withLock {
        if let known = compiled[reference] { return known }
        let schema = try schemas.compile(base + reference)
        compiled[reference] = schema
        return schema
      }
      var run = SchemaRun(schema)
      var tape = JSONTape()
      try json.withUnsafeBufferPointer { text in
        let parse = try tape.parse(text.span)
        guard let base = text.baseAddress else { return }
        for violation in run.violations(JSONNode(text: base, tokens: tape.tokens, index: parse.root), limit: 5) {
          Issue.record("\(what): \(violation.pointer.description) \(violation.message) (\(violation.schemaLocation))")
        }
      }
    } catch {
      Issue.record("\(what): \(error)")
    }
  }

  /// Returns the description of a path; a fixed path takes precedence over one with a slug.
  private func item(at path: String) -> JSONValue? {
    guard let paths = document.root["paths"] else { return nil }
    if let item = paths[path] { return item }
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    return paths.members.first { template, _ in
      let parts = template.split(separator: "/", omittingEmptySubsequences: false)
      return parts.count == segments.count
        && zip(parts, segments).allSatisfy { $0 == $1 || $0.hasPrefix("{") && !$1.isEmpty }
    }?.value
  }

  private func resolve(_ value: JSONValue) -> JSONValue {
    guard let reference = value["$ref"]?.string, let pointer = JSONPointer(String(reference.dropFirst())),
      let target = document.root.at(pointer)
    else { return value }
    return target
  }
}
