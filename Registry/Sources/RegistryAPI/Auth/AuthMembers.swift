import Hummingbird
import JSONText
import Publishing
import SignIn

/// Reads the string members of a small JSON object, each of them once, and collects errors with their places.
struct AuthMembers {
  private let root: JSONValue
  private var findings: [IntakeFinding] = []

  /// Reads a request's body.
  init(_ request: Request, _ registry: Registry) async throws {
    let limit = min(AuthHandlers.bodyLimit, registry.settings.bodyLimit)
    root = try await JSONBody(of: request, limit: limit, depth: registry.settings.depthLimit).root
    guard root.kind == .object else {
      throw Problem.invalidContent([
        IntakeFinding(
          code: "REG0301", pointer: JSONPointer(), message: "the body is not an object",
          why: "the members of the request have names", fix: "send a JSON object")
      ])
    }
  }

  /// Returns a required string, which has one of two names; returns an empty string, with a finding, when it is
  /// missing.
  mutating func required(_ name: String, alias: String) -> String {
    let usesAlias = root[name] == nil && root[alias] != nil
    guard let text = text(usesAlias ? alias : name) else {
      if findings.isEmpty {
        refuse(name, "`\(name)` is missing", why: "it identifies you", fix: "send it as a string")
      }
      return ""
    }
    if !usesAlias, let other = root[alias], other.string.map({ $0.utf8.elementsEqual(text.utf8) }) != true {
      refuse(alias, "`\(alias)` and `\(name)` differ", why: "they are two names of one member", fix: "send one of them")
    }
    return text
  }

  /// Returns an optional string; nil when it is missing or null.
  mutating func optional(_ name: String) -> String? { text(name) }

  /// Returns a required e-mail address.
  mutating func email(_ name: String) -> String {
    guard let text = text(name), let email = EmailAddress(text) else {
      if findings.isEmpty {
        refuse(
          name, "`\(name)` is missing or not an address", why: "it identifies the account",
          fix: "send one like `captain@example.com`")
      }
      return ""
    }
    return email.text
  }

  /// Throws the findings, if there are any.
  func check() throws {
    if !findings.isEmpty { throw Problem.invalidContent(findings) }
  }

  private mutating func text(_ name: String) -> String? {
    guard let value = root[name], !value.isNull else { return nil }
    guard let text = value.string, !text.isEmpty else {
      refuse(
        name, "`\(name)` must be a string that is not empty", why: "it is compared as text", fix: "send it as a string")
      return nil
    }
    return text
  }

  private mutating func refuse(_ name: String, _ message: String, why: String, fix: String) {
    findings.append(
      IntakeFinding(
        code: "REG0302", pointer: JSONPointer([.member(name)]), message: message, why: why, fix: fix))
  }
}
