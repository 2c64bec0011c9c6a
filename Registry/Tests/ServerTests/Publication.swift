import JSONText
import Testing

/// Publish requests for tests, as JSON.
enum Publication {
  /// Returns a request; the document is empty unless given.
  static func body(
    _ publicID: String, title: String = "Leaving the berth", type: String = "checklist",
    data: String = #"{"sections":[]}"#, more: String = ""
  ) -> String {
    #"{"title":"\#(title)","content_type":"\#(type)","content_data":\#(data),"public_id":"\#(publicID)"\#(more)}"#
  }
}

extension TestServer {
  static let content = "/api/v1/content"

  /// Publishes an item, expects success, and returns the registry's id.
  @discardableResult func publish(
    _ publicID: String, by person: Person, title: String = "Leaving the berth", type: String = "checklist",
    data: String = #"{"sections":[]}"#, more: String = ""
  ) async throws -> String {
    let answer = try await send(
      "POST", "\(Self.content)/share", token: person.token,
      body: Publication.body(publicID, title: title, type: type, data: data, more: more))
    #expect(answer.status == 201, "\(answer.text)")
    return try #require(try answer.json()["id"]?.string)
  }

  /// Reads an item and expects that it exists.
  func read(_ publicID: String) async throws -> JSONValue {
    let answer = try await send("GET", "\(Self.content)/\(publicID)")
    #expect(answer.status == 200)
    return try answer.json()
  }

  /// Returns the `public_id`s in a list.
  func listed(_ query: String, token: String? = nil, path: String = "public") async throws -> [String] {
    let answer = try await send("GET", "\(Self.content)/\(path)\(query)", token: token)
    #expect(answer.status == 200, "\(answer.text)")
    let root = try answer.json()
    return (root["items"] ?? root).elements.compactMap { $0["public_id"]?.string }
  }
}

extension HTTPAnswer {
  /// The findings' codes and places, in the form `REG0101 limit` or `SCH0403 /title`.
  var findings: [String] {
    ((try? json())?["findings"]?.elements ?? []).map {
      "\($0["code"]?.string ?? "") \($0["parameter"]?.string ?? $0["pointer"]?.string ?? "")"
    }
  }

  /// The places of the findings.
  var pointers: [String] { ((try? json())?["findings"]?.elements ?? []).compactMap { $0["pointer"]?.string } }
}
