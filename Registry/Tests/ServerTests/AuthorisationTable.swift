import RegistryModel

/// The access rules of each route in the whole interface, written by hand. A test fails when a route is missing here.
enum AuthorisationTable {
  /// The callers with access.
  enum Access: Sendable, Equatable {
    /// All callers; a token is ignored. The value is the status of the answer to the request in the table.
    case anyone(Int)
    /// All callers who are signed in.
    case signedIn(Int)
    /// The item's owner; others get 403.
    case owner(Int)
  }

  /// One route with a request that its owner may send.
  struct Row: Sendable {
    let method: String
    /// The path as in the router; `{public_id}` is replaced by the owner's item, `{username}` and `{id}` by the owner.
    let path: String
    let access: Access
    /// Makes the body, if there is one, from the slug of the owner's item.
    var body: (@Sendable (String) -> String)?

    /// Returns the path for an item and its owner.
    func path(_ slug: String, by owner: User) -> String {
      path.replacing("{public_id}", with: slug).replacing("{name}", with: "style.css").replacing(
        "{username}", with: owner.username
      )
      .replacing("{id}", with: owner.id.text)
    }

    /// Whether the router spells the same route in this form.
    func matches(method: String, path: String) -> Bool { method == self.method && path == self.path }
  }

  static let rows: [Row] = [
    Row(method: "GET", path: "/health", access: .anyone(200)),
    Row(method: "GET", path: "/ready", access: .anyone(200)),
    Row(method: "GET", path: "/metrics", access: .anyone(200)),
    Row(method: "GET", path: "/openapi.json", access: .anyone(200)),
    Row(method: "GET", path: "/api/v1/openapi.json", access: .anyone(200)),
    Row(method: "GET", path: "/", access: .anyone(200)),
    Row(method: "GET", path: "/c/{public_id}", access: .anyone(200)),
    Row(method: "GET", path: "/c/{public_id}.md", access: .anyone(200)),
    Row(method: "GET", path: "/c/{public_id}.jsonl", access: .anyone(200)),
    Row(method: "GET", path: "/c/{public_id}.fleetpack", access: .anyone(200)),
    Row(method: "GET", path: "/u/{username}", access: .anyone(200)),
    Row(method: "GET", path: "/feed.atom", access: .anyone(200)),
    Row(method: "GET", path: "/sitemap.xml", access: .anyone(200)),
    Row(method: "GET", path: "/robots.txt", access: .anyone(200)),
    Row(method: "GET", path: "/assets/{name}", access: .anyone(200)),
    Row(method: "POST", path: "/api/v1/auth/apple-signin", access: .anyone(401)) { _ in
      #"{"identity_token":"nobody"}"#
    },
    Row(method: "POST", path: "/api/v1/auth/refresh", access: .anyone(401)) { _ in #"{"refresh_token":"nobody"}"# },
    Row(method: "POST", path: "/api/v1/auth/test-signin", access: .anyone(200)) { _ in
      #"{"email":"stranger@example.com"}"#
    },
    Row(method: "POST", path: "/api/v1/auth/logout", access: .signedIn(204)),
    Row(method: "GET", path: "/api/v1/auth/me", access: .signedIn(200)),
    Row(method: "PUT", path: "/api/v1/auth/me", access: .signedIn(200)) { _ in #"{"bio":"Another text"}"# },
    Row(method: "DELETE", path: "/api/v1/auth/me", access: .signedIn(204)),
    Row(method: "GET", path: "/api/v1/users/me", access: .signedIn(200)),
    Row(method: "PUT", path: "/api/v1/users/me", access: .signedIn(200)) { _ in #"{"bio":"Another text"}"# },
    Row(method: "DELETE", path: "/api/v1/users/me", access: .signedIn(204)),
    Row(method: "GET", path: "/api/v1/users/{username}", access: .anyone(200)),
    Row(method: "GET", path: "/api/v1/users/by-id/{id}", access: .anyone(200)),
    Row(method: "GET", path: "/api/v1/profile/stats", access: .signedIn(200)),
    Row(method: "POST", path: "/api/v1/content/share", access: .signedIn(201)) { publication($0 + "-new") },
    Row(method: "POST", path: "/api/v1/content/batch", access: .signedIn(200)) {
      #"{"operations":[{"operation":"publish","payload":\#(publication($0 + "-new"))}]}"#
    },
    Row(method: "GET", path: "/api/v1/content/public", access: .anyone(200)),
    Row(method: "GET", path: "/api/v1/content/mine", access: .signedIn(200)),
    Row(method: "GET", path: "/api/v1/content/{public_id}", access: .anyone(200)),
    Row(method: "PUT", path: "/api/v1/content/{public_id}", access: .owner(200)) { _ in #"{"title":"Another title"}"# },
    Row(method: "PATCH", path: "/api/v1/content/{public_id}", access: .owner(200)) { _ in
      #"{"title":"Another title"}"#
    },
    Row(method: "DELETE", path: "/api/v1/content/{public_id}", access: .owner(204)),
    Row(method: "POST", path: "/api/v1/content/{public_id}/fork", access: .anyone(200)),
    Row(method: "GET", path: "/api/v1/content/{public_id}/lineage", access: .anyone(200)),
    Row(method: "GET", path: "/api/v1/content/{public_id}/stats", access: .anyone(200)),
  ]

  /// Returns a request to publish a small checklist.
  static func publication(_ slug: String) -> String {
    #"{"title":"Crew briefing","description":"Before casting off","content_type":"checklist","public_id":"\#(slug)","#
      + #""tags":["safety"],"language":"en","content_data":{"title":"Crew briefing","sections":[{"title":"Deck","#
      + #""items":[{"title":"Life jackets","isRequired":true}]}]}}"#
  }
}
